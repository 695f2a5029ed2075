//! Commands that should be asked about even where commands are allowed.

use super::{git, options};
use crate::shell::unwrap::base_name;
use crate::shell::{Command, Stdin};

/// An option, an argument or a whole command that does more than its program's name says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Danger {
    pub reason: String,
    /// The text that a permission has to contain to cover it. `None` if no permission can: what runs comes from the
    /// network.
    pub token: Option<String>,
}

pub(super) fn reason(command: &Command) -> Option<String> {
    found(command)
        .into_iter()
        .next()
        .map(|danger| danger.reason)
}

pub(super) fn found(command: &Command) -> Vec<Danger> {
    let Some(program) = command.program() else {
        return Vec::new();
    };
    let name = base_name(program);
    let args: Vec<&str> = command
        .words
        .iter()
        .skip(1)
        .map(|word| word.text())
        .collect();
    let mut dangers = by_program(name, &args);
    dangers.extend(options::dangers(name, &args));
    if command.stdin == Stdin::Pipe && reads_program(name, &args) {
        dangers.push(Danger {
            reason: format!("`{name}` runs what another command writes"),
            token: (!command.is_fed_by_download).then(|| name.to_owned()),
        });
    }
    dangers
}

pub(super) fn hidden_option(command: &Command) -> Option<&str> {
    let name = base_name(command.program()?);
    // Options whose value is a text for people.
    let takes_text = |word: &str| {
        matches!(
            word,
            "-m" | "-am" | "--message" | "--body" | "--title" | "--notes" | "-F"
        )
    };
    let mut before = "";
    let mut only_operands = false;
    for word in command.words.iter().skip(1) {
        let text = word.text();
        let inner = text.trim_start_matches('"');
        let is_value = takes_text(before) && text.starts_with('"') && text.ends_with('"');
        before = text;
        only_operands |= text == "--";
        if word.literal().is_some() || is_value || inner.starts_with("<(") {
            continue;
        }
        if inner.contains("$(") && !is_arithmetic(inner) || inner.contains('`') {
            return Some(text);
        }
        let is_glob = inner.starts_with(['*', '?', '[', '{']) && name != "git";
        if !only_operands
            && options::has_any(name)
            && (is_glob || inner.starts_with('$') && may_be_option(inner, command))
        {
            return Some(text);
        }
    }
    None
}

fn is_arithmetic(text: &str) -> bool {
    text.matches("$(").count() == text.matches("$((").count()
}

/// Whether a variable may hold something that begins with a dash.
fn may_be_option(text: &str, command: &Command) -> bool {
    let name: &str = text.trim_start_matches(['$', '{']);
    let length = name
        .bytes()
        .take_while(|b| b.is_ascii_alphanumeric() || *b == b'_')
        .count();
    let name = name.get(..length).unwrap_or_default();
    let mut set = command
        .variables
        .iter()
        .filter(|set| set.name == name)
        .peekable();
    set.peek().is_none()
        || set.any(|set| match &set.values {
            Some(values) => values.iter().any(|value| value.starts_with('-')),
            None => !set.is_arithmetic,
        })
}

fn danger(token: &str, reason: impl Into<String>) -> Danger {
    Danger {
        reason: reason.into(),
        token: Some(token.to_owned()),
    }
}

fn by_program(name: &str, args: &[&str]) -> Vec<Danger> {
    let flags = |letters: &[char], long: &[&str], why: &str| -> Vec<Danger> {
        let options = args.iter().take_while(|arg| **arg != "--");
        let is_one = |arg: &&&str| match arg.strip_prefix("--") {
            Some(name) => {
                let name = name.split('=').next().unwrap_or(name);
                name.len() > 1 && long.iter().any(|long| long.starts_with(name))
            }
            None => arg.starts_with('-') && arg.contains(letters),
        };
        options
            .filter(is_one)
            .map(|arg| danger(option_name(arg), why))
            .collect()
    };
    match name {
        "rm" => flags(
            &['r', 'R', 'f'],
            &["recursive", "force"],
            "`rm` deletes without asking",
        ),
        "ln" => flags(
            &['s'],
            &["symbolic"],
            "a link can lead out of the workspace",
        ),
        "find" | "gfind" => {
            let actions = [
                "-exec", "-execdir", "-ok", "-okdir", "-delete", "-fprint", "-fprint0", "-fprintf",
                "-fls",
            ];
            let found = args.iter().filter(|arg| actions.contains(arg));
            found
                .map(|arg| danger(arg, "`find` deletes, writes or runs something"))
                .collect()
        }
        "rg" => {
            let runs = |arg: &&&str| {
                arg.starts_with("--pre")
                    || arg.starts_with("--hostname-bin")
                    || arg.starts_with("--search-z")
                    || is_cluster(arg, 'z')
            };
            let found = args.iter().filter(runs);
            found
                .map(|arg| danger(option_name(arg), "`rg` runs another program"))
                .collect()
        }
        "git" => git::danger(args).into_iter().collect(),
        "base64" => flags(&['o'], &["output"], "`base64` writes a file"),
        "dd" => {
            let devices = args.iter().filter(|arg| arg.starts_with("of=/dev/"));
            devices
                .map(|arg| danger(arg, "`dd` writes to a device"))
                .collect()
        }
        "shred" | "shutdown" | "reboot" | "halt" | "poweroff" | "wipefs" | "fdisk" | "parted" => {
            vec![danger(name, format!("`{name}` cannot be undone"))]
        }
        _ if name.starts_with("mkfs") => vec![danger(name, format!("`{name}` cannot be undone"))],
        _ => Vec::new(),
    }
}

/// The option without its value.
fn option_name(option: &str) -> &str {
    match option.starts_with("--") {
        true => option.split('=').next().unwrap_or(option),
        false => option,
    }
}

fn is_cluster(arg: &str, letter: char) -> bool {
    arg.starts_with('-') && !arg.starts_with("--") && arg.contains(letter)
}

/// Whether the command takes its program from its standard input.
fn reads_program(name: &str, args: &[&str]) -> bool {
    let is_interpreter = matches!(
        name,
        "bash"
            | "rbash"
            | "sh"
            | "dash"
            | "ash"
            | "ksh"
            | "mksh"
            | "zsh"
            | "fish"
            | "csh"
            | "tcsh"
            | "node"
            | "nodejs"
            | "deno"
            | "bun"
            | "perl"
            | "ruby"
            | "php"
            | "lua"
            | "luajit"
            | "tclsh"
            | "osascript"
            | "R"
            | "Rscript"
            | "pwsh"
            | "psql"
            | "mysql"
            | "sqlite3"
            | "ghci"
            | "irb"
            | "guile"
            | "at"
            | "batch"
            | "crontab"
            | "ssh"
            | "source"
            | "."
    ) || ["python", "pypy", "ruby", "perl", "lua"]
        .iter()
        .any(|prefix| {
            name.strip_prefix(prefix)
                .is_some_and(|version| version.bytes().all(|b| b.is_ascii_digit() || b == b'.'))
        });
    if !is_interpreter {
        return false;
    }
    let is_shell = name.ends_with("sh");
    let mut args = args.iter().copied();
    loop {
        match args.next() {
            None | Some("-" | "/dev/stdin" | "/dev/fd/0" | "/proc/self/fd/0") => return true,
            Some("-s" | "--stdin") if is_shell => return true,
            Some("-c" | "-e" | "-m" | "-p" | "--eval" | "--print" | "-r") if !is_shell => {
                return false;
            }
            Some(option) if option.starts_with('-') && !option.starts_with("--") => {
                if is_shell && option.contains('c') {
                    return false;
                }
                if is_shell && option.contains('s') {
                    return true;
                }
            }
            Some(option) if option.starts_with('-') => {}
            Some(_) => return false,
        }
    }
}

//! Commands that should be asked about even where commands are allowed.

use super::git;
use crate::shell::unwrap::base_name;
use crate::shell::{Command, Stdin};

pub(super) fn reason(command: &Command) -> Option<String> {
    let name = base_name(command.program()?);
    let args: Vec<&str> = command
        .words
        .iter()
        .skip(1)
        .map(|word| word.text())
        .collect();
    let flag = |letters: &[char], long: &[&str]| {
        args.iter()
            .take_while(|arg| **arg != "--")
            .any(|arg| match arg.strip_prefix("--") {
                Some(name) => {
                    let name = name.split('=').next().unwrap_or(name);
                    name.len() > 1 && long.iter().any(|long| long.starts_with(name))
                }
                None => arg.starts_with('-') && arg.contains(letters),
            })
    };
    let has = |names: &[&str]| args.iter().any(|arg| names.iter().any(|name| arg == name));
    match name {
        "rm" if flag(&['r', 'R', 'f'], &["recursive", "force"]) => {
            Some("`rm` deletes without asking".to_owned())
        }
        "ln" if flag(&['s'], &["symbolic"]) => {
            Some("a link can lead out of the workspace".to_owned())
        }
        "find" | "gfind" => {
            let actions = [
                "-exec", "-execdir", "-ok", "-okdir", "-delete", "-fprint", "-fprint0", "-fprintf",
                "-fls",
            ];
            has(&actions).then(|| "`find` deletes, writes or runs something".to_owned())
        }
        "rg" => args
            .iter()
            .any(|arg| {
                arg.starts_with("--pre")
                    || arg.starts_with("--hostname-bin")
                    || arg.starts_with("--search-z")
                    || is_cluster(arg, 'z')
            })
            .then(|| "`rg` runs another program".to_owned()),
        "git" => git::danger(&args),
        "base64" => flag(&['o'], &["output"]).then(|| "`base64` writes a file".to_owned()),
        "dd" => args
            .iter()
            .any(|arg| arg.starts_with("of=/dev/"))
            .then(|| "`dd` writes to a device".to_owned()),
        "shred" | "shutdown" | "reboot" | "halt" | "poweroff" | "wipefs" | "fdisk" | "parted" => {
            Some(format!("`{name}` cannot be undone"))
        }
        _ if name.starts_with("mkfs") => Some(format!("`{name}` cannot be undone")),
        _ if command.stdin == Stdin::Pipe && reads_program(name, &args) => {
            Some(format!("`{name}` runs what another command writes"))
        }
        _ => None,
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

//! Commands that only read, with the options that let them do more.

use super::{Place, git, paths};
use crate::shell::unwrap::{base_name, is_transparent};
use crate::shell::{Command, Folder, Word, unwrap};

/// Folders whose programs are what their names say.
const TRUSTED: &[&str] = &["/bin/", "/usr/bin/", "/usr/local/bin/"];

pub(super) fn is_safe(command: &Command, place: &Place<'_>) -> bool {
    if !command.assignments.is_empty() {
        return false;
    }
    let words: Option<Vec<&str>> = command.words.iter().map(Word::literal).collect();
    let Some((program, args)) = words.as_deref().and_then(<[_]>::split_first) else {
        return false;
    };
    let name = base_name(program);
    let is_trusted = TRUSTED
        .iter()
        .any(|folder| program.strip_prefix(folder) == Some(name));
    if *program != name && !is_trusted {
        return false;
    }
    if is_transparent(name) {
        // Whoever asks looks at what it runs as well.
        let runs_something = unwrap::inner(command).is_ok_and(|inner| !inner.is_empty());
        return runs_something || name == "command" && matches!(args, ["-v" | "-V", _, ..]);
    }
    let reads = Reads {
        args,
        command,
        place,
    };
    match name {
        "true" | "false" | "pwd" | "whoami" | "uname" | "echo" | "expr" | "seq" | "which"
        | "id" | "tr" | "numfmt" => true,
        "cd" => matches!(args, [path] if !path.starts_with('-') && reads.is_harmless(path)),
        "cat" | "cut" | "ls" | "nl" | "paste" | "rev" | "stat" | "tac" | "head" | "tail" => {
            reads.all_paths(&[])
        }
        "wc" => reads.all_paths(&["--files0-from"]),
        "uniq" => reads.all_paths(&[]) && reads.operands() <= 1,
        "grep" => reads.grep(),
        "base64" => reads.all_paths(&["-o", "--output"]),
        "sed" => reads.sed(),
        "find" => reads.find(),
        "rg" => {
            is_trusted
                && reads.all_paths(&[
                    "--pre",
                    "-z",
                    "--search-zip",
                    "--hostname-bin",
                    "-f",
                    "--file",
                    "-L",
                    "--follow",
                ])
        }
        // Another folder may hold what git takes for a repository, with settings that run programs.
        "git" => {
            command.folder == Folder::Start && git::is_safe(args, |path| reads.is_harmless(path))
        }
        _ => false,
    }
}

struct Reads<'a> {
    args: &'a [&'a str],
    command: &'a Command,
    place: &'a Place<'a>,
}

impl Reads<'_> {
    fn is_harmless(&self, path: &str) -> bool {
        paths::is_harmless(path, &self.command.folder, self.place)
    }

    fn operands(&self) -> usize {
        let mut operands = 0;
        let mut only_operands = false;
        for arg in self.args {
            match *arg {
                "--" if !only_operands => only_operands = true,
                arg if only_operands || arg == "-" || !arg.starts_with('-') => operands += 1,
                _ => {}
            }
        }
        operands
    }

    /// Every word that is no option is taken for a path, values of options too: a number is a harmless one.
    fn all_paths(&self, forbidden: &[&str]) -> bool {
        self.are_harmless(self.args, forbidden)
    }

    fn are_harmless(&self, args: &[&str], forbidden: &[&str]) -> bool {
        let mut only_operands = false;
        args.iter().all(|&arg| match arg {
            "--" if !only_operands => {
                only_operands = true;
                true
            }
            _ if only_operands || arg == "-" || !arg.starts_with('-') => self.is_harmless(arg),
            _ => self.is_harmless_option(arg, forbidden),
        })
    }

    /// Long options may be shortened, and short ones put together; a value that is attached may be a path.
    fn is_harmless_option(&self, option: &str, forbidden: &[&str]) -> bool {
        if let Some(long) = option.strip_prefix("--") {
            let (name, value) = match long.split_once('=') {
                Some((name, value)) => (name, Some(value)),
                None => (long, None),
            };
            let is_forbidden = forbidden
                .iter()
                .filter_map(|forbidden| forbidden.strip_prefix("--"))
                .any(|forbidden| forbidden.starts_with(name));
            return !is_forbidden && value.is_none_or(|value| self.is_harmless(value));
        }
        let letters = option.trim_start_matches('-');
        let is_forbidden = forbidden
            .iter()
            .filter(|forbidden| !forbidden.starts_with("--"))
            .any(|forbidden| letters.contains(forbidden.trim_start_matches('-')));
        !is_forbidden && !letters.contains(['/', '~'])
    }

    /// The first operand is what is looked for, unless an option gives it.
    fn grep(&self) -> bool {
        let forbidden = &[
            "-f",
            "--file",
            "-R",
            "--dereference-recursive",
            "--exclude-from",
        ];
        // Where an option may give the pattern, also in a cluster, every operand is a file.
        let gives_pattern = |arg: &str| match arg.strip_prefix("--") {
            Some(long) => long.starts_with("reg"),
            None => arg.starts_with('-') && arg.contains('e'),
        };
        if self.args.iter().any(|arg| gives_pattern(arg)) {
            return self.are_harmless(self.args, forbidden);
        }
        let pattern = self.args.iter().position(|arg| !arg.starts_with('-'));
        match pattern.and_then(|at| self.args.split_at_checked(at)) {
            Some((options, [_, rest @ ..])) if !options.contains(&"--") => {
                self.are_harmless(options, forbidden) && self.are_harmless(rest, forbidden)
            }
            _ => self.are_harmless(self.args, forbidden),
        }
    }

    /// Only `sed -n 'N[,M]p' file…`: a script of sed can write and run.
    fn sed(&self) -> bool {
        let ["-n", script, files @ ..] = self.args else {
            return false;
        };
        let is_line = |line: &str| {
            line == "$" || !line.is_empty() && line.bytes().all(|byte| byte.is_ascii_digit())
        };
        let prints = script
            .strip_suffix('p')
            .is_some_and(|lines| match lines.split_once(',') {
                Some((from, to)) => is_line(from) && is_line(to),
                None => is_line(lines),
            });
        prints
            && files
                .iter()
                .all(|file| !file.starts_with('-') && self.is_harmless(file))
    }

    fn find(&self) -> bool {
        let begins = |arg: &&&str| arg.starts_with(['-', '(', '!']);
        let start = self
            .args
            .iter()
            .position(|arg| begins(&arg))
            .unwrap_or(self.args.len());
        let Some((folders, tests)) = self.args.split_at_checked(start) else {
            return false;
        };
        let mut tests = tests.iter();
        while let Some(test) = tests.next() {
            match *test {
                "(" | ")" | "!" | "-not" | "-a" | "-and" | "-o" | "-or" | "-print" | "-print0"
                | "-empty" | "-prune" | "-ls" | "-depth" | "-true" | "-false" | "-mount"
                | "-xdev" | "-daystart" | "-executable" | "-readable" | "-writable" => {}
                "-name" | "-iname" | "-path" | "-ipath" | "-wholename" | "-regex" | "-iregex"
                | "-type" | "-maxdepth" | "-mindepth" | "-size" | "-mtime" | "-mmin" | "-ctime"
                | "-cmin" | "-atime" | "-amin" | "-perm" | "-user" | "-group" | "-links"
                | "-regextype" => {
                    if tests.next().is_none() {
                        return false;
                    }
                }
                _ => return false,
            }
        }
        folders.iter().all(|folder| self.is_harmless(folder))
    }
}

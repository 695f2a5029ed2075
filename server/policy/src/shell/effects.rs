//! What a script writes and destroys, as far as its text shows.
//!
//! A help for people and for snapshots, not a wall: a program can write whatever it likes without saying so.

mod destroyed;
mod operands;
mod possible;
mod programs;

use super::unwrap::base_name;
use super::{Command, Direction, Folder, Script, Word};
pub use destroyed::{Affected, Destruction, Kind, destructive};
use operands::Operands;
pub use possible::possible;

/// The files that a script may write to: out-redirections; the operands of `tee`, `touch`, `truncate`, `shred`,
/// `mkdir`, `rm`, `rmdir`, `unlink`, `patch`, `chmod` and `chown`; the last operand or `-t` of `cp`, `mv`, `ln`,
/// `install` and `rsync` (`mv` also takes its sources away); `dd of=`; the files of `sed -i` and `perl -i`; `-o` of
/// `sort`, `curl`, `wget -O`, `base64`, `gcc`, `cc` and `clang`; the second operand of `uniq`; `find -fprint`;
/// `--output` of `git`. The folders of `tar -C`, `unzip -d` and `wget -P`; the files that downloads are named after; what
/// scripts of `sed` and `awk` write; the operands of `git mv`, `split` and `sponge`.
pub fn writes(script: &Script) -> Vec<Written> {
    let redirected = script
        .redirections
        .iter()
        .filter(|redirection| redirection.direction == Direction::Out)
        .filter_map(|redirection| {
            let word = redirection.target.clone()?;
            let folder = redirection.folder.clone();
            Some(Written { word, folder })
        })
        .filter(|written| written.word.text() != "/dev/null");
    let mut written: Vec<Written> = redirected.collect();
    for command in &script.commands {
        let words = written_by(command).into_iter().chain(written_into(command));
        written.extend(words.map(|word| Written {
            word,
            folder: command.folder.clone(),
        }));
    }
    written
}

/// A file that a script may write to, and where a relative one begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Written {
    pub word: Word,
    pub folder: Folder,
}

/// The folders that archives and downloads are put into, the files that land in a folder that is copied to, and the
/// settings of git that name programs.
fn written_into(command: &Command) -> Vec<Word> {
    let Some(name) = command.program().map(base_name) else {
        return Vec::new();
    };
    match name {
        "tar" | "gtar" | "bsdtar" => operands::values(command, 'C', "directory"),
        "unzip" => operands::values(command, 'd', ""),
        "wget" => programs::downloaded(command, operands::values(command, 'P', "directory-prefix")),
        "curl" => {
            let folders = operands::values(command, '\0', "output-dir");
            match operands::has(command, 'O', "remote-name") {
                true => programs::downloaded(command, folders),
                false => folders,
            }
        }
        "sed" | "gsed" => programs::written_by_sed(command),
        "awk" | "gawk" | "mawk" | "nawk" => programs::written_by_awk(command),
        "split" | "csplit" => Operands::of(command, "abClnft").words,
        "patch" => operands::values(command, 'd', "directory"),
        "sponge" => Operands::of(command, "").words,
        "7z" | "7za" => command
            .words
            .iter()
            .filter_map(|word| Some(with_text(word, word.text().strip_prefix("-o")?)))
            .collect(),
        "cp" | "mv" | "ln" | "install" | "rsync" => {
            let operands = Operands::of(command, "tSgmoe");
            let Some(folder) = operands.destination() else {
                return Vec::new();
            };
            let inside = |source: Word| {
                let name = base_name(source.text().trim_end_matches('/'));
                let path = format!("{}/{name}", folder.text().trim_end_matches('/'));
                match (&folder, &source) {
                    (Word::Literal(_), Word::Literal(_)) => Word::Literal(path),
                    _ => Word::Dynamic(path),
                }
            };
            operands.sources().into_iter().map(inside).collect()
        }
        "git" => {
            let mut written = written_by_git(command);
            written.extend(programs::moved_by_git(command));
            written
        }
        _ => Vec::new(),
    }
}

/// `git config` of a key that names a program or another file of settings writes what others act on.
fn written_by_git(command: &Command) -> Vec<Word> {
    let mut words = command.words.iter().skip(1).map(Word::text).peekable();
    let mut folder = None;
    while let Some(option) = words.next_if(|word| word.starts_with('-')) {
        match option {
            "-C" => folder = words.next(),
            "-c" | "--git-dir" | "--work-tree" => {
                words.next();
            }
            _ => {}
        }
    }
    if words.next() != Some("config") {
        return Vec::new();
    }
    let args: Vec<&str> = words.collect();
    const READS: &[&str] = &[
        "--get",
        "--get-all",
        "--get-regexp",
        "--list",
        "-l",
        "list",
        "get",
    ];
    let file = args
        .iter()
        .zip(args.iter().skip(1))
        .find(|(option, _)| matches!(**option, "-f" | "--file"))
        .map(|(_, file)| *file);
    if args.iter().any(|arg| READS.contains(arg)) {
        return Vec::new();
    }
    let is_powerful = |key: &&str| {
        let key = key.to_ascii_lowercase();
        const KEYS: &[&str] = &[
            "core.hookspath",
            "core.fsmonitor",
            "core.pager",
            "core.editor",
            "core.sshcommand",
            "core.askpass",
            "core.gitproxy",
            "core.worktree",
            "core.attributesfile",
            "sequence.editor",
            "include.path",
            "init.templatedir",
            "gpg.program",
            "diff.external",
            "uploadpack.packobjectshook",
            "credential.helper",
        ];
        const BEGINNINGS: &[&str] = &[
            "alias.",
            "filter.",
            "includeif.",
            "pager.",
            "difftool.",
            "mergetool.",
            "url.",
        ];
        const ENDINGS: &[&str] = &[
            ".textconv",
            ".command",
            ".driver",
            ".helper",
            ".program",
            ".cmd",
            ".path",
            ".update",
        ];
        KEYS.contains(&key.as_str())
            || BEGINNINGS.iter().any(|begin| key.starts_with(begin))
            || ENDINGS.iter().any(|end| key.ends_with(end))
    };
    let edits = args
        .iter()
        .any(|arg| matches!(*arg, "-e" | "--edit" | "edit"));
    let is_unknown = command.words.iter().any(|word| word.literal().is_none());
    if !edits && !is_unknown && !args.iter().any(is_powerful) && file.is_none() {
        return Vec::new();
    }
    let path = file.unwrap_or(".git/config");
    vec![Word::Literal(match folder {
        Some(folder) => format!("{folder}/{path}"),
        None => path.to_owned(),
    })]
}

fn written_by(command: &Command) -> Vec<Word> {
    let Some(name) = command.program().map(base_name) else {
        return Vec::new();
    };
    let operands = |valued: &str| Operands::of(command, valued);
    match name {
        "tee" | "touch" | "truncate" | "shred" | "mkdir" | "rm" | "rmdir" | "unlink" => {
            operands("drst").words
        }
        "patch" => operands("pidD").words,
        "chmod" | "chown" | "chgrp" => operands("").words.into_iter().skip(1).collect(),
        "cp" | "ln" | "install" | "rsync" => operands("tSgmoe").destination().into_iter().collect(),
        "mv" => {
            let operands = operands("tS");
            let mut words: Vec<Word> = operands.destination().into_iter().collect();
            words.extend(operands.sources());
            words
        }
        "dd" => command
            .words
            .iter()
            .filter_map(|word| {
                word.text()
                    .strip_prefix("of=")
                    .map(|path| with_text(word, path))
            })
            .collect(),
        "sed" if operands::has(command, 'i', "in-place") => in_place(command),
        "perl" if operands::has(command, 'i', "") => operands("eE").words,
        "sort" | "base64" | "curl" | "shuf" | "tree" | "iconv" | "gcc" | "cc" | "clang" | "g++"
        | "rustc" => operands::values(command, 'o', "output"),
        "wget" => {
            let mut written = operands::values(command, 'O', "output-document");
            written.extend(operands::values(command, 'o', "output-file"));
            written
        }
        "xxd" => operands("slcgo").words.into_iter().skip(1).collect(),
        "git" => operands::values(command, '\0', "output"),
        "uniq" => operands("fsw").words.into_iter().skip(1).collect(),
        "find" => command
            .words
            .windows(2)
            .filter_map(|pair| match pair {
                [action, file]
                    if matches!(action.text(), "-fprint" | "-fprint0" | "-fprintf" | "-fls") =>
                {
                    Some(file.clone())
                }
                _ => None,
            })
            .collect(),
        _ => Vec::new(),
    }
}

/// The files that `sed -i` changes: the first operand is its script unless an option gives one.
fn in_place(command: &Command) -> Vec<Word> {
    let gives_script =
        operands::has(command, 'e', "expression") || operands::has(command, 'f', "file");
    let words = Operands::of(command, "efl").words;
    words.into_iter().skip(usize::from(!gives_script)).collect()
}

/// Another text that is as known as the word.
fn with_text(word: &Word, text: &str) -> Word {
    match word {
        Word::Literal(_) => Word::Literal(text.to_owned()),
        Word::Dynamic(_) => Word::Dynamic(text.to_owned()),
    }
}

#[cfg(test)]
mod tests;

//! What a script writes and destroys, as far as its text shows.
//!
//! A help for people and for snapshots, not a wall: a program can write whatever it likes without saying so.

mod destroyed;
mod operands;

use super::unwrap::base_name;
use super::{Command, Direction, Script, Word};
pub use destroyed::{Affected, Destruction, Kind, destructive};
use operands::Operands;

/// The files that a script may write to: out-redirections; the operands of `tee`, `touch`, `truncate`, `shred`,
/// `mkdir`, `rm`, `rmdir`, `unlink`, `patch`, `chmod` and `chown`; the last operand or `-t` of `cp`, `mv`, `ln`,
/// `install` and `rsync` (`mv` also takes its sources away); `dd of=`; the files of `sed -i` and `perl -i`; `-o` of
/// `sort`, `curl`, `wget -O`, `base64`, `gcc`, `cc` and `clang`; the second operand of `uniq`; `find -fprint`;
/// `--output` of `git`. As they are written: a `cd` before may mean that they lie elsewhere.
pub fn writes(script: &Script) -> Vec<Word> {
    let redirected = script
        .redirections
        .iter()
        .filter(|redirection| redirection.direction == Direction::Out)
        .filter_map(|redirection| redirection.target.clone())
        .filter(|target| target.text() != "/dev/null");
    let mut written: Vec<Word> = redirected.collect();
    for command in &script.commands {
        written.extend(written_by(command));
    }
    written
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
        "sort" | "base64" | "curl" | "gcc" | "cc" | "clang" | "g++" | "rustc" => {
            operands::values(command, 'o', "output")
        }
        "wget" => operands::values(command, 'O', "output-document"),
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

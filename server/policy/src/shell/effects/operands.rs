//! Options and operands, as most programs take them.

use super::with_text;
use crate::shell::{Command, Word};

/// The words of a command that are no options.
pub(super) struct Operands {
    pub(super) words: Vec<Word>,
    /// The folder given by `-t`.
    into: Option<Word>,
}

impl Operands {
    /// The letters are those of options whose value is the next word.
    pub(super) fn of(command: &Command, valued: &str) -> Self {
        let mut words = Vec::new();
        let mut into = None;
        let mut args = command.words.iter().skip(1);
        while let Some(word) = args.next() {
            let text = word.text();
            if text == "--" {
                words.extend(args.cloned());
                break;
            }
            if let Some(folder) = target_directory(text) {
                into = match folder {
                    "" => args.next().cloned(),
                    folder => Some(with_text(word, folder)),
                };
            } else if text == "-" || !text.starts_with('-') {
                words.push(word.clone());
            } else if !text.starts_with("--")
                && text
                    .chars()
                    .last()
                    .is_some_and(|last| valued.contains(last))
            {
                let value = args.next().cloned();
                if text.ends_with('t') {
                    into = value;
                }
            }
        }
        Self { words, into }
    }

    /// Where the last operand or `-t` says that things go.
    pub(super) fn destination(&self) -> Option<Word> {
        match &self.into {
            Some(folder) => Some(folder.clone()),
            None => self.words.last().filter(|_| self.words.len() > 1).cloned(),
        }
    }

    pub(super) fn sources(&self) -> Vec<Word> {
        let count = match self.into {
            Some(_) => self.words.len(),
            None => self.words.len().saturating_sub(1),
        };
        self.words.iter().take(count).cloned().collect()
    }
}

/// The value of `--target-directory`, however short it is written; empty if it is the next word.
fn target_directory(option: &str) -> Option<&str> {
    let long = option.strip_prefix("--t")?;
    let (name, value) = long.split_once('=').unwrap_or((long, ""));
    "arget-directory".starts_with(name).then_some(value)
}

/// Whether an option is given, short in a cluster or long with or without a value.
pub(super) fn has(command: &Command, letter: char, long: &str) -> bool {
    let args = command.words.iter().skip(1).map(Word::text);
    args.take_while(|arg| *arg != "--")
        .any(|arg| match arg.strip_prefix("--") {
            Some(name) => {
                let name = name.split('=').next().unwrap_or(name);
                name.len() > 1 && !long.is_empty() && long.starts_with(name)
            }
            None => arg.starts_with('-') && arg.contains(letter),
        })
}

/// The values of an option, attached or in the next word.
pub(super) fn values(command: &Command, letter: char, long: &str) -> Vec<Word> {
    let mut found = Vec::new();
    let mut args = command.words.iter().skip(1);
    while let Some(word) = args.next() {
        let text = word.text();
        if text == "--" {
            break;
        }
        if let Some(name) = text.strip_prefix("--") {
            match name.split_once('=') {
                Some((name, value)) if name.len() > 2 && long.starts_with(name) => {
                    found.push(with_text(word, value))
                }
                None if name == long => found.extend(args.next().cloned()),
                _ => {}
            }
        } else if let Some((_, value)) = text
            .strip_prefix('-')
            .and_then(|letters| letters.split_once(letter))
        {
            if value.is_empty() {
                found.extend(args.next().cloned());
            } else {
                found.push(with_text(word, value));
            }
        }
    }
    found
}

//! What a rule wants the arguments to be.

use serde_json::{Map, Value};

use crate::Decision;
use crate::pattern::{BadPattern, Pattern};
use crate::shell::{Command, Word};
use crate::stable_json::stable_json;

#[cfg(test)]
mod tests;

#[derive(Clone, Debug)]
pub(crate) enum Condition {
    Always,
    Args(Pattern),
    /// The first words of a shell command.
    Prefix(String),
    Command(Pattern),
    /// A condition that could not be read. Its rule decides nothing, but where it might have restricted a call,
    /// the call is not allowed without asking.
    Unreadable {
        text: String,
    },
}

impl Condition {
    pub(crate) fn command(text: &str, decision: Decision) -> Result<Self, BadPattern> {
        let pattern = match decision {
            Decision::Allow => Pattern::command(text),
            Decision::Ask | Decision::Deny => Pattern::command_generous(text),
        };
        pattern.map(Self::Command)
    }

    pub(crate) fn is_always(&self) -> bool {
        matches!(self, Self::Always)
    }

    /// What the author wrote, for messages and listings.
    pub(crate) fn text(&self) -> Option<&str> {
        match self {
            Self::Always => None,
            Self::Args(pattern) | Self::Command(pattern) => Some(pattern.text()),
            Self::Prefix(text) | Self::Unreadable { text } => Some(text),
        }
    }

    pub(crate) fn holds(&self, probe: &Probe<'_>, decision: Decision) -> bool {
        match self {
            Self::Always | Self::Unreadable { .. } => true,
            Self::Args(pattern) | Self::Command(pattern) => {
                (decision != Decision::Allow || probe.names_its_program(pattern.text()))
                    && probe.texts(decision).any(|text| pattern.is_match(text))
            }
            Self::Prefix(prefix) => probe.begins_with(prefix, decision),
        }
    }
}

/// The arguments in every form that conditions are tested against.
///
/// A rule that allows is tested against what was written and nothing else. A rule that restricts is also tested
/// against what the command comes to: without quotes, without the folder of the program, without variables
/// that are set in front of it, and inside its wrappers.
pub(crate) struct Probe<'a> {
    json: String,
    /// The same with each further form of the command.
    further_json: Vec<String>,
    subject: Subject<'a>,
}

enum Subject<'a> {
    NoCommand,
    Whole(&'a str),
    Part {
        command: &'a Command,
        /// The forms that an allowing rule may match.
        plain: Option<String>,
        forms: Vec<String>,
    },
}

impl<'a> Probe<'a> {
    pub(crate) fn of(args: &Map<String, Value>) -> Self {
        Self {
            json: stable_json(args),
            further_json: Vec::new(),
            subject: Subject::NoCommand,
        }
    }

    pub(crate) fn whole(args: &Map<String, Value>, command: &'a str) -> Self {
        Self {
            subject: Subject::Whole(command),
            ..Self::of(args)
        }
    }

    pub(crate) fn part(args: &Map<String, Value>, command: &'a Command) -> Self {
        let with = |text: &str| {
            let mut args = args.clone();
            args.insert("command".to_owned(), Value::from(text));
            stable_json(&args)
        };
        let wrapped = |text: &str| match command.wrappers.as_slice() {
            [] => text.to_owned(),
            wrappers => format!("{} {text}", wrappers.join(" ")),
        };
        // `sudo rm` is not the `rm` that somebody allowed, `bash -c rm` is.
        let written = match is_transparent(command) {
            true => command.text.clone(),
            false => wrapped(&command.text),
        };
        let words: Vec<&str> = command.words.iter().map(text_of).collect();
        let plain = words.join(" ");
        let mut forms = vec![command.text.clone(), wrapped(&command.text), plain.clone()];
        forms.push(wrapped(&plain));
        if let Some((program, rest)) = words.split_first() {
            let mut by_name = vec![program_name(program)];
            by_name.extend(rest);
            forms.push(by_name.join(" "));
            forms.push(wrapped(&by_name.join(" ")));
        }
        forms.retain(|form| *form != written);
        forms.sort();
        forms.dedup();
        Self {
            json: with(&written),
            further_json: forms.iter().map(|form| with(form)).collect(),
            subject: Subject::Part {
                command,
                plain: Some(written),
                forms,
            },
        }
    }

    fn texts(&self, decision: Decision) -> impl Iterator<Item = &str> {
        let further = match decision {
            Decision::Allow => &[],
            Decision::Ask | Decision::Deny => self.further_json.as_slice(),
        };
        std::iter::once(self.json.as_str()).chain(further.iter().map(String::as_str))
    }

    /// Whether a rule that allows says what runs, where something runs with other rights than its wrapper.
    fn names_its_program(&self, text: &str) -> bool {
        match &self.subject {
            Subject::Part { command, .. } if !is_transparent(command) => command
                .program()
                .is_some_and(|program| text.replace('\\', "").contains(program_name(program))),
            _ => true,
        }
    }

    fn begins_with(&self, prefix: &str, decision: Decision) -> bool {
        let restricts = decision != Decision::Allow;
        if !restricts
            && let Subject::Part { command, .. } = &self.subject
            && !is_transparent(command)
            && prefix.split_whitespace().count()
                <= command.wrappers.join(" ").split_whitespace().count()
        {
            return false;
        }
        match &self.subject {
            Subject::NoCommand => false,
            Subject::Whole(text) => begins_with(text.trim_start(), prefix),
            Subject::Part {
                command,
                plain,
                forms,
            } => {
                plain
                    .as_deref()
                    .is_some_and(|text| begins_with(text, prefix))
                    || (is_transparent(command) && words_begin_with(command, prefix))
                    || (restricts && forms.iter().any(|form| begins_with(form, prefix)))
            }
        }
    }
}

/// Programs that run what follows them with other rights than it has by itself.
const PRIVILEGED: &[&str] = &["sudo", "doas", "su", "chroot"];

/// Whether the command runs inside its wrappers as it would run by itself: then it is judged by its own rules, and a
/// rule about a wrapper says nothing about it.
fn is_transparent(command: &Command) -> bool {
    command.wrappers.iter().all(|wrapper| {
        let program = wrapper.split_whitespace().next().unwrap_or_default();
        !PRIVILEGED.contains(&program)
    })
}

/// `git status` begins `git status -s` and not `git statusx`.
fn begins_with(text: &str, prefix: &str) -> bool {
    let Some(rest) = text.strip_prefix(prefix) else {
        return false;
    };
    rest.is_empty()
        || prefix.ends_with(char::is_whitespace)
        || rest.starts_with(char::is_whitespace)
}

/// The same over words, however many blanks and quotes stand between them. A variable in front could change what
/// the program does, and a word that is not known yet could be anything.
fn words_begin_with(command: &Command, prefix: &str) -> bool {
    let mut words = command.words.iter();
    let mut wanted = prefix.split_whitespace().peekable();
    wanted.peek().is_some()
        && command.assignments.is_empty()
        && wanted.all(|wanted| matches!(words.next(), Some(Word::Literal(word)) if word == wanted))
}

pub(crate) fn text_of(word: &Word) -> &str {
    match word {
        Word::Literal(text) | Word::Dynamic(text) => text,
    }
}

/// `/usr/bin/git` and `C:\bin\git.exe` are `git`.
pub(crate) fn program_name(program: &str) -> &str {
    let name = program.rsplit(['/', '\\']).next().unwrap_or(program);
    name.strip_suffix(".exe").unwrap_or(name)
}

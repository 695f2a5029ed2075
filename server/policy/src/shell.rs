//! Shell commands, taken apart as bash would.
//!
//! Two readers look at every command line: our own, which follows bash word by word and stops at whatever it does not
//! know, and tree-sitter-bash. Only what both see alike counts as understood. Nothing is run and nothing is looked up.

mod agree;
mod characters;
mod effects;
mod effort;
mod names;
mod reader;
mod safety;
mod unwrap;

use std::sync::Arc;

pub use effects::{Affected, Destruction, Kind, Written, destructive, possible, writes};
pub use names::{has_substitution, root_commands};
pub use safety::{
    Danger, Place, Safety, classify, classify_alone, classify_redirection, classify_words, dangers,
    hidden_option, is_secret_name, judge,
};

/// Everything that a command line may run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Script {
    /// Every simple command at any depth, in the order of the text: in lists, pipes, subshells, substitutions,
    /// here-documents, and inside wrappers such as `bash -c` and `xargs`. What only sets variables or only redirects
    /// is a command without words. Never empty.
    pub commands: Vec<Command>,
    pub redirections: Vec<Redirection>,
    /// `$(…)`, backticks, `<(…)` or `>(…)` that bash would carry out.
    pub has_substitution: bool,
    /// What bash evaluates in all words of the script: those of commands, loops, cases, redirections, here-documents.
    pub expansions: Expansions,
}

/// The variables that the words of a script read and set.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Expansions {
    /// Variables and special parameters whose value is put into a word.
    pub read: Vec<String>,
    /// Names in `$((…))`. bash evaluates their values, which can hold a command.
    pub arithmetic: Vec<String>,
    /// Variables that loops and assignments set.
    pub set: Vec<SetVariable>,
}

/// A variable that a script sets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SetVariable {
    pub name: String,
    /// The values it gets, if they are known.
    pub values: Option<Vec<String>>,
    /// Its value is the result of arithmetic, so a number.
    pub is_arithmetic: bool,
}

/// A simple command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Command {
    /// As it was written, without its redirections; one blank between words.
    pub text: String,
    /// Its words without quotes; the first one names the program.
    pub words: Vec<Word>,
    /// Variables that are set for this command alone.
    pub assignments: Vec<String>,
    /// The wrappers around it, from the outside in: `sudo`, `bash -c`.
    pub wrappers: Vec<String>,
    /// What it can read from its standard input.
    pub stdin: Stdin,
    /// Where it runs, as far as earlier commands of the script say.
    pub folder: Folder,
    /// What the whole script sets, so that the values of its own variables are known.
    pub variables: Arc<[SetVariable]>,
    /// Its standard input is a pipe, and the script downloads something.
    pub is_fed_by_download: bool,
}

/// A word of a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Word {
    /// Known before the command runs.
    Literal(String),
    /// Depends on a variable, a pattern or another command.
    Dynamic(String),
}

/// Where a command's standard input comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stdin {
    /// From whoever runs the script.
    Inherited,
    /// From another command.
    Pipe,
    /// From a file or a file descriptor.
    File,
    /// From a here-document or here-string that is known.
    Text(String),
    /// From a here-document or here-string with variables or substitutions in it.
    DynamicText,
}

/// The folder a command runs in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Folder {
    /// Where the script was started.
    Start,
    /// Where the script was started or, if they went well, where `cd` has led: all that is possible.
    Maybe(Vec<String>),
    Unknown,
}

/// `> file`, `< file`, `2>&1`, a here-document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Redirection {
    pub text: String,
    pub direction: Direction,
    /// Nothing where it leads to a file descriptor or holds its text itself.
    pub target: Option<Word>,
    /// Where a relative target lies.
    pub folder: Folder,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    In,
    Out,
}

/// Why a command line is not judged part by part.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the command is not fully understood: {reason}")]
pub struct NotUnderstood {
    pub reason: String,
}

/// Takes a command line apart.
///
/// An error is not only bad syntax: a program named by a variable, an option of a wrapper that is not known, a
/// function, an alias or a variable such as `PATH` that gives later words another meaning are errors too.
pub fn parse(command: &str) -> Result<Script, NotUnderstood> {
    let (script, doubt) = unwrap::read(command);
    match doubt {
        Some(reason) => Err(NotUnderstood { reason }),
        None => Ok(script),
    }
}

/// The commands that can be made out in a command line, however little of it is understood.
///
/// Good for finding what is forbidden and for nothing else: what is not in here may still run.
pub fn glimpse(command: &str) -> Vec<Command> {
    unwrap::read(command).0.commands
}

impl Command {
    /// The name of the program as it was given, if it is known.
    pub fn program(&self) -> Option<&str> {
        self.words.first().and_then(Word::literal)
    }

    /// The words without quotes and with one blank between them, so that `r"m" -rf` is found by `rm -rf`.
    pub fn unquoted(&self) -> String {
        let words: Vec<&str> = self.words.iter().map(Word::text).collect();
        words.join(" ")
    }
}

impl Word {
    pub fn literal(&self) -> Option<&str> {
        match self {
            Self::Literal(text) => Some(text),
            Self::Dynamic(_) => None,
        }
    }

    /// The value of a literal, the source of anything else.
    pub fn text(&self) -> &str {
        match self {
            Self::Literal(text) | Self::Dynamic(text) => text,
        }
    }
}

#[cfg(test)]
pub(crate) mod tests;

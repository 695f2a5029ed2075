//! Which commands are known to do no harm, and which are known to be able to.

mod dangerous;
mod git;
mod known;
mod options;
mod paths;
mod patterns;
mod programs;
mod scripts;
mod words;

use std::path::{Path, PathBuf};

use super::{Command, Direction, Folder, Redirection, Script, Word, unwrap};
use crate::WorkspaceView;
pub use dangerous::Danger;
pub use paths::is_secret_name;
pub(super) use patterns::alternatives;

/// Where a command runs, and what it may read there without asking.
pub struct Place<'a> {
    /// Where relative paths begin.
    pub cwd: &'a Path,
    /// The folders of the workspace, absolute and without links.
    pub roots: &'a [PathBuf],
    /// Links, folders and variables.
    pub view: &'a dyn WorkspaceView,
}

/// How much is known about what a command does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Safety {
    /// It reads inside the workspace, or tells what everybody may know, and changes nothing.
    KnownSafe,
    /// It can destroy something or run something else, and should be asked about even where commands are allowed.
    Dangerous { reason: String },
    /// Neither is known.
    Ordinary,
}

/// What is known about one command. A wrapper is as bad as what it runs.
pub fn classify(command: &Command, place: &Place<'_>) -> Safety {
    let own = classify_itself(command, place);
    let Ok(inner) = unwrap::inner(command) else {
        return worse(own, Safety::Ordinary);
    };
    inner.iter().fold(own, |worst, inner| {
        let safety = match inner {
            unwrap::Inner::Script { text, .. } => match super::parse(text) {
                // The folder is not known to the inner script, so its paths could mean anything.
                Ok(script) if command.folder == Folder::Start => judge(&script, place),
                Ok(script) => worse(judge(&script, place), Safety::Ordinary),
                Err(_) => Safety::Ordinary,
            },
            unwrap::Inner::Words { .. } => match unwrap::filled(command, &[], inner) {
                Some((command, _)) => classify(&command, place),
                None => Safety::Ordinary,
            },
        };
        worse(worst, safety)
    })
}

/// What is known about one command, whatever it runs: for those who judge that as well.
pub fn classify_alone(command: &Command, place: &Place<'_>) -> Safety {
    classify_itself(command, place)
}

/// The worst that is known about any part of a script.
pub fn judge(script: &Script, place: &Place<'_>) -> Safety {
    // What the wrappers run is among the commands, so each is looked at by itself.
    let commands = script
        .commands
        .iter()
        .map(|command| classify_itself(command, place));
    let redirections = script
        .redirections
        .iter()
        .map(|redirection| classify_redirection(redirection, place));
    commands
        .chain(redirections)
        .chain([words::classify(script, place)])
        .reduce(worse)
        .unwrap_or(Safety::Ordinary)
}

fn classify_itself(command: &Command, place: &Place<'_>) -> Safety {
    if let Some(reason) = dangerous::reason(command) {
        return Safety::Dangerous { reason };
    }
    if known::is_safe(command, place) {
        Safety::KnownSafe
    } else {
        Safety::Ordinary
    }
}

/// What is known about the words of a script: its loops, cases, here-documents and assignments included.
pub fn classify_words(script: &Script, place: &Place<'_>) -> Safety {
    words::classify(script, place)
}

/// The options and arguments of a command that a permission has to name to cover them.
pub fn dangers(command: &Command) -> Vec<Danger> {
    dangerous::found(command)
}

/// A word of a command that is only known when it runs and may then be a dangerous option, or anything at all where it
/// is the output of another command.
pub fn hidden_option(command: &Command) -> Option<&str> {
    dangerous::hidden_option(command)
}

pub fn classify_redirection(redirection: &Redirection, place: &Place<'_>) -> Safety {
    let path = match &redirection.target {
        None => return Safety::KnownSafe,
        Some(Word::Dynamic(_)) => return Safety::Ordinary,
        Some(Word::Literal(path)) => path,
    };
    if path.starts_with("/dev/tcp/") || path.starts_with("/dev/udp/") {
        return Safety::Dangerous {
            reason: format!("it opens a connection: {path}"),
        };
    }
    match redirection.direction {
        _ if path == "/dev/null" => Safety::KnownSafe,
        Direction::Out if matches!(path.as_str(), "/dev/stdout" | "/dev/stderr") => {
            Safety::KnownSafe
        }
        Direction::In if paths::is_harmless(path, &redirection.folder, place) => Safety::KnownSafe,
        Direction::Out if path.starts_with("/dev/") => Safety::Dangerous {
            reason: format!("it writes to a device: {path}"),
        },
        Direction::In | Direction::Out => Safety::Ordinary,
    }
}

fn worse(one: Safety, other: Safety) -> Safety {
    let rank = |safety: &Safety| match safety {
        Safety::KnownSafe => 0,
        Safety::Ordinary => 1,
        Safety::Dangerous { .. } => 2,
    };
    if rank(&other) > rank(&one) {
        other
    } else {
        one
    }
}

#[cfg(test)]
mod tests;

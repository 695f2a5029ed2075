//! What a read-only command tried to do and was refused.

use std::fmt;
use std::path::PathBuf;

/// One refused operation of a read-only command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RefusedAccess {
    pub kind: AccessKind,
    /// As the command named it, made absolute. `None` for what has no path, and where it could not
    /// be read.
    pub path: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AccessKind {
    /// Opening a file to write, create or empty it.
    Write,
    CreateFolder,
    CreateLink,
    CreateDevice,
    Remove,
    Rename,
    Truncate,
    ChangeMode,
    ChangeOwner,
    ChangeTimes,
    ChangeAttributes,
    Network,
    /// A signal to a process that the command did not start.
    Signal,
}

const WORDS: &[(AccessKind, &str, &str)] = &[
    (AccessKind::Write, "write", "write"),
    (
        AccessKind::CreateFolder,
        "create-folder",
        "create the folder",
    ),
    (AccessKind::CreateLink, "create-link", "create the link"),
    (
        AccessKind::CreateDevice,
        "create-device",
        "create the special file",
    ),
    (AccessKind::Remove, "remove", "remove"),
    (AccessKind::Rename, "rename", "rename"),
    (AccessKind::Truncate, "truncate", "truncate"),
    (AccessKind::ChangeMode, "change-mode", "change the mode of"),
    (
        AccessKind::ChangeOwner,
        "change-owner",
        "change the owner of",
    ),
    (
        AccessKind::ChangeTimes,
        "change-times",
        "change the times of",
    ),
    (
        AccessKind::ChangeAttributes,
        "change-attributes",
        "change attributes of",
    ),
    (AccessKind::Network, "network", "use the network"),
    (
        AccessKind::Signal,
        "signal",
        "signal a process outside of the command",
    ),
];

impl AccessKind {
    /// The word for it between the guard and its owner.
    #[cfg(unix)]
    pub(crate) fn to_word(self) -> &'static str {
        let known = WORDS.iter().find(|(kind, _, _)| *kind == self);
        known.map_or("", |(_, word, _)| word)
    }

    #[cfg(unix)]
    pub(crate) fn from_word(word: &str) -> Option<AccessKind> {
        let known = WORDS.iter().find(|(_, known, _)| *known == word);
        known.map(|(kind, _, _)| *kind)
    }
}

/// As a verb phrase: "remove /tmp/file".
impl fmt::Display for RefusedAccess {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let known = WORDS.iter().find(|(kind, _, _)| *kind == self.kind);
        let phrase = known.map_or("write", |(_, _, phrase)| phrase);
        match (&self.path, self.kind) {
            (Some(path), _) => write!(f, "{phrase} {}", path.display()),
            (None, AccessKind::Network | AccessKind::Signal) => f.write_str(phrase),
            (None, _) => write!(f, "{phrase} a file"),
        }
    }
}

#[cfg(test)]
mod tests;

//! The lines of the log.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::hash::Hash;
use crate::kept_path;

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(pub u64);

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }
    )*};
}

// All of them are drawn from one counter of the record and are never given out again.
ids! {
    /// One change of one file.
    OpId
    /// Operations that were asked for together, and that one undo takes back.
    GroupId
    CommentId
    RejectedId
}

/// Whose change it is.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Origin {
    pub session: String,
    pub turn: u64,
}

/// Names a text whatever it is called on a screen.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum FileKey {
    File(#[serde(with = "kept_path")] PathBuf),
    /// A document that is no file.
    Virtual(String),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum What {
    Edit,
    Create,
    Delete,
    Rename,
    /// A command has changed the file; the record only learns of it.
    Shell,
    Keep,
    Reject,
    /// A conflict was ended.
    Settle,
    /// A rejected hunk was applied after all.
    Reapply,
    Undo,
    Redo,
}

impl What {
    /// Done by the agent, in a turn.
    pub fn is_change(self) -> bool {
        match self {
            Self::Edit | Self::Create | Self::Delete | Self::Rename | Self::Shell => true,
            Self::Keep | Self::Reject | Self::Settle | Self::Reapply => false,
            Self::Undo | Self::Redo => false,
        }
    }

    /// Done by a person, who can take it back.
    pub fn is_decision(self) -> bool {
        match self {
            Self::Keep | Self::Reject | Self::Settle | Self::Reapply => true,
            Self::Edit | Self::Create | Self::Delete | Self::Rename | Self::Shell => false,
            Self::Undo | Self::Redo => false,
        }
    }
}

/// What an undo or a redo is about.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Target {
    Decision(GroupId),
    Turn(Origin),
    /// The turn and everything that its session did after it.
    Since(Origin),
}

/// The texts of one file. None means that there is no such file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Texts {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base: Option<Hash>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub current: Option<Hash>,
    /// What the agent wanted. Left out where that is the current text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<Hash>,
}

impl Texts {
    /// Whether a person has something to decide.
    pub fn is_pending(&self) -> bool {
        self.base != self.current || (self.agent.is_some() && self.agent != self.current)
    }

    pub(crate) fn hashes(&self) -> impl Iterator<Item = Hash> {
        [self.base, self.current, self.agent].into_iter().flatten()
    }
}

/// An operation as it is handed in.
#[derive(Clone, Debug, PartialEq)]
pub struct Draft {
    pub key: FileKey,
    /// Relative to the workspace, for people.
    pub path: PathBuf,
    pub what: What,
    pub origin: Option<Origin>,
    /// For an undo and a redo.
    pub target: Option<Target>,
    pub before: Texts,
    pub after: Texts,
    /// Whatever else is to be found again with the pending review. The record does not look into it.
    pub detail: Value,
    /// For people: "keep a hunk of src/a.rs".
    pub words: String,
}

/// An operation as it is recorded, before the file is touched.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Operation {
    pub id: OpId,
    pub group: GroupId,
    /// Milliseconds since 1970.
    pub at: u64,
    pub key: FileKey,
    #[serde(with = "kept_path")]
    pub path: PathBuf,
    pub what: What,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<Origin>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target: Option<Target>,
    pub before: Texts,
    pub after: Texts,
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub detail: Value,
    pub words: String,
}

impl Operation {
    pub fn time(&self) -> SystemTime {
        UNIX_EPOCH + Duration::from_millis(self.at)
    }

    pub(crate) fn hashes(&self) -> impl Iterator<Item = Hash> {
        self.before.hashes().chain(self.after.hashes())
    }
}

/// The pending review of a file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FileState {
    pub key: FileKey,
    #[serde(with = "kept_path")]
    pub path: PathBuf,
    pub texts: Texts,
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub detail: Value,
}

/// What a person wrote beside a line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Comment {
    pub id: CommentId,
    pub key: FileKey,
    pub line: usize,
    pub text: String,
}

/// A hunk that was turned down and can still be applied.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rejected {
    pub id: RejectedId,
    pub key: FileKey,
    #[serde(with = "kept_path")]
    pub path: PathBuf,
    /// Where it stood, counted from 0.
    pub line: usize,
    pub removed: HunkText,
    pub added: HunkText,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<Origin>,
}

/// Lines that a hunk took away or brought.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum HunkText {
    /// In the line of the log. A file for each of ten thousand short hunks is more than a disk takes in its stride.
    Here {
        text: String,
    },
    Apart(Hash),
}

impl Rejected {
    pub(crate) fn hashes(&self) -> impl Iterator<Item = Hash> {
        let texts = [&self.removed, &self.added].into_iter();
        texts.filter_map(|text| match text {
            HunkText::Here { .. } => None,
            HunkText::Apart(hash) => Some(*hash),
        })
    }
}

/// One line.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(
    tag = "entry",
    rename_all = "camelCase",
    rename_all_fields = "camelCase"
)]
pub(crate) enum Entry {
    /// The first line.
    Started {
        version: u32,
        #[serde(with = "kept_path")]
        root: PathBuf,
        /// Ids below were given out before the log was made shorter.
        next: u64,
        /// Turns of which not everything is known any more.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        forgotten: Vec<Origin>,
    },
    Intended(Arc<Operation>),
    Done {
        op: OpId,
    },
    Abandoned {
        op: OpId,
    },
    FileState(FileState),
    /// Nothing of the file is pending any more.
    Settled {
        key: FileKey,
    },
    Commented(Comment),
    CommentRemoved {
        id: CommentId,
    },
    Rejected(Rejected),
    RejectedRemoved {
        id: RejectedId,
    },
    /// Which decisions can be taken back or made again, in the order in which they were done. That may hang on some that are
    /// forgotten since.
    Standing {
        undoable: Vec<GroupId>,
        undone: Vec<GroupId>,
    },
    /// The texts of this operation and of all before it that nothing else needs are no longer kept.
    Forgotten {
        through: OpId,
    },
}

pub(crate) const VERSION: u32 = 1;

pub(crate) fn millis(time: SystemTime) -> u64 {
    let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}

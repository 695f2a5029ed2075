//! What only an editor can find out, because it has the language servers of the languages.
//!
//! The room passes a question on to one door and the answer back. It waits for neither: who asks holds the other end, and
//! gives up when it likes.

use std::collections::BTreeMap;
use std::path::PathBuf;

use pollux_text::{Edit, Position, Range};
use tokio::sync::oneshot;

use crate::{DocumentKey, DoorId};

/// At the same time, of one room. An editor that does not answer must not be asked for ever.
const MOST_OPEN: usize = 64;

/// Names a question for as long as its room lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct QueryId(pub u64);

/// What an editor may offer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum QueryKind {
    Definition,
    References,
    Rename,
}

/// A question about a place in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EditorQuery {
    pub file: PathBuf,
    /// As the editor counts that is asked.
    pub at: Position,
    pub wanted: Wanted,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Wanted {
    Definition,
    References,
    /// What would have to be edited. The editor edits nothing.
    Rename {
        new_name: String,
    },
}

impl Wanted {
    pub fn kind(&self) -> QueryKind {
        match self {
            Self::Definition => QueryKind::Definition,
            Self::References => QueryKind::References,
            Self::Rename { .. } => QueryKind::Rename,
        }
    }
}

/// What an editor says. Places are counted as it counts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EditorAnswer {
    Places(Vec<FoundPlace>),
    Edits(Vec<FileEdits>),
    /// It cannot, with words for whoever asks.
    Refused(String),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundPlace {
    pub key: DocumentKey,
    pub range: Range,
}

/// All edits of one file. They count in the same text, and none overlaps another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileEdits {
    pub key: DocumentKey,
    /// The text that they are for; nothing where the editor has not opened the file.
    pub version: Option<i32>,
    pub edits: Vec<Edit>,
}

/// The questions of a room that nobody has answered yet.
#[derive(Default)]
pub(crate) struct Queries {
    last: u64,
    open: BTreeMap<QueryId, OpenQuery>,
}

struct OpenQuery {
    door: DoorId,
    reply: oneshot::Sender<EditorAnswer>,
}

impl Queries {
    /// Nothing when too many are open; who asks then sees its channel close.
    pub(crate) fn begin(
        &mut self,
        door: DoorId,
        reply: oneshot::Sender<EditorAnswer>,
    ) -> Option<QueryId> {
        self.open.retain(|_, query| !query.reply.is_closed());
        if self.open.len() >= MOST_OPEN {
            return None;
        }
        self.last += 1;
        let id = QueryId(self.last);
        self.open.insert(id, OpenQuery { door, reply });
        Some(id)
    }

    /// Only the door that was asked may answer.
    pub(crate) fn answered(&mut self, door: DoorId, id: QueryId, answer: EditorAnswer) {
        if self.open.get(&id).is_none_or(|query| query.door != door) {
            return;
        }
        if let Some(query) = self.open.remove(&id) {
            // Whoever asked has given up.
            let _gone = query.reply.send(answer);
        }
    }

    /// Another room has become part of this one. Nobody answers what was asked there; a late answer must not be taken for
    /// one to a question of ours.
    pub(crate) fn join(&mut self, other: &Self) {
        self.last = self.last.max(other.last);
    }

    pub(crate) fn door_left(&mut self, door: DoorId) {
        self.open.retain(|_, query| query.door != door);
    }
}

#[cfg(test)]
mod tests;

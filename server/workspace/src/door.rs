//! Doors: the editors and terminals that look into a room, and what the room says to them.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use pollux_text::{Edit, PositionEncoding};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use crate::{CompanionAddress, CompanionWish, EditorQuery, QueryId, QueryKind};

/// Names a door for as long as the host lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DoorId(u64);

impl DoorId {
    pub const fn new(number: u64) -> Self {
        Self(number)
    }
}

impl fmt::Display for DoorId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "door {}", self.0)
    }
}

/// Where a door was started, and with which environment.
///
/// The host serves doors of many terminals and editors. What one of them sees in its environment
/// must not depend on which of them happened to start the host.
#[derive(Clone, Default)]
pub struct DoorContext {
    pub folder: PathBuf,
    pub environment: Arc<BTreeMap<String, String>>,
}

/// The environment holds keys and tokens: it stays out of logs.
impl fmt::Debug for DoorContext {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DoorContext")
            .field("folder", &self.folder)
            .finish_non_exhaustive()
    }
}

/// A door as the room knows it.
#[derive(Debug)]
pub struct Door {
    pub id: DoorId,
    pub context: DoorContext,
    pub encoding: PositionEncoding,
    /// What its editor calls itself, for people.
    pub editor: Option<Arc<str>>,
    pub companion: CompanionWish,
    /// What its editor can be asked about code.
    pub queries: BTreeSet<QueryKind>,
    pub outbox: Outbox,
}

/// What the room has to say to one door. The door's own task puts it in its protocol's words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outbound {
    /// The texts of these files no longer match the editor's: ask for all of them. One message,
    /// however many files are open, so that asking cannot fill the outbox.
    Resync { uris: Vec<String> },
    /// Something the person should know.
    Message { severity: Severity, text: String },
    /// Change the text of an open file, if it still has this version. Whatever comes of it is answered with
    /// [`Input::EditAnswered`](crate::Input::EditAnswered).
    ApplyEdit {
        op: EditId,
        uri: String,
        version: i32,
        /// As this door's editor counts. The last of the text comes first, so that each range means the same before and
        /// after the others are made.
        edits: Vec<Edit>,
        /// What the edit does, in a few words for the editor's undo list.
        label: String,
    },
    /// Agents outside find the room here, or not any more.
    Companion(Option<CompanionAddress>),
    /// These were saved before the agent changed them: save them again.
    Save { uris: Vec<String> },
    /// Ask the editor about code. Answered with [`Input::QueryAnswered`](crate::Input::QueryAnswered), or not at all.
    Query {
        id: QueryId,
        /// The file as this editor names it, if it has it open.
        uri: Option<String>,
        query: EditorQuery,
    },
}

/// Names an edit that a door was asked to make.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EditId(pub u64);

/// What an editor said to an edit. What its text became is another question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EditOutcome {
    Accepted,
    Refused,
    /// Not in time, or not at all.
    NoAnswer,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Severity {
    Error,
    Warning,
    Information,
}

/// The room's end of a door: bounded, and never waited for.
#[derive(Clone, Debug)]
pub struct Outbox {
    sender: mpsc::Sender<Outbound>,
    stalled: CancellationToken,
}

impl Outbox {
    /// `stalled` is cancelled when the door has stopped reading, so that its connection ends
    /// instead of a queue growing.
    pub fn new(capacity: usize, stalled: CancellationToken) -> (Self, mpsc::Receiver<Outbound>) {
        let (sender, receiver) = mpsc::channel(capacity);
        (Self { sender, stalled }, receiver)
    }

    pub(crate) fn send(&self, message: Outbound) {
        match self.sender.try_send(message) {
            Ok(()) => {}
            Err(mpsc::error::TrySendError::Full(_)) => self.stalled.cancel(),
            // The door has left; its leaving is already on its way to the room.
            Err(mpsc::error::TrySendError::Closed(_)) => {}
        }
    }
}

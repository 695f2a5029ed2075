//! The record of a folder's reviews, written by a thread of its own.
//!
//! The room hands over what it does and goes on with something else. An operation that touches a file waits for the word that it
//! is written down.

mod damage;
mod late;
mod records;
mod recovery;
mod whose;
mod writer;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{Sender, channel};

use pollux_ledger::{CommentId, Target, What};
use tracing::warn;

use super::file::State;
use super::hands::Hands;
use super::rejected::RecordedAs;
use super::tally::ByTurn;
use crate::{DocumentKey, EditId, Origin, RejectedHunk};

pub(crate) use records::{NotRecorded, Records};
pub(super) use whose::Whose;

pub(super) use recovery::{Recorded, Recovered, RecoveredComment, RecoveredHunk, RecoveredState};

/// The way to the thread. It ends when the last of these is gone and all is written.
#[derive(Clone, Debug)]
pub(super) struct Recorder(Sender<Job>);

/// Something to write down.
#[derive(Clone, Debug)]
pub(super) enum Job {
    Intend(Box<Intent>),
    Done {
        id: EditId,
        now: Option<Held>,
    },
    Abandoned(EditId),
    /// A file is like this, whatever was done to it.
    Held(Box<Held>),
    Settled(DocumentKey),
    Rejected(RejectedHunk),
    RejectedGone(RecordedAs),
    Comment {
        key: DocumentKey,
        line: usize,
        text: Arc<str>,
        /// What the room calls it.
        id: crate::CommentId,
    },
    /// Where comments stand in the text that the record has of their file.
    CommentsMoved(Vec<(crate::CommentId, usize)>),
    CommentsGone(Vec<crate::CommentId>),
    /// People know of a damage.
    DamageTold,
}

/// An operation that is about to happen.
#[derive(Clone, Debug)]
pub(super) struct Intent {
    pub(super) id: EditId,
    pub(super) key: DocumentKey,
    pub(super) path: PathBuf,
    pub(super) what: What,
    pub(super) origin: Option<Origin>,
    pub(super) target: Option<Target>,
    pub(super) step: u64,
    pub(super) words: Arc<str>,
    /// What the file was called before, where that is all that happens.
    pub(super) renamed_from: Option<PathBuf>,
    /// What it decides.
    pub(super) decides: ByTurn,
    pub(super) whose_before: Whose,
    pub(super) whose_after: Whose,
    pub(super) before: State,
    pub(super) after: State,
}

/// A file as it was left, where that is not what was intended.
#[derive(Clone, Debug)]
pub(super) struct Held {
    pub(super) key: DocumentKey,
    pub(super) path: PathBuf,
    pub(super) origin: Option<Origin>,
    pub(super) whose: Whose,
    pub(super) state: State,
}

impl Recorder {
    /// Opens the record of a folder. What it holds comes back through the inbox, and so does the word that there is none.
    pub(super) fn start(hands: &Hands<'_>, records: &Records, root: &Path) -> Self {
        let (sender, jobs) = channel();
        if let Some(inbox) = hands.inbox.upgrade() {
            let writer = writer::Writer {
                records: records.clone(),
                root: root.to_owned(),
                disk: Arc::clone(hands.disk),
                inbox: inbox.downgrade(),
            };
            let thread = std::thread::Builder::new().name("pollux-reviews".to_owned());
            if let Err(error) = thread.spawn(move || writer.run(&jobs)) {
                warn!(%error, "reviews are not recorded");
            }
        }
        Self(sender)
    }

    /// Whether somebody is there to write it down.
    pub(super) fn send(&self, job: Job) -> bool {
        self.0.send(job).is_ok()
    }
}

/// The record's names for what the room has its own for.
pub(super) fn recorded_key(key: &DocumentKey) -> pollux_ledger::FileKey {
    match key {
        DocumentKey::File(path) => pollux_ledger::FileKey::File(path.clone()),
        DocumentKey::Virtual(uri) => pollux_ledger::FileKey::Virtual(uri.clone()),
    }
}

fn room_key(key: &pollux_ledger::FileKey) -> DocumentKey {
    match key {
        pollux_ledger::FileKey::File(path) => DocumentKey::File(path.clone()),
        pollux_ledger::FileKey::Virtual(uri) => DocumentKey::Virtual(uri.clone()),
    }
}

pub(super) fn recorded_origin(origin: &Origin) -> pollux_ledger::Origin {
    pollux_ledger::Origin {
        session: origin.session.as_str().to_owned(),
        turn: origin.turn.0,
    }
}

fn room_origin(origin: &pollux_ledger::Origin) -> Origin {
    Origin {
        session: origin.session.as_str().into(),
        turn: pollux_agent::api::TurnId(origin.turn),
    }
}

/// What the record calls things that the room has its own names for.
#[derive(Debug, Default)]
struct Names {
    comments: BTreeMap<crate::CommentId, CommentId>,
    rejected: BTreeMap<crate::RejectedId, pollux_ledger::RejectedId>,
}

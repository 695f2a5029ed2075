//! What can happen to a room. Everything that does comes through one queue, in order.

use std::path::PathBuf;
use std::sync::Arc;

use pollux_agent::api::{Decision, HunkCounts, ProposalId};
use pollux_agent::prompt::HunkDecision;
use pollux_text::{Edit, Range};
use tokio::sync::{OwnedSemaphorePermit, mpsc, oneshot, watch};

use crate::reviews::ReviewWork;
use crate::room::RoomState;
use crate::{
    AgentEdit, BaseText, CommandDone, CompanionAddress, Configuration, DocumentKey, Door, DoorId,
    EditId, EditOutcome, EditorAnswer, EditorQuery, EditorUpdate, OpenQuestion, Origin, QueryId,
    ReviewCommand, ReviewError, Revision, SessionId, Snapshot, TurnFile,
};

/// The way into a room. Posting never waits and keeps the order of what one sender posts.
///
/// What bounds it are places: a door owns a fixed number of them, takes a message off the wire
/// only when one is free, and gets it back once the room has handled the message. So a door that
/// floods the room slows down itself and nobody else.
#[derive(Clone, Debug)]
pub struct Inbox {
    sender: mpsc::UnboundedSender<Posted>,
}

/// A message, and the place it takes up until it is handled.
#[derive(Debug)]
pub(crate) struct Posted {
    pub(crate) input: Input,
    pub(crate) place: Option<OwnedSemaphorePermit>,
}

impl Inbox {
    pub(crate) fn new() -> (Self, mpsc::UnboundedReceiver<Posted>) {
        let (sender, receiver) = mpsc::unbounded_channel();
        (Self { sender }, receiver)
    }

    /// Posts a message of the host itself, which are few.
    pub fn post(&self, input: Input) {
        self.forward(Posted { input, place: None });
    }

    /// Posts a message that came off a door's wire.
    pub fn post_in(&self, place: OwnedSemaphorePermit, input: Input) {
        self.forward(Posted {
            input,
            place: Some(place),
        });
    }

    pub(crate) fn forward(&self, posted: Posted) {
        // A room that has ended has nobody in it who could miss this.
        let _ended = self.sender.send(posted);
    }

    pub fn downgrade(&self) -> WeakInbox {
        WeakInbox(self.sender.downgrade())
    }
}

/// An inbox that does not keep its room alive.
#[derive(Clone, Debug)]
pub struct WeakInbox(mpsc::WeakUnboundedSender<Posted>);

impl WeakInbox {
    pub fn upgrade(&self) -> Option<Inbox> {
        let sender = self.0.upgrade()?;
        Some(Inbox { sender })
    }
}

#[derive(Debug)]
pub enum Input {
    DoorEntered(Door),
    DoorLeft(DoorId),
    /// The workspace folders are these now.
    RootsChanged(Arc<[PathBuf]>),
    Opened {
        door: DoorId,
        key: DocumentKey,
        uri: String,
        language: String,
        version: i32,
        text: String,
    },
    Changed {
        door: DoorId,
        key: DocumentKey,
        version: i32,
        edits: Vec<Edit>,
    },
    /// The file was written; `text` is what was written, where the editor tells.
    Saved {
        door: DoorId,
        key: DocumentKey,
        text: Option<String>,
    },
    Closed {
        door: DoorId,
        key: DocumentKey,
    },
    EditorChanged {
        door: DoorId,
        update: EditorUpdate,
    },
    /// An editor asks about a place, which it does where its cursor is.
    AskedAbout {
        door: DoorId,
        key: DocumentKey,
        uri: String,
        range: Range,
    },
    /// Messages of this door were lost on the way; its texts can no longer be relied on.
    MessagesLost(DoorId),
    /// Files the room watches changed on disk.
    WatchedFilesChanged(DoorId),
    /// A door's editor has answered [`Outbound::ApplyEdit`](crate::Outbound::ApplyEdit).
    EditAnswered {
        door: DoorId,
        op: EditId,
        outcome: EditOutcome,
    },
    /// A person has given files or folders other names: the old one, then the new one.
    FilesRenamed(Vec<(PathBuf, PathBuf)>),
    /// These files changed on disk, whoever changed them.
    FilesChanged(Vec<PathBuf>),
    /// A person decides something about what the agent has changed.
    Review {
        command: ReviewCommand,
        reply: oneshot::Sender<Result<CommandDone, ReviewError>>,
    },
    /// Asks for a word once nothing is under way to a file.
    Rest(oneshot::Sender<()>),
    /// Asks to be woken when the reviews move. The number counts their moves; what they are then is in a snapshot. When the
    /// channel closes, the room has become part of another one, and is asked anew.
    FollowReviews(oneshot::Sender<watch::Receiver<u64>>),
    /// The questions of the room's sessions that nobody has answered yet.
    Asked(Vec<OpenQuestion>),
    /// Asks what people have decided about a session's edits since this was last asked.
    TakeDecisions {
        session: SessionId,
        reply: oneshot::Sender<Vec<HunkDecision>>,
    },
    /// A session wants to hear what is decided about its hunks, for as long as it listens.
    ListenToDecisions {
        session: SessionId,
        listener: mpsc::UnboundedSender<HunkCounts>,
    },
    /// Asks for the text below all pending hunks of a file. Nothing when none was ever pending there.
    BaseText {
        key: DocumentKey,
        reply: oneshot::Sender<Option<BaseText>>,
    },
    /// Asks which files a turn has changed.
    TurnFiles {
        turn: Origin,
        reply: oneshot::Sender<Vec<TurnFile>>,
    },
    /// Asks what has been decided about the hunks of a proposed edit. Nothing when it is not open.
    DecisionsSoFar {
        session: SessionId,
        proposal: ProposalId,
        reply: oneshot::Sender<Option<Vec<Option<Decision>>>>,
    },
    /// Agents outside find the room here.
    CompanionMoved(CompanionAddress),
    /// They do not find it there any more.
    CompanionEnded {
        port: u16,
    },
    /// Asks an editor about code. The channel closes when nobody will answer.
    AskEditor {
        door: DoorId,
        query: EditorQuery,
        reply: oneshot::Sender<EditorAnswer>,
    },
    /// A door's editor has answered [`Outbound::Query`](crate::Outbound::Query).
    QueryAnswered {
        door: DoorId,
        query: QueryId,
        answer: EditorAnswer,
    },
    /// A tool edits a file.
    AgentEdit(Box<AgentEdit>),
    /// Something that the reviews had begun elsewhere is over.
    ReviewWork(ReviewWork),
    /// The settings were read.
    Configured(Configuration),
    /// Asks for a snapshot, now or once the room has gone beyond `after`.
    Snapshot {
        after: Option<Revision>,
        reply: oneshot::Sender<Arc<Snapshot>>,
    },
    /// Asks for a snapshot once it is known what earlier days have left to review.
    ReviewSnapshot(oneshot::Sender<Arc<Snapshot>>),
    /// Two rooms turned out to be one workspace: move everything there, and pass on what follows.
    MoveTo(Inbox),
    /// The other half of such a move.
    Absorb(Box<RoomState>),
}

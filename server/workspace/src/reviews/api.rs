//! What the reviews of a room show, and what can be asked of them.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;

use pollux_agent::api::TurnId;

use crate::{DocumentKey, SessionId};

/// Everything that is pending in a room. A reader compares the `Arc`s of two views to see which files moved.
#[derive(Clone, Debug, Default)]
pub struct Reviews {
    pub files: BTreeMap<DocumentKey, Arc<FileReview>>,
    /// Hunks that were rejected and can still be applied, the newest last.
    pub rejected: Arc<[RejectedHunk]>,
    /// Comments that the agent has answered, the newest last.
    pub answered: Arc<[AnsweredComment]>,
    /// What an undo would take back, in words: "keep a hunk of src/a.rs".
    pub undo: Option<Arc<str>>,
    pub redo: Option<Arc<str>>,
}

/// The pending hunks of one file.
#[derive(Clone, Debug)]
pub struct FileReview {
    /// Relative to the workspace folder, for people.
    pub path: PathBuf,
    pub kind: FileKind,
    /// Moves when the hunks do, not when they are merely shifted by text above them.
    pub revision: u64,
    /// In the order of the file.
    pub hunks: Vec<ShownHunk>,
    /// What is still to be sent, beside lines of which no hunk is left.
    pub comments: Vec<Comment>,
}

/// What the pending changes do to the file as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileKind {
    Changed,
    Created,
    Deleted,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShownHunk {
    pub state: HunkState,
    /// Lines of the text as it is now, half-open, counted from 0.
    pub lines: Range<usize>,
    pub removed: Arc<str>,
    pub added: Arc<str>,
    pub origin: Option<Origin>,
    pub comments: Vec<Comment>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HunkState {
    /// In the text already: `added` stands where `removed` stood.
    Pending,
    /// As above, and a person has changed it by hand since.
    Edited,
    /// Not in the text yet: a tool waits for the decision.
    Proposed,
    /// Both sides changed these lines: `removed` is what the person has, `added` what the agent wants.
    Conflict,
}

/// Whose change it is.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Origin {
    pub session: SessionId,
    pub turn: TurnId,
}

/// A hunk by its revision and index. Refused when the review has moved on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HunkName {
    pub revision: u64,
    pub index: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct CommentId(pub u64);

/// What a person wrote beside a line, for the model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Comment {
    pub id: CommentId,
    /// Of the text as it is now, counted from 0.
    pub line: usize,
    pub text: Arc<str>,
    pub sent: CommentSent,
}

/// Whether the model was told of a comment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CommentSent {
    NotYet,
    Yes,
}

/// A comment that the agent has answered by changing its lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AnsweredComment {
    pub comment: Comment,
    pub key: DocumentKey,
    pub by: Origin,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct RejectedId(pub u64);

/// A hunk that was turned down. It stays viewable and can be applied again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RejectedHunk {
    pub id: RejectedId,
    pub key: DocumentKey,
    pub path: PathBuf,
    /// Where it stood when it was rejected, counted from 0.
    pub line: usize,
    pub removed: Arc<str>,
    pub added: Arc<str>,
}

/// Which hunks a decision is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Scope {
    Hunk { key: DocumentKey, name: HunkName },
    File(DocumentKey),
    Turn(Origin),
    Everything,
}

/// How a conflict ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    Mine,
    Theirs,
}

/// What a person asks of the reviews.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReviewCommand {
    Keep(Scope),
    Reject(Scope),
    Settle {
        key: DocumentKey,
        name: HunkName,
        side: Side,
    },
    /// Take back the last decision, or make it again.
    Undo,
    Redo,
    /// Take back everything a turn did to files, by merge; or do it again.
    UndoTurn(Origin),
    RedoTurn(Origin),
    /// The newest turn that still stands.
    UndoLastTurn,
    /// Take back everything from this turn on.
    RewindTo(Origin),
    Reapply(RejectedId),
    AddComment {
        key: DocumentKey,
        line: usize,
        text: String,
    },
    RemoveComment(CommentId),
    /// Hands out all comments, as one message for the model, and marks them as sent.
    TakeComments,
}

/// A command was carried out, or is on its way to an editor.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CommandDone {
    /// One sentence for the person.
    pub message: String,
    /// For [`ReviewCommand::TakeComments`]: the message for the model.
    pub comments: Option<String>,
}

/// A place in a file, for going to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    pub key: DocumentKey,
    pub line: usize,
}

/// Why a command was not carried out. Nothing has changed then.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReviewError {
    #[error("the hunks have changed meanwhile; look at them again")]
    Stale,
    #[error("nothing is pending there")]
    NothingPending,
    #[error("there is nothing to undo")]
    NothingToUndo,
    #[error("there is nothing to redo")]
    NothingToRedo,
    #[error("that is too long ago: it is not known any more what all of it was")]
    Forgotten,
    #[error("that hunk is no longer there to apply")]
    NoSuchRejected,
    #[error("there is no such comment")]
    NoSuchComment,
    #[error("there are no comments to send")]
    NoComments,
    #[error("you and the agent changed the same lines: keep yours, or take the agent's")]
    Unsettled,
    /// `busy` if another process has the record.
    #[error("the record of reviews cannot be used: {reason}")]
    NotRecorded { reason: String, busy: bool },
    #[error("{path}: {reason}")]
    File { path: String, reason: String },
}

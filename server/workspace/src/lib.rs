//! The room: one workspace, and everything its editors and agents share.
//!
//! One task per room writes; everyone else reads an `Arc` of a [`Snapshot`]. Nothing here knows a
//! protocol, and nothing here waits for a model, a person or a client, except
//! whoever has sent somebody on an errand.

mod client_files;
mod companion;
mod configuration;
mod document;
mod door;
mod editor;
mod errands;
mod feed;
mod inbox;
mod mentions;
mod queries;
mod questions;
mod reviews;
mod room;
mod rooms;
mod sessions;
mod snapshot;

pub use client_files::{
    Answering, ClientFailure, ClientFiles, ClientFolder, FileClient, FileClientLease, FileClients,
    FileOffer, Patience,
};
pub use companion::{CompanionAddress, CompanionWish};
pub use configuration::{Configuration, ConfigurationSource, Trust};
pub use document::{Document, DocumentKey, SyncState, View};
pub use door::{Door, DoorContext, DoorId, EditId, EditOutcome, Outbound, Outbox, Severity};
pub use editor::{ActiveFile, Attention, DiagnosticCounts, EditorState, EditorUpdate, RecentFile};
pub use errands::{Attendance, Deed, Done, Errand, Errands};
pub use feed::{Batch, Cursor, Feed};
pub use inbox::{Inbox, Input, WeakInbox};
pub use mentions::{Mention, MentionKind, MentionQuery};
pub use queries::{EditorAnswer, EditorQuery, FileEdits, FoundPlace, QueryId, QueryKind, Wanted};
pub use questions::{Asked, Asker, GuestQuestion, OpenQuestion};
pub use reviews::{
    AgentChange, AgentEdit, AnsweredComment, BaseText, CommandDone, Comment, CommentId,
    CommentSent, Delivery, Disk, FileKind, FileReview, HunkName, HunkState, Location, Origin,
    Place, RejectedHunk, RejectedId, Replaced, ReviewCommand, ReviewError, ReviewWork, Reviews,
    Scope, ShownHunk, Side, TurnFile,
};
pub use rooms::{Lease, OpenRoom, RoomDoor, RoomId, RoomReport, Rooms};
pub use sessions::{
    Adjustable, Follower, InUse, LiveSession, MOST_IDLE, ModelLine, ModelList, OpenedSession,
    SessionEnd, SessionError, SessionId, SessionRequest, SessionSource, SessionSummary,
    SessionWishes, Sessions, Which, WithoutKey,
};
pub use snapshot::{Revision, Snapshot};

/// For whoever looks for what is wrong.
pub use pollux_ledger::damaged_files as damaged_review_files;

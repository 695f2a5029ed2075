//! Recorded sessions, in the files the twin reads and writes too.
//!
//! # Layout
//!
//! [`project_for`] finds the folder that belongs to a workspace. [`Recorder`] appends to a session's file
//! as the session happens; [`read_session`] reads one back, and [`history_of`] makes of it what a model is
//! sent. [`list_sessions`], [`resume_session`], [`delete_session`] and [`cleanup`] are what people do with
//! sessions, and [`PromptLog`] is what they typed. [`Underway`] is what a session is in the middle of.
//!
//! # Invariants
//!
//! - A session's file only grows. A record is one write, so a killed process loses at most that one.
//! - What a newer twin wrote and this code does not know is kept when a record is written again.
//! - A file that cannot be read is kept aside, never overwritten.
//! - Nothing outside the project's folder is removed, and no link is followed.
//! - The clock and the source of ids are arguments. Nothing here is async, prints, logs or panics.

mod error;
mod id;
mod time;

mod project;
mod registry;

mod conversation;
mod read;
mod record;

mod append;
mod part;
mod recorder;
mod text;

mod history;

mod delete;
mod index;
mod list;
mod prompt_log;
mod resume;
mod retention;
mod underway;

#[cfg(test)]
mod testing;

pub use conversation::Conversation;
pub use delete::{Deleted, delete_session};
pub use error::SessionError;
pub use history::{history_of, messages_of};
pub use id::{IdSource, MessageId, RandomIds, SessionId};
pub use index::SessionIndex;
pub use list::{
    LeftOut, LeftOutReason, Listing, SessionInfo, Standing, list_sessions, session_list_text,
};
pub use part::{part_from_json, part_to_json};
pub use project::Project;
pub use prompt_log::{LoggedPrompt, PromptLog};
pub use read::{read_session, read_stream};
pub use record::{
    CallStatus, Line, Message, MessageKind, Metadata, RecordedContent, RecordedThought,
    SessionKind, Tokens, ToolCall,
};
pub use recorder::{Answer, NewSession, NoteKind, Place, Prompt, Receipt, Recorded, Recorder};
pub use registry::{project_for, registered_folders};
pub use resume::{Resumed, SessionRef, find_session, resume_session};
pub use retention::{
    Cleanup, CleanupMode, RemovalReason, Removed, Retention, RetentionOff, cleanup, parse_duration,
};
pub use time::{TimeStyle, iso, relative_time};
pub use underway::{HalfTurn, Left, Underway, Unrecorded, is_underway, unrecorded_prompts};

//! The records of a session's file, as the twin writes them.
//!
//! Nothing that a newer twin adds is lost when a record is written again: a field that is unknown, or whose
//! value has an unexpected shape, is kept under `other`.

mod content;
mod fields;
mod line;
mod message;
mod metadata;
mod tool_call;

pub use content::RecordedContent;
pub use line::Line;
pub use message::{Message, MessageKind, RecordedThought, Tokens};
pub use metadata::{Metadata, SessionKind};
pub use tool_call::{CallStatus, ToolCall};

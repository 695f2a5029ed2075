mod append;
mod conversation;
mod error;
mod history;
mod id;
mod list;
mod part;
mod project;
mod read;
mod record;
mod recorder;
mod registry;
mod resume;
#[cfg(test)]
mod testing;
mod text;
mod time;
pub use conversation::Conversation;
pub use error::SessionError;
pub use history::{history_of, messages_of};
pub use id::{IdSource, MessageId, RandomIds, SessionId};
pub use list::{
    LeftOut, LeftOutReason, Listing, SessionInfo, Standing, list_sessions, session_list_text,
};
pub use project::Project;
pub use read::{read_session, read_stream};
pub use record::{
    CallStatus, Line, Message, MessageKind, Metadata, RecordedContent, RecordedThought,
    SessionKind, Tokens, ToolCall,
};
pub use recorder::{Answer, NewSession, NoteKind, Place, Prompt, Receipt, Recorded, Recorder};
pub use registry::project_for;
pub use resume::{Resumed, SessionRef, find_session, resume_session};
pub use time::{TimeStyle, relative_time};

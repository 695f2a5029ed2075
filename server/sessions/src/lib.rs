mod append;
mod conversation;
mod error;
mod id;
mod part;
mod project;
mod read;
mod record;
mod recorder;
mod registry;
#[cfg(test)]
mod testing;
mod text;
mod time;
pub use conversation::Conversation;
pub use error::SessionError;
pub use id::{IdSource, MessageId, RandomIds, SessionId};
pub use project::Project;
pub use read::{read_session, read_stream};
pub use record::{
    CallStatus, Line, Message, MessageKind, Metadata, RecordedContent, RecordedThought,
    SessionKind, Tokens, ToolCall,
};
pub use recorder::{Answer, NewSession, NoteKind, Place, Prompt, Receipt, Recorded, Recorder};
pub use registry::project_for;
pub use time::{TimeStyle, relative_time};

//! Everything that is put in front of a model, as functions over data.
//!
//! Owns the session context, the system prompt, memory files, the editor's context and `@` references. Reads
//! files through [`Reading`] alone, knows no clock and no environment, and gives every text a hard size cap.

mod cap;
mod folder_tree;
mod reading;
mod session_context;

#[cfg(test)]
pub(crate) mod testing;

pub use folder_tree::{MAX_TREE_BYTES, MAX_TREE_ITEMS, folder_tree};
pub use reading::{
    Entry, EntryKind, FileHead, FileIdentity, FileKind, Found, IgnoreRule, ReadError, Reading,
    Visibility,
};
pub use session_context::{CalendarDate, MAX_INSTRUCTIONS_BYTES, ServerInstructions, SessionFacts};

//! The `pollux/*` payloads: everything that crosses the wire and is not in the language server
//! protocol itself.
//!
//! They live here and nowhere else. `cargo xtask codegen` writes them out as JSON Schema, as
//! TypeScript and as the reference part of `docs/protocol.md`, so a client cannot disagree with
//! the server about a field. The types are wire shapes only; the room has its own.

mod catalogue;
mod document;
mod editor_state;
mod place;
mod resync;
mod snapshot;

pub use catalogue::{Catalogue, Direction, Kind, Method, catalogue};
pub use document::{DocumentParams, DocumentResult, Sync};
pub use editor_state::{ActiveFile, DiagnosticCounts, EditorStateParams};
pub use place::{Position, Range};
pub use resync::ResyncParams;
pub use snapshot::{DocumentSummary, RoomSummary, SnapshotParams, SnapshotResult};

/// Names of the methods, as they stand on the wire.
pub mod method {
    pub const DOCUMENT: &str = "pollux/document";
    pub const EDITOR_STATE: &str = "pollux/editorState";
    pub const RESYNC: &str = "pollux/resync";
    pub const SNAPSHOT: &str = "pollux/snapshot";
}

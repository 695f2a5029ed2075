//! What Pollux's tests stand on, and what no release contains.
//!
//! - [`scripted_model`]: a model server that says what the test wrote down, faults included; also
//!   the program `scripted-model`.
//! - [`mod@scripted_mcp`]: an MCP server with every fault that a test needs.
//! - [`scripted_authorization`]: an MCP server behind a lock, and whoever hands out the keys.
//! - [`fake_editor`]: a language client that fails the test when a message from the server goes
//!   unread.
//! - [`mirror_buffer`]: the simplest possible document, against which ropes are compared, and a
//!   generator of awkward edits.
//! - [`fixture`]: texts with a cursor, marks, selections, annotations and files in them.
//! - [`byte_corpus`]: files in many charsets with all kinds of line endings, and what an edit must make of them.
//! - [`mod@installed`]: where the programs are that tests need of others.
//! - [`deadline`]: how every wait in this crate ends.

#![expect(
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "test support: a wrong fixture should stop the test at once"
)]

pub mod byte_corpus;
pub mod deadline;
pub mod fake_editor;
pub mod fixture;
pub mod installed;
pub mod mirror_buffer;
pub mod scripted_authorization;
pub mod scripted_mcp;
pub mod scripted_model;

pub use fake_editor::{FakeEditor, InitializeOptions, PendingRequest, RpcError};
pub use fixture::{extract_annotations, parse_files, parse_fixture};
pub use installed::{installed, installed_root};
pub use mirror_buffer::{MirrorBuffer, Position, PositionEncoding, Range, SplitMix64, TextChange};
pub use scripted_authorization::ScriptedAuthorization;
pub use scripted_mcp::scripted_mcp;
pub use scripted_model::{Call, RefusedPort, Reply, ReplyEnd, Script, ScriptedModel, Step, Usage};

//! `pollux/review`: everything that is pending, as a list.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::PendingHunk;

/// There is nothing to choose.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ReviewParams {}

/// What the agent changed and nobody has decided about yet, and what can be taken back.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReviewResult {
    pub files: Vec<ReviewedFile>,
    /// The newest last.
    pub rejected: Vec<RejectedHunk>,
    /// What `pollux.review.undo` would take back, in words.
    pub undo: Option<String>,
    /// What `pollux.review.redo` would do again, in words.
    pub redo: Option<String>,
}

/// A file with pending hunks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReviewedFile {
    pub uri: String,
    /// Relative to the workspace folder.
    pub path: String,
    pub revision: u64,
    pub hunks: Vec<PendingHunk>,
    /// How many lines come.
    pub added: usize,
    /// How many lines go.
    pub removed: usize,
    /// Whether the agent made the file.
    pub created: bool,
    /// Whether the agent removed the file.
    pub deleted: bool,
}

/// A hunk that was turned down. `pollux.hunk.reapply` puts it back.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RejectedHunk {
    pub id: u64,
    pub uri: String,
    /// Relative to the workspace folder.
    pub path: String,
    /// Where it stood when it was rejected, counted from zero.
    pub line: usize,
    pub removed: String,
    pub added: String,
}

//! `pollux/hunks`: what is pending in one file.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Range;

/// The pending hunks of one file. Replaces everything known of that file; an empty list means that nothing is
/// pending there any more, apart from what may stand in `comments`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct HunksParams {
    pub uri: String,
    /// Relative to the workspace folder.
    pub path: String,
    /// The version of the document that the ranges count in; `null` when this client has not opened it.
    pub version: Option<i32>,
    /// A hunk is named by this number and its index. Both go stale together.
    pub revision: u64,
    pub hunks: Vec<PendingHunk>,
    /// What is still to be sent and has no hunk any more to stand beside. The others are with their hunks.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub comments: Vec<LineComment>,
}

/// Some lines that the agent changed or wants to change. Without any lines it stands for a file that is empty, and was made or
/// removed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PendingHunk {
    pub index: usize,
    pub state: PendingState,
    /// Whole lines of the text as it is now: it ends where the line behind the last one starts. Empty where nothing
    /// stands: lines were removed before this place, or are to be put there.
    pub range: Range,
    /// The lines that go: what stood there before (`pending`), what stands there now (`proposed`), what the person
    /// has (`conflict`).
    pub removed: String,
    /// The lines that come: what stands there now (`pending`), what would stand there (`proposed`), what the agent
    /// wants (`conflict`).
    pub added: String,
    /// The session that made the change.
    pub session: Option<String>,
    /// The turn of that session.
    pub turn: Option<u64>,
    /// Whether the person has changed it by hand since.
    pub edited: bool,
    pub comments: Vec<LineComment>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum PendingState {
    /// In the text already.
    Pending,
    /// Not in the text yet; the agent waits for the decision.
    Proposed,
    /// The person and the agent changed the same lines. The person's are in the text.
    Conflict,
}

/// What a person wrote beside a line, for the model.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LineComment {
    pub id: u64,
    /// Of the text as it is now, counted from zero.
    pub line: usize,
    pub text: String,
    /// Whether the model was told. It stays until the agent changes the line, or somebody removes it.
    pub sent: bool,
}

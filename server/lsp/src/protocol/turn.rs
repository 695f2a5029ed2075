//! What a turn did and what went with it, for views that show more than its events.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ToolOutputParams {
    pub session: String,
    /// The call's id, as `toolEnded` has it.
    pub call: String,
}

/// Names a call that is running.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CallStopParams {
    pub session: String,
    /// The call's id, as `toolStarted` has it.
    pub call: String,
}

/// A text as a whole.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TextResult {
    pub text: String,
}

/// Names a turn of a session.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TurnParams {
    pub session: String,
    pub turn: u64,
}

/// In the order in which the turn came to them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TurnFilesResult {
    pub files: Vec<TurnFile>,
}

/// A file that a turn has changed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TurnFile {
    pub uri: String,
    /// Relative to the workspace folder.
    pub path: String,
    pub existed_before: bool,
    pub exists_after: bool,
    /// Lines.
    pub added: u64,
    pub removed: u64,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TurnTextParams {
    pub session: String,
    pub turn: u64,
    pub uri: String,
    pub side: TurnSide,
}

/// Before the turn's first edit of a file, or after its last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum TurnSide {
    Before,
    After,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct BaseTextParams {
    pub uri: String,
}

/// What a file would be if everything pending in it were rejected.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct BaseTextResult {
    pub text: String,
    /// Whether there would be a file at all.
    pub existed: bool,
}

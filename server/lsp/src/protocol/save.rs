//! `pollux/save`: files that were clean before an edit of the agent stay clean.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The client saves these files, without opening a window or moving a cursor.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SaveParams {
    pub uris: Vec<String>,
}

/// `null`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Saved;

//! `pollux/document`: the text the room holds for a file.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DocumentParams {
    pub uri: String,
}

/// The text of an open file, unsaved changes included.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DocumentResult {
    pub uri: String,
    pub language_id: String,
    /// The version the editor gave this text.
    pub version: i32,
    pub sync: Sync,
    pub text: String,
}

/// Whether the room's text can be relied on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum Sync {
    /// Equal to the editor's text.
    Synced,
    /// A change did not fit; the whole text has been asked for.
    Desynced,
}

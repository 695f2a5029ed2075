//! `pollux/editorQuery`: what the language servers of the editor know about code.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Position, Range};

/// The client asks its other language servers, and never this one. It changes nothing, and shows nothing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct EditorQueryParams {
    /// Names the query in `pollux/editorAnswer`.
    pub id: u64,
    /// A file, which need not be open.
    pub uri: String,
    pub position: Position,
    pub query: Query,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(
    tag = "kind",
    rename_all = "camelCase",
    rename_all_fields = "camelCase"
)]
pub enum Query {
    Definition,
    /// Everywhere, where it is declared too.
    References,
    /// What would have to be edited. A client that would also have to move files refuses.
    Rename {
        new_name: String,
    },
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(
    tag = "kind",
    rename_all = "camelCase",
    rename_all_fields = "camelCase"
)]
pub enum EditorAnswer {
    /// Of a definition or of references; the first 1000 of them. Empty where nobody knows any.
    Places { places: Vec<PlaceInFile> },
    /// Of a rename: all of them.
    Edits { files: Vec<EditedFile> },
    /// It cannot be done, with the reason for whoever asked.
    Refused { reason: String },
    /// It comes by `pollux/editorAnswer`: for clients whose handlers of requests cannot wait.
    Later,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PlaceInFile {
    pub uri: String,
    pub range: Range,
}

/// What a rename changes in one file. All ranges count in the same text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct EditedFile {
    pub uri: String,
    /// The version that the edits are for; left out when the client has not opened the file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<i32>,
    pub edits: Vec<TextEdit>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TextEdit {
    pub range: Range,
    pub new_text: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct EditorAnswerParams {
    pub id: u64,
    pub answer: EditorAnswer,
}

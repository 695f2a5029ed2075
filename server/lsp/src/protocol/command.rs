//! The arguments and results of `workspace/executeCommand`. Every command takes one object.

use serde::{Deserialize, Serialize};

/// One hunk, by a name that goes stale when the hunks move.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct HunkArguments {
    pub uri: String,
    pub revision: u64,
    pub index: usize,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FileArguments {
    pub uri: String,
}

/// Everything that is pending, or what one turn of a session left.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct AllArguments {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub turn: Option<u64>,
}

/// Where the person is; the start of the first file if left out.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct PlaceArguments {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub uri: Option<String>,
    pub line: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ReapplyArguments {
    pub id: u64,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CommentAddArguments {
    pub uri: String,
    /// Of the text as it is now, counted from zero.
    pub line: usize,
    pub text: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CommentRemoveArguments {
    pub id: u64,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct CommentsSendArguments {
    /// The newest session of the workspace if left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TurnArguments {
    pub session: String,
    pub turn: u64,
}

/// What every command of the review answers.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CommandResult {
    /// A sentence for the person.
    pub message: String,
    /// Where `pollux.hunk.next` and `pollux.hunk.previous` went.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub place: Option<CommandPlace>,
    /// For `pollux.rewind`: the prompt that was taken back.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prompt: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CommandPlace {
    pub uri: String,
    pub line: usize,
    pub character: usize,
}

//! What a person says, and what goes with it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Range;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PromptParams {
    pub session: String,
    pub text: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub attachments: Vec<PromptAttachment>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context: Option<PromptContext>,
}

/// Something that goes to the model with a prompt and is in no file it names.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(
    tag = "kind",
    rename_all = "camelCase",
    rename_all_fields = "camelCase"
)]
pub enum PromptAttachment {
    /// At most 10 MB.
    Image {
        /// `image/png`, `image/jpeg`, `image/gif`, `image/webp`, `image/heic` or `image/heif`.
        mime_type: String,
        /// Base64.
        data: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        name: Option<String>,
    },
    /// At most 200 kB.
    Text {
        label: String,
        text: String,
        /// Where it is from.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        uri: Option<String>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        range: Option<Range>,
    },
}

/// Names a prompt that was sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(
    tag = "kind",
    rename_all = "camelCase",
    rename_all_fields = "camelCase"
)]
pub enum PromptName {
    /// It has had its turn, or has it now.
    Turn { turn: u64 },
    /// It waits, or did so before it was taken back.
    Queued { id: u64 },
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PromptAttachmentsParams {
    pub session: String,
    pub prompt: PromptName,
}

/// As they were sent. For whoever takes a prompt back, or sends it once more.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PromptAttachmentsResult {
    pub attachments: Vec<PromptAttachment>,
}

/// What of the editor goes to the model with this prompt. `false`: it does not. Left out: files and the selection
/// do, problems do not.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct PromptContext {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub active_file: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub selection: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub open_files: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub diagnostics: Option<bool>,
}

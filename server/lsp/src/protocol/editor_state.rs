//! `pollux/editorState`: what the person is looking at.

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};

use super::{Position, Range};

/// What changed in the editor since the last such notification. A field that is left out has not
/// changed, so a client sends only what moved.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct EditorStateParams {
    /// The file that has the focus; `null` when none has.
    #[serde(
        default,
        deserialize_with = "null_is_a_value",
        skip_serializing_if = "Option::is_none"
    )]
    pub active_file: Option<Option<ActiveFile>>,
    /// The files that are open in tabs, the latest first. Replaces the last list. Left out by editors whose open
    /// documents are what they show; others hold documents long after their tab is closed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub open_files: Option<Vec<String>>,
    /// Whether the person trusts this workspace. Left out by editors that do not ask.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trusted: Option<bool>,
    /// How many problems the editor shows, for every file that has any. Replaces the last list.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub diagnostics: Option<Vec<DiagnosticCounts>>,
    /// The errors and warnings themselves, at most 50 of them: what goes to the model with a prompt that asks for it.
    /// Replaces the last list.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub problems: Option<Vec<EditorProblem>>,
}

/// An error or a warning that the editor shows.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct EditorProblem {
    pub uri: String,
    /// From zero.
    pub line: u32,
    pub severity: ProblemSeverity,
    pub message: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum ProblemSeverity {
    Error,
    Warning,
}

/// The file that has the focus, and where the person is in it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ActiveFile {
    pub uri: String,
    pub cursor: Position,
    /// Every selection that is not empty, the main one first.
    #[serde(default)]
    pub selections: Vec<Range>,
    /// The parts of the file that are on the screen.
    #[serde(default)]
    pub visible_ranges: Vec<Range>,
}

/// The problems an editor shows for one file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DiagnosticCounts {
    pub uri: String,
    #[serde(default)]
    pub errors: u32,
    #[serde(default)]
    pub warnings: u32,
    #[serde(default)]
    pub information: u32,
    #[serde(default)]
    pub hints: u32,
}

/// Keeps `null` ("no file has the focus") apart from a field that is not there ("unchanged").
fn null_is_a_value<'de, D, T>(deserializer: D) -> Result<Option<Option<T>>, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de>,
{
    Option::<T>::deserialize(deserializer).map(Some)
}

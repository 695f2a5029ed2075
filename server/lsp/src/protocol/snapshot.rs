//! `pollux/snapshot`: the room as the server sees it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{ActiveFile, DiagnosticCounts, Sync};

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct SnapshotParams {
    /// Answer only once the room has changed beyond this revision. Left out: answer now.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after_revision: Option<u64>,
}

/// Everything the room knows, after every message that the client sent before this request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SnapshotResult {
    /// Grows with every change to the room.
    pub revision: u64,
    pub room: RoomSummary,
    pub documents: Vec<DocumentSummary>,
    /// What this client's editor shows; left out until it has said so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub active_file: Option<ActiveFile>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trusted: Option<bool>,
    pub diagnostics: Vec<DiagnosticCounts>,
}

/// The room: one workspace, however many editors and terminals look at it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RoomSummary {
    /// The workspace folders, as URIs.
    pub roots: Vec<String>,
    /// How many editors and terminals are connected.
    pub doors: usize,
}

/// An open file, without its text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DocumentSummary {
    pub uri: String,
    pub language_id: String,
    pub version: i32,
    pub bytes: usize,
    pub sync: Sync,
}

//! Sessions: starting, finding, following and talking to them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::SessionEvent;

/// What kind of session to start.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct SessionStartParams {
    /// The workspace folder to work in, as a URI; the first one if left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub folder: Option<String>,
    /// A model or an alias; the configured one if left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionResumeParams {
    /// The id of a session, its number in the list, or `latest`.
    pub session: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub folder: Option<String>,
}

/// The session that was started or resumed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionResult {
    pub session: String,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct SessionListParams {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub folder: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionListResult {
    /// Oldest first; the place in this list, from 1, is the session's number.
    pub sessions: Vec<SessionLine>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionLine {
    pub session: String,
    pub title: String,
    /// Milliseconds since 1970.
    pub updated: u64,
    pub state: SessionState,
    /// How many messages are recorded.
    pub messages: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first_prompt: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum SessionState {
    /// Only its record is there.
    Recorded,
    /// It is open in this host and waits for a prompt.
    Idle,
    /// A turn runs.
    Running,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionDeleteParams {
    pub session: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub folder: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionRenameParams {
    /// The id of a session, its number in the list, or `latest`.
    pub session: String,
    pub title: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub folder: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionFollowParams {
    pub session: String,
    /// Where to begin; everything from the start if left out or 0. A cursor that came with events continues behind them.
    /// One that this life of the session has not given, because the server has ended since, begins at the start too: the
    /// first event is `opened` then.
    #[serde(default)]
    pub cursor: u64,
}

/// Names one session.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionParams {
    pub session: String,
}

/// What happened in a session that is followed. Pieces of text that come close together are joined.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionEventsParams {
    pub session: String,
    /// Following again from here continues behind these events.
    pub cursor: u64,
    /// Said again: it had happened before somebody began to follow.
    pub past: bool,
    /// More of what had happened before follows at once.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub more: bool,
    pub events: Vec<SessionEvent>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PromptUnqueueParams {
    pub session: String,
    /// The number under which the prompt was queued.
    pub id: u64,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PromptEditParams {
    pub session: String,
    /// The number under which the prompt was queued.
    pub id: u64,
    pub text: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PromptMoveParams {
    pub session: String,
    /// The number under which the prompt was queued.
    pub id: u64,
    /// Its new place among those that wait, from zero. Beyond the last one it is the last.
    pub place: usize,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct EditDecideParams {
    pub session: String,
    /// The number of the proposed edit.
    pub proposal: u64,
    /// One for each of its hunks, in order.
    pub decisions: Vec<HunkDecision>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum HunkDecision {
    Keep,
    Reject,
}

/// Done; what follows from it comes as events.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Done {}

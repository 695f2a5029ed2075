//! One tool call of a message of the model.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::fields::{put, put_rest, take, take_value};

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(from = "Map<String, Value>", into = "Map<String, Value>")]
pub struct ToolCall {
    /// Missing in files of some older twins.
    pub id: Option<String>,
    pub name: String,
    pub args: Map<String, Value>,
    /// Parts, a text, or nothing yet.
    pub result: Option<Value>,
    pub status: Option<CallStatus>,
    pub timestamp: Option<String>,
    /// The session of the agent that the call started.
    pub agent_id: Option<String>,
    pub display_name: Option<String>,
    pub description: Option<String>,
    /// What people are shown, such as the diff of a file.
    pub result_display: Option<Value>,
    pub render_output_as_markdown: Option<bool>,
    /// What some models want back with the call. The twin does not record it and sends a stand-in.
    pub thought_signature: Option<String>,
    /// Fields this version does not know, or cannot read.
    pub other: Map<String, Value>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CallStatus {
    Validating,
    Scheduled,
    AwaitingApproval,
    Executing,
    Success,
    Error,
    Cancelled,
}

impl ToolCall {
    /// What this call says now, on top of what it said before.
    pub(crate) fn update(&mut self, newer: Self) {
        let mut merged = Map::from(std::mem::take(self));
        for (key, value) in Map::from(newer) {
            merged.insert(key, value);
        }
        *self = Self::from(merged);
    }
}

impl From<Map<String, Value>> for ToolCall {
    fn from(mut object: Map<String, Value>) -> Self {
        Self {
            id: take(&mut object, "id"),
            name: take(&mut object, "name").unwrap_or_default(),
            args: take(&mut object, "args").unwrap_or_default(),
            result: take_value(&mut object, "result").filter(|result| !result.is_null()),
            status: take(&mut object, "status"),
            timestamp: take(&mut object, "timestamp"),
            agent_id: take(&mut object, "agentId"),
            display_name: take(&mut object, "displayName"),
            description: take(&mut object, "description"),
            result_display: take_value(&mut object, "resultDisplay"),
            render_output_as_markdown: take(&mut object, "renderOutputAsMarkdown"),
            thought_signature: take(&mut object, "thoughtSignature"),
            other: object,
        }
    }
}

impl From<ToolCall> for Map<String, Value> {
    fn from(call: ToolCall) -> Self {
        let mut object = Self::new();
        put(&mut object, "id", call.id);
        let name = (!call.other.contains_key("name")).then_some(call.name);
        put(&mut object, "name", name);
        let args = (!call.other.contains_key("args")).then_some(call.args);
        put(&mut object, "args", args);
        put(&mut object, "result", call.result);
        put(&mut object, "status", call.status);
        put(&mut object, "timestamp", call.timestamp);
        put(&mut object, "agentId", call.agent_id);
        put(&mut object, "displayName", call.display_name);
        put(&mut object, "description", call.description);
        put(&mut object, "resultDisplay", call.result_display);
        let markdown = call.render_output_as_markdown;
        put(&mut object, "renderOutputAsMarkdown", markdown);
        put(&mut object, "thoughtSignature", call.thought_signature);
        put_rest(&mut object, call.other);
        object
    }
}

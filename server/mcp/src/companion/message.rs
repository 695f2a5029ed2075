//! What an agent says, and what it is answered.

use hyper::StatusCode;
use serde::Deserialize;
use serde_json::{Value, json};

use super::session::Client;

/// What we can speak, the newest first.
const VERSIONS: [&str; 3] = ["2025-06-18", "2025-03-26", "2024-11-05"];

pub(super) const INVALID_PARAMS: i64 = -32602;
pub(super) const METHOD_NOT_FOUND: i64 = -32601;

/// One message, as far as it matters here.
#[derive(Deserialize)]
pub(super) struct Message {
    jsonrpc: String,
    #[serde(default, deserialize_with = "null_is_an_id")]
    pub(super) id: Option<Value>,
    pub(super) method: Option<String>,
    #[serde(default)]
    pub(super) params: Value,
}

impl Message {
    /// Reads a body. Lists of messages are not in the versions we speak.
    pub(super) fn parse(body: &[u8]) -> Result<Self, (StatusCode, Value)> {
        let parse_error = |_| {
            (
                StatusCode::BAD_REQUEST,
                error(&Value::Null, -32700, "this is no JSON-RPC message"),
            )
        };
        let message: Self = serde_json::from_slice(body).map_err(parse_error)?;
        let is_valid = message.jsonrpc == "2.0"
            && message
                .id
                .as_ref()
                .is_none_or(|id| id.is_string() || id.is_number());
        match is_valid {
            true => Ok(message),
            false => Err((
                StatusCode::BAD_REQUEST,
                error(&Value::Null, -32600, "this is no JSON-RPC 2.0 request"),
            )),
        }
    }
}

/// Keeps `null`, which is not allowed, apart from an id that is not there, which makes a notification.
fn null_is_an_id<'de, D: serde::Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<Value>, D::Error> {
    Value::deserialize(deserializer).map(Some)
}

pub(super) fn result(id: &Value, result: &Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "result": result })
}

pub(super) fn error(id: &Value, code: i64, message: &str) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "error": { "code": code, "message": message } })
}

/// `initialize`: what it is answered.
pub(super) fn welcome(params: &Value) -> Value {
    let offered = params.get("protocolVersion").and_then(Value::as_str);
    let agreed = offered.filter(|offered| VERSIONS.contains(offered));
    json!({
        "protocolVersion": agreed.unwrap_or(VERSIONS[0]),
        "capabilities": { "tools": {} },
        "serverInfo": { "name": "pollux-companion", "version": env!("CARGO_PKG_VERSION") },
    })
}

/// `initialize`: who says it.
pub(super) fn client(params: &Value) -> Client {
    let said = |key: &str| {
        let value = params.get("clientInfo").and_then(|info| info.get(key));
        let text = value.and_then(Value::as_str).unwrap_or_default();
        // It is shown to people.
        text.chars()
            .filter(|character| !character.is_control())
            .take(64)
            .collect()
    };
    Client {
        name: said("name"),
        version: said("version"),
    }
}

/// `tools/list`
pub(super) fn tools() -> Value {
    let file_path = json!({ "type": "string", "description": "Absolute path of the file." });
    json!({ "tools": [
        {
            "name": "openDiff",
            "description": "Shows an edit of a file in the editor, hunk by hunk, for a person to decide. Returns at once; \
                            the decision comes as `ide/diffAccepted` or `ide/diffRejected`. Nothing is written.",
            "inputSchema": {
                "type": "object",
                "properties": {
                    "filePath": file_path,
                    "newContent": { "type": "string", "description": "The whole text of the file after the edit." },
                },
                "required": ["filePath", "newContent"],
            },
            "annotations": { "readOnlyHint": true, "openWorldHint": false },
        },
        {
            "name": "closeDiff",
            "description": "Takes an edit back from the editor. Returns JSON: `content` is the text that has come of the \
                            decisions so far, or null when that is the edit as it was proposed.",
            "inputSchema": {
                "type": "object",
                "properties": {
                    "filePath": file_path,
                    "suppressNotification": {
                        "type": "boolean",
                        "description": "Do not send `ide/diffRejected` for this.",
                    },
                },
                "required": ["filePath"],
            },
            "annotations": { "readOnlyHint": true, "idempotentHint": true, "openWorldHint": false },
        },
    ]})
}

/// `tools/call`
#[derive(Deserialize)]
pub(super) struct Call {
    pub(super) name: String,
    #[serde(default)]
    pub(super) arguments: Value,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct OpenDiff {
    pub(super) file_path: String,
    pub(super) new_content: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct CloseDiff {
    pub(super) file_path: String,
    #[serde(default)]
    pub(super) suppress_notification: Option<bool>,
}

/// What a tool returns: some texts.
pub(super) fn texts<const N: usize>(texts: [&str; N]) -> Value {
    let blocks = texts.map(|text| json!({ "type": "text", "text": text }));
    json!({ "content": blocks.as_slice() })
}

pub(super) fn accepted(file_path: &str, content: &str) -> Value {
    notification(
        "ide/diffAccepted",
        &json!({ "filePath": file_path, "content": content }),
    )
}

pub(super) fn rejected(file_path: &str) -> Value {
    notification("ide/diffRejected", &json!({ "filePath": file_path }))
}

fn notification(method: &str, params: &Value) -> Value {
    json!({ "jsonrpc": "2.0", "method": method, "params": params })
}

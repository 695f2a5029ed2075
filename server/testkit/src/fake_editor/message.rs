//! JSON-RPC messages as a test sees them.

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// The id of a request, as either side chose it.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(untagged)]
pub enum RequestId {
    Number(i64),
    Text(String),
}

impl fmt::Display for RequestId {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(number) => write!(out, "{number}"),
            Self::Text(text) => write!(out, "{text:?}"),
        }
    }
}

/// The error half of a reply.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, thiserror::Error)]
#[error("{message} (code {code})")]
pub struct RpcError {
    pub code: i64,
    pub message: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub data: Option<Value>,
}

impl RpcError {
    pub fn new(code: i64, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
            data: None,
        }
    }
}

/// One message from the server.
#[derive(Debug, Clone, PartialEq)]
pub enum Message {
    Request {
        id: RequestId,
        method: String,
        params: Value,
    },
    Notification {
        method: String,
        params: Value,
    },
    /// A reply; the id is `None` when the server could not read ours.
    Response {
        id: Option<RequestId>,
        result: Result<Value, RpcError>,
    },
}

impl Message {
    /// Reads a message, and says what is wrong with one that is not JSON-RPC 2.0.
    pub fn parse(message: &Value) -> Result<Self, String> {
        let malformed = |what: &str| format!("{what}: {message}");
        let object = message
            .as_object()
            .ok_or_else(|| malformed("not an object"))?;
        if object.get("jsonrpc") != Some(&json!("2.0")) {
            return Err(malformed("`jsonrpc` is not \"2.0\""));
        }
        let id = match object.get("id") {
            None | Some(Value::Null) => None,
            Some(id) => Some(
                serde_json::from_value(id.clone())
                    .map_err(|_| malformed("an id that is neither number nor string"))?,
            ),
        };
        if let Some(method) = object.get("method") {
            let method = method.as_str().map(str::to_owned);
            let method = method.ok_or_else(|| malformed("a method that is not a string"))?;
            let params = object.get("params").cloned().unwrap_or(Value::Null);
            return Ok(match id {
                Some(id) => Self::Request { id, method, params },
                None => Self::Notification { method, params },
            });
        }
        let result = match (object.get("result"), object.get("error")) {
            (Some(result), None) => Ok(result.clone()),
            (None, Some(error)) => Err(serde_json::from_value(error.clone())
                .map_err(|_| malformed("an error without code and message"))?),
            _ => return Err(malformed("a reply needs either `result` or `error`")),
        };
        Ok(Self::Response { id, result })
    }
}

/// One line, for the text of a failed test.
impl fmt::Display for Message {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Request { id, method, params } => {
                write!(out, "request {method} (id {id}) {}", Short(params))
            }
            Self::Notification { method, params } => {
                write!(out, "notification {method} {}", Short(params))
            }
            Self::Response { id, result } => {
                match id {
                    Some(id) => write!(out, "reply to id {id}: ")?,
                    None => write!(out, "reply without an id: ")?,
                }
                match result {
                    Ok(value) => write!(out, "{}", Short(value)),
                    Err(error) => write!(out, "error: {error}"),
                }
            }
        }
    }
}

/// A value cut to what fits a line.
struct Short<'a>(&'a Value);

impl fmt::Display for Short<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        const MOST: usize = 300;
        let text = self.0.to_string();
        let shown: String = text.chars().take(MOST).collect();
        let cut = if shown.len() < text.len() { "…" } else { "" };
        write!(out, "{shown}{cut}")
    }
}

//! Messages of the editor, read as strictly as the host will read them.
//!
//! The host's transport ends a connection at the first message it cannot read. So whatever the
//! host would stumble over is found here, answered here, and never sent on.

use bytes::Bytes;
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;
use tower_lsp::jsonrpc::{Request, Response};

/// A message the host will understand.
#[derive(Debug)]
pub(super) struct Message {
    /// The bytes to send on.
    pub(super) body: Bytes,
    pub(super) kind: Kind,
}

#[derive(Debug)]
pub(super) enum Kind {
    Call {
        method: String,
        /// The id of a request, as JSON.
        id: Option<String>,
        params: Value,
    },
    /// An answer to something the host asked.
    Reply {
        /// The id of the request, as JSON.
        id: String,
    },
}

/// Why a message is not sent on.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum Unreadable {
    #[error("the message is not valid JSON: {0}")]
    NotJson(String),
    #[error("the message is neither a request nor a reply: {detail}")]
    NotRpc {
        /// The id the message carries, as JSON, or `null`.
        id: String,
        detail: String,
    },
}

impl Message {
    pub(super) fn read(body: Bytes) -> Result<Self, Unreadable> {
        let (value, body) = match parse(&body) {
            Ok(value) => (value, body),
            Err(error) => {
                let repaired = repair_surrogates(&body).ok_or(error)?;
                (parse(&repaired)?, repaired)
            }
        };
        let id = value.get("id").map(Value::to_string);
        let not_rpc = |error: serde_json::Error| Unreadable::NotRpc {
            id: match value_is_an_id(id.as_deref()) {
                true => id.clone().unwrap_or_default(),
                false => "null".to_owned(),
            },
            detail: error.to_string(),
        };
        let kind = if value.get("method").is_some() {
            let request: Request = serde_json::from_value(value).map_err(not_rpc)?;
            let (method, id, params) = request.into_parts();
            Kind::Call {
                method: method.into_owned(),
                id: id.and_then(|id| serde_json::to_string(&id).ok()),
                params: params.unwrap_or_default(),
            }
        } else {
            serde_json::from_value::<Response>(value).map_err(not_rpc)?;
            Kind::Reply {
                id: id.clone().unwrap_or_default(),
            }
        };
        Ok(Self { body, kind })
    }
}

fn value_is_an_id(id: Option<&str>) -> bool {
    id.is_some_and(|id| serde_json::from_str::<tower_lsp::jsonrpc::Id>(id).is_ok())
}

fn parse(body: &[u8]) -> Result<Value, Unreadable> {
    let text = std::str::from_utf8(body).map_err(|error| Unreadable::NotJson(error.to_string()))?;
    serde_json::from_str(text).map_err(|error| Unreadable::NotJson(error.to_string()))
}

/// Replaces halves of surrogate pairs that stand alone by U+FFFD.
///
/// Editors written in JavaScript send them for text with a broken emoji. The replacement is one
/// UTF-16 unit too, so every position stays what it was. Nothing when there is none.
fn repair_surrogates(body: &[u8]) -> Option<Bytes> {
    let mut repaired = body.to_vec();
    let mut changed = false;
    let mut at = 0;
    while at < body.len() {
        let Some(unit) = escaped_unit(body, at) else {
            // A backslash and what it escapes go together: `\\u` is no escaped unit.
            at += if body.get(at) == Some(&b'\\') { 2 } else { 1 };
            continue;
        };
        let alone = match unit {
            0xD800..=0xDBFF => !matches!(escaped_unit(body, at + 6), Some(0xDC00..=0xDFFF)),
            0xDC00..=0xDFFF => true,
            _ => false,
        };
        let paired = !alone && (0xD800..=0xDBFF).contains(&unit);
        if alone && let Some(digits) = repaired.get_mut(at + 2..at + 6) {
            digits.copy_from_slice(b"fffd");
            changed = true;
        }
        at += if paired { 12 } else { 6 };
    }
    changed.then(|| Bytes::from(repaired))
}

/// The UTF-16 unit of a `\uXXXX` at this place.
fn escaped_unit(body: &[u8], at: usize) -> Option<u16> {
    let digits = body.get(at..at + 6)?.strip_prefix(b"\\u")?;
    u16::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
}

/// As much of a message of the host as a door needs to know, borrowed from its bytes.
#[derive(Deserialize)]
pub(super) struct FromHost<'a> {
    #[serde(borrow)]
    pub(super) id: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(super) method: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(super) params: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(super) result: Option<&'a RawValue>,
    pub(super) error: Option<Failure>,
}

/// As much of an error as a person is told.
#[derive(Deserialize)]
pub(super) struct Failure {
    pub(super) message: String,
}

/// An error reply, as bytes. `id` is JSON; `null` when nobody knows it.
pub(super) fn error_reply(id: &str, code: i32, message: &str) -> Vec<u8> {
    let message = Value::from(message);
    format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":{code},"message":{message}}}}}"#)
        .into_bytes()
}

#[cfg(test)]
mod tests;

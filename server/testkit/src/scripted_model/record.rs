//! The requests that the server has received.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::SystemTime;

use bytes::Bytes;
use serde::{Serialize, Serializer};
use serde_json::Value;
use serde_json::value::RawValue;

use super::clock;

/// One request, whole.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordedRequest {
    /// The place in the order of arrival, from 1.
    pub order: usize,
    pub method: String,
    pub path: String,
    /// What follows the `?`; empty without one.
    pub query: String,
    /// Names in lower case, in the order of the wire.
    pub headers: Vec<(String, String)>,
    pub body: Bytes,
}

impl RecordedRequest {
    /// The first header of this name.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers
            .iter()
            .find(|(found, _)| found.eq_ignore_ascii_case(name))
            .map(|(_, value)| value.as_str())
    }

    /// The body as JSON; `null` when it is not.
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_default()
    }

    /// The body as text.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    /// For error texts: `request 3 (POST /v1beta/…)`.
    pub(super) fn describe(&self) -> String {
        format!("request {} ({} {})", self.order, self.method, self.path)
    }
}

/// One line of a record file: a body that is JSON is in `body`, any other in `bodyText`.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Line<'a> {
    order: usize,
    method: &'a str,
    path: &'a str,
    query: &'a str,
    headers: BTreeMap<&'a str, String>,
    /// As it came. Whoever is measured waits for this line, so nothing is taken apart and put together again.
    #[serde(skip_serializing_if = "Option::is_none")]
    body: Option<&'a RawValue>,
    #[serde(skip_serializing_if = "Option::is_none")]
    body_text: Option<Cow<'a, str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    arrived_ms: Option<f64>,
}

impl RecordedRequest {
    /// The line of a record file, with its end.
    pub(super) fn line(&self, arrived: SystemTime) -> Vec<u8> {
        let line = Line {
            arrived_ms: Some(clock::milliseconds(arrived)),
            ..self.as_line()
        };
        let mut line = serde_json::to_vec(&line).expect("a request is plain JSON");
        // Between the tokens of JSON they mean nothing, and inside a text they are escaped.
        for byte in line.iter_mut().filter(|byte| matches!(byte, b'\n' | b'\r')) {
            *byte = b' ';
        }
        line.push(b'\n');
        line
    }

    fn as_line(&self) -> Line<'_> {
        let mut headers: BTreeMap<&str, String> = BTreeMap::new();
        for (name, value) in &self.headers {
            headers
                .entry(name)
                .and_modify(|joined| *joined += &format!(", {value}"))
                .or_insert_with(|| value.clone());
        }
        let body = serde_json::from_slice(&self.body).ok();
        Line {
            order: self.order,
            method: &self.method,
            path: &self.path,
            query: &self.query,
            headers,
            body_text: body.is_none().then(|| String::from_utf8_lossy(&self.body)),
            body,
            arrived_ms: None,
        }
    }
}

impl Serialize for RecordedRequest {
    fn serialize<S: Serializer>(&self, output: S) -> Result<S::Ok, S::Error> {
        self.as_line().serialize(output)
    }
}

/// How a reply ended, as far as the server can tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReplyEnd {
    /// All of it was handed to the network.
    Complete,
    /// The client closed the connection first, or the server was stopped.
    ClientLeft,
    /// The script closed the connection.
    Cut,
}

/// A request and what became of its reply.
#[derive(Debug)]
pub(super) struct Exchange {
    pub(super) request: Arc<RecordedRequest>,
    /// Whether the script had a reply.
    pub(super) was_scripted: bool,
    pub(super) end: Option<ReplyEnd>,
}

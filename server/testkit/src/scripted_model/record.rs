//! The requests that the server has received.

use std::collections::BTreeMap;
use std::sync::Arc;

use bytes::Bytes;
use serde::{Serialize, Serializer};
use serde_json::{Value, json};

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
impl Serialize for RecordedRequest {
    fn serialize<S: Serializer>(&self, output: S) -> Result<S::Ok, S::Error> {
        let mut headers: BTreeMap<&str, String> = BTreeMap::new();
        for (name, value) in &self.headers {
            headers
                .entry(name)
                .and_modify(|joined| *joined += &format!(", {value}"))
                .or_insert_with(|| value.clone());
        }
        let mut line = json!({
            "order": self.order,
            "method": self.method,
            "path": self.path,
            "query": self.query,
            "headers": headers,
        });
        match serde_json::from_slice::<Value>(&self.body) {
            Ok(body) => line["body"] = body,
            Err(_) => line["bodyText"] = json!(self.text()),
        }
        line.serialize(output)
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

//! What a file says about its session as a whole.

use std::time::SystemTime;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::id::SessionId;
use crate::time::parse_iso;

/// The metadata as merged so far. A plain object, because merging is by field and fields may be new.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Metadata(Map<String, Value>);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SessionKind {
    Main,
    Subagent,
}

impl SessionKind {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Main => "main",
            Self::Subagent => "subagent",
        }
    }
}

impl Metadata {
    pub fn new(fields: Map<String, Value>) -> Self {
        Self(fields)
    }

    pub fn as_map(&self) -> &Map<String, Value> {
        &self.0
    }

    pub fn session_id(&self) -> Option<SessionId> {
        self.text("sessionId").map(SessionId::new)
    }

    pub fn project_hash(&self) -> Option<&str> {
        self.text("projectHash")
    }

    pub fn start_time(&self) -> Option<SystemTime> {
        self.text("startTime").and_then(parse_iso)
    }

    pub fn last_updated(&self) -> Option<SystemTime> {
        self.text("lastUpdated").and_then(parse_iso)
    }

    pub fn summary(&self) -> Option<&str> {
        self.text("summary").filter(|summary| !summary.is_empty())
    }

    /// Files from before the twin had subagents do not say, and are main sessions.
    pub fn kind(&self) -> SessionKind {
        match self.text("kind") {
            Some("subagent") => SessionKind::Subagent,
            _ => SessionKind::Main,
        }
    }

    /// Folders that were added to the workspace during the session.
    pub fn directories(&self) -> impl Iterator<Item = &str> {
        self.0
            .get("directories")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
    }

    pub fn memory_scratchpad(&self) -> Option<&Value> {
        self.0.get("memoryScratchpad")
    }

    pub(crate) fn merge(&mut self, fields: Map<String, Value>) {
        for (key, value) in fields {
            self.0.insert(key, value);
        }
    }

    /// Without both of these the file is not a record stream.
    pub(crate) fn is_complete(&self) -> bool {
        self.text("sessionId").is_some() && self.text("projectHash").is_some()
    }

    fn text(&self, key: &str) -> Option<&str> {
        self.0.get(key)?.as_str()
    }
}

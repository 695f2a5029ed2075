use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// A task as its file holds it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Task {
    pub(super) id: String,
    pub(super) title: String,
    pub(super) description: String,
    #[serde(rename = "type")]
    pub(super) kind: Kind,
    pub(super) status: Status,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) parent_id: Option<String>,
    #[serde(default)]
    pub(super) dependencies: Vec<String>,
    /// What a newer version or the twin has put there stays there.
    #[serde(flatten)]
    pub(super) rest: Map<String, Value>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Kind {
    Epic,
    Task,
    Bug,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Status {
    Open,
    InProgress,
    Blocked,
    Closed,
}

pub(super) const KINDS: [&str; 3] = ["epic", "task", "bug"];
pub(super) const STATUSES: [&str; 4] = ["open", "in_progress", "blocked", "closed"];

impl Kind {
    pub(super) fn from_name(name: &str) -> Option<Self> {
        match name {
            "epic" => Some(Self::Epic),
            "task" => Some(Self::Task),
            "bug" => Some(Self::Bug),
            _ => None,
        }
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Epic => "epic",
            Self::Task => "task",
            Self::Bug => "bug",
        }
    }
}

impl Status {
    pub(super) fn from_name(name: &str) -> Option<Self> {
        match name {
            "open" => Some(Self::Open),
            "in_progress" => Some(Self::InProgress),
            "blocked" => Some(Self::Blocked),
            "closed" => Some(Self::Closed),
            _ => None,
        }
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::InProgress => "in_progress",
            Self::Blocked => "blocked",
            Self::Closed => "closed",
        }
    }
}

impl Task {
    /// One line for a list.
    pub(super) fn line(&self) -> String {
        let (id, kind, status) = (&self.id, self.kind.name(), self.status.name());
        let mut line = format!("[{id}] {kind}, {status}: {}", self.title);
        if !self.dependencies.is_empty() {
            line.push_str(&format!(" (after {})", self.dependencies.join(", ")));
        }
        line
    }
}

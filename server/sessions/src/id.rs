//! The names of sessions and messages, and where new ones come from.

use std::fmt;

use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// Names a session. Read from a file it may be any text, so it becomes part of a path only through
/// [`SessionId::file_segment`].
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct SessionId(String);

/// Names a message within its session.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct MessageId(String);

/// Where new ids come from: random ones in the program, counted ones in tests.
pub trait IdSource: Send {
    /// Never gives the same text twice.
    fn next_id(&mut self) -> String;
}

/// Random UUIDs of version 4.
#[derive(Clone, Copy, Debug, Default)]
pub struct RandomIds;

impl IdSource for RandomIds {
    fn next_id(&mut self) -> String {
        Uuid::new_v4().to_string()
    }
}

impl SessionId {
    pub fn new(id: impl Into<String>) -> Self {
        Self(id.into())
    }

    pub fn generate(ids: &mut dyn IdSource) -> Self {
        Self(ids.next_id())
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The id as a part of a path: one segment, whatever the id was. `None` if nothing would be left.
    pub fn file_segment(&self) -> Option<String> {
        file_segment(&self.0)
    }

    /// The eight characters by which file names mention the session.
    pub(crate) fn short(&self) -> Option<String> {
        Some(self.file_segment()?.chars().take(8).collect())
    }
}

impl MessageId {
    pub fn new(id: impl Into<String>) -> Self {
        Self(id.into())
    }

    pub fn generate(ids: &mut dyn IdSource) -> Self {
        Self(ids.next_id())
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for SessionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Display for MessageId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

pub(crate) fn file_segment(id: &str) -> Option<String> {
    if id.is_empty() || id == "." || id == ".." {
        return None;
    }
    let safe = |letter: char| letter.is_ascii_alphanumeric() || letter == '_' || letter == '-';
    Some(
        id.chars()
            .map(|letter| if safe(letter) { letter } else { '_' })
            .collect(),
    )
}

#[cfg(test)]
mod tests;

//! What the person typed, across sessions: `logs.json`, shared with the twin.

use std::io::{self, ErrorKind};
use std::path::PathBuf;
use std::time::SystemTime;

use pollux_settings::{Durability, Patience, create_private_folder, lock_file, replace_file};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::error::SessionError;
use crate::id::SessionId;
use crate::project::Project;
use crate::time::{iso, millis};

/// One prompt.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct LoggedPrompt {
    pub session_id: SessionId,
    /// From 0 in each session.
    pub message_id: u64,
    pub timestamp: String,
    #[serde(rename = "type")]
    pub kind: String,
    pub message: String,
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

/// The log of one project.
#[derive(Clone, Debug)]
pub struct PromptLog {
    path: PathBuf,
}

/// What the file holds, entries that are none of ours included.
enum Content {
    Entries(Vec<Value>),
    Broken(&'static str),
}

impl PromptLog {
    pub fn of(project: &Project) -> Self {
        Self {
            path: project.folder.join("logs.json"),
        }
    }

    /// The prompts, oldest first. A broken file has none, and is kept until something is added.
    pub fn read(&self) -> Result<Vec<LoggedPrompt>, SessionError> {
        Ok(match self.content()? {
            Content::Entries(entries) => prompts(&entries).collect(),
            Content::Broken(_) => Vec::new(),
        })
    }

    /// Adds a prompt to what the file holds by now. A broken file is kept aside.
    pub fn append(
        &self,
        session: &SessionId,
        message: &str,
        now: SystemTime,
    ) -> Result<LoggedPrompt, SessionError> {
        let failed = || SessionError::io(&self.path);
        if let Some(folder) = self.path.parent() {
            create_private_folder(folder).map_err(failed())?;
        }
        // The twin takes no lock here; this one keeps our own windows apart.
        let Some(_lock) = lock_file(&self.path, Patience::USUAL).map_err(failed())? else {
            return Err(SessionError::Busy {
                path: self.path.clone(),
            });
        };
        let mut entries = match self.content()? {
            Content::Entries(entries) => entries,
            Content::Broken(how) => {
                let mut aside = self.path.clone().into_os_string();
                aside.push(format!(".{how}.{}.bak", millis(now)));
                std::fs::rename(&self.path, aside).map_err(failed())?;
                Vec::new()
            }
        };
        let last = prompts(&entries)
            .filter(|prompt| prompt.session_id == *session)
            .map(|prompt| prompt.message_id)
            .max();
        let prompt = LoggedPrompt {
            session_id: session.clone(),
            message_id: last.map_or(0, |last| last.saturating_add(1)),
            timestamp: iso(now),
            kind: "user".to_owned(),
            message: message.to_owned(),
            other: Map::new(),
        };
        serde_json::to_value(&prompt)
            .and_then(|value| {
                entries.push(value);
                serde_json::to_vec_pretty(&entries)
            })
            .map_err(io::Error::from)
            .and_then(|bytes| replace_file(&self.path, &bytes, Durability::Process))
            .map_err(failed())?;
        Ok(prompt)
    }

    fn content(&self) -> Result<Content, SessionError> {
        let text = match std::fs::read(&self.path) {
            Ok(text) => text,
            Err(error) if error.kind() == ErrorKind::NotFound => {
                return Ok(Content::Entries(Vec::new()));
            }
            Err(source) => return Err(SessionError::io(&self.path)(source)),
        };
        Ok(match serde_json::from_slice(&text) {
            Ok(Value::Array(entries)) => Content::Entries(entries),
            Ok(_) => Content::Broken("malformed_array"),
            Err(_) => Content::Broken("invalid_json"),
        })
    }
}

fn prompts(entries: &[Value]) -> impl Iterator<Item = LoggedPrompt> {
    entries
        .iter()
        .filter_map(|entry| LoggedPrompt::deserialize(entry).ok())
}

#[cfg(test)]
mod tests;

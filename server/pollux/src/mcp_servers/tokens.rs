//! Tokens of MCP servers: one file that only the person can read, shared with the twin.

#[cfg(test)]
mod tests;

use std::io;
use std::path::PathBuf;

use pollux_mcp::connect::{Credentials, Vault};
use pollux_settings::{
    Durability, FileLock, Locations, Patience, create_private_folder, is_foreign, lock_file,
    replace_file,
};
use serde::Deserialize;
use serde_json::{Value, json};

pub(super) struct TokenFile {
    folder: PathBuf,
    path: PathBuf,
}

impl TokenFile {
    pub(super) fn of(locations: &Locations) -> Self {
        Self {
            folder: locations.gemini_dir.clone(),
            path: locations.gemini_dir.join("mcp-oauth-tokens.json"),
        }
    }

    /// What is no list is not overwritten: somebody has written it.
    fn read(&self) -> Result<Vec<Value>, String> {
        let path = self.path.display();
        if is_foreign(&self.path) {
            return Err(format!(
                "{path} is not used: it or its folder belongs to another user"
            ));
        }
        let text = match std::fs::read_to_string(&self.path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(format!("{path} cannot be read: {error}")),
        };
        match serde_json::from_str(&text) {
            Ok(Value::Array(entries)) => Ok(entries),
            // The error of the parser could show a piece of a token.
            Ok(_) | Err(_) => Err(format!("{path} is not a JSON list")),
        }
    }

    fn lock(&self) -> Result<FileLock, String> {
        create_private_folder(&self.folder).map_err(|error| self.failed(&error))?;
        let lock = lock_file(&self.path, Patience::USUAL).map_err(|error| self.failed(&error))?;
        lock.ok_or_else(|| self.failed(&"another program is writing it"))
    }

    fn write(&self, entries: &[Value]) -> Result<(), String> {
        let text = serde_json::to_string_pretty(entries).unwrap_or_default();
        replace_file(&self.path, text.as_bytes(), Durability::PowerCut)
            .map_err(|error| self.failed(&error))
    }

    fn failed(&self, error: &dyn std::fmt::Display) -> String {
        format!("{} cannot be changed: {error}", self.path.display())
    }
}

fn is_of(entry: &Value, server: &str) -> bool {
    entry.get("serverName").and_then(Value::as_str) == Some(server)
}

impl Vault for TokenFile {
    fn load(&self, server: &str) -> Result<Option<Credentials>, String> {
        let entries = self.read()?;
        let entry = entries.iter().find(|entry| is_of(entry, server));
        let Some(entry) = entry else {
            return Ok(None);
        };
        let credentials = Credentials::deserialize(entry);
        let credentials =
            credentials.map_err(|_hides_secrets| format!("the entry of {server} is none"))?;
        Ok(Some(credentials))
    }

    fn save(&self, credentials: &Credentials) -> Result<(), String> {
        let _lock = self.lock()?;
        let mut entries = self.read()?;
        entries.retain(|entry| !is_of(entry, &credentials.server_name));
        entries.push(json!(credentials));
        self.write(&entries)
    }

    fn delete(&self, server: &str) -> Result<(), String> {
        let _lock = self.lock()?;
        let mut entries = self.read()?;
        let before = entries.len();
        entries.retain(|entry| !is_of(entry, server));
        if entries.len() == before {
            return Ok(());
        }
        if !entries.is_empty() {
            return self.write(&entries);
        }
        std::fs::remove_file(&self.path).map_err(|error| self.failed(&error))
    }
}

//! Which servers a person has switched off: one file, shared with the twin.

#[cfg(test)]
mod tests;

use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};

use pollux_mcp::connect::Switch;
use pollux_settings::{
    Durability, Locations, Patience, create_private_folder, is_foreign, lock_file, replace_file,
};
use serde_json::{Map, Value, json};

fn file(locations: &Locations) -> PathBuf {
    locations.gemini_dir.join("mcp-server-enablement.json")
}

/// The names that are switched off, trimmed and in lower case. A file that cannot be read switches nothing off.
pub(super) fn disabled(locations: &Locations) -> BTreeSet<String> {
    let entries = match read(&file(locations)) {
        Ok(entries) => entries,
        Err(problem) => {
            tracing::warn!(problem, "nothing is switched off");
            return BTreeSet::new();
        }
    };
    let is_off = |entry: &Value| entry.get("enabled").and_then(Value::as_bool) == Some(false);
    let off = entries.into_iter().filter(|(_, entry)| is_off(entry));
    off.map(|(name, _)| name).collect()
}

pub(super) fn switch(locations: &Locations, server: &str, switch: Switch) -> Result<(), String> {
    let path = file(locations);
    let failed =
        |error: &dyn std::fmt::Display| format!("{} cannot be changed: {error}", path.display());
    create_private_folder(&locations.gemini_dir).map_err(|error| failed(&error))?;
    let lock = lock_file(&path, Patience::USUAL).map_err(|error| failed(&error))?;
    let Some(_lock) = lock else {
        return Err(failed(&"another program is writing it"));
    };
    let mut entries = read(&path)?;
    let name = server.trim().to_lowercase();
    match switch {
        Switch::On => {
            entries.shift_remove(&name);
        }
        Switch::Off => {
            entries.insert(name, json!({ "enabled": false }));
        }
    }
    let text = serde_json::to_string_pretty(&entries).unwrap_or_default();
    let text = format!("{text}\n");
    replace_file(&path, text.as_bytes(), Durability::PowerCut).map_err(|error| failed(&error))
}

/// What is no object is not overwritten: somebody has written it.
fn read(path: &Path) -> Result<Map<String, Value>, String> {
    if is_foreign(path) {
        let path = path.display();
        return Err(format!(
            "{path} is not used: it or its folder belongs to another user"
        ));
    }
    let text = match std::fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Map::new()),
        Err(error) => return Err(format!("{} cannot be read: {error}", path.display())),
    };
    match serde_json::from_str(&text) {
        Ok(Value::Object(entries)) => Ok(entries),
        Ok(_) | Err(_) => Err(format!("{} is not a JSON object", path.display())),
    }
}

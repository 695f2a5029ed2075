//! Servers put into a settings file and taken out again.

#[cfg(test)]
mod tests;

use std::io;
use std::path::Path;

use anyhow::{Context as _, Result, bail};
use pollux_settings::{Durability, Patience, create_private_folder, lock_file, replace_file};
use serde_json::{Map, Value};

const SERVERS: &str = "mcpServers";

/// What became of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Done {
    Added,
    Replaced,
    Removed,
    NotThere,
}

pub(super) fn add(file: &Path, name: &str, entry: Value) -> Result<Done> {
    let advice = serde_json::to_string_pretty(&entry).unwrap_or_default();
    let advice = format!("put this into its `{SERVERS}` by hand:\n\"{name}\": {advice}");
    change(file, &advice, |settings| {
        let servers = settings
            .entry(SERVERS)
            .or_insert_with(|| Value::Object(Map::new()));
        let Some(servers) = servers.as_object_mut() else {
            bail!("`{SERVERS}` is not an object in {}", file.display());
        };
        Ok(match servers.insert(name.to_owned(), entry) {
            Some(_) => Done::Replaced,
            None => Done::Added,
        })
    })
}

pub(super) fn remove(file: &Path, name: &str) -> Result<Done> {
    let advice = format!("take \"{name}\" out of its `{SERVERS}` by hand");
    change(file, &advice, |settings| {
        let servers = settings.get_mut(SERVERS).and_then(Value::as_object_mut);
        let removed = servers.and_then(|servers| servers.shift_remove(name));
        Ok(match removed {
            Some(_) => Done::Removed,
            None => Done::NotThere,
        })
    })
}

/// Comments would be lost by writing the file anew, so a file that has any is left to its author.
fn change(
    file: &Path,
    advice: &str,
    edit: impl FnOnce(&mut Map<String, Value>) -> Result<Done>,
) -> Result<Done> {
    let file = &pollux_settings::real_path(file);
    let name = file.display();
    if let Some(folder) = file.parent() {
        create_private_folder(folder).with_context(|| format!("{name} cannot be written"))?;
    }
    let lock = lock_file(file, Patience::USUAL);
    let lock = lock.with_context(|| format!("{name} cannot be locked"))?;
    let Some(_lock) = lock else {
        bail!("another program is writing {name}; try again");
    };
    let text = match std::fs::read_to_string(file) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
        Err(error) => return Err(error).with_context(|| format!("{name} cannot be read")),
    };
    let mut settings = match text.trim().is_empty() {
        true => Map::new(),
        false => match serde_json::from_str(&text) {
            Ok(Value::Object(settings)) => settings,
            Ok(_) | Err(_) => {
                bail!("{name} has comments in it or is no JSON, and is left as it is; {advice}")
            }
        },
    };
    let done = edit(&mut settings)?;
    if done != Done::NotThere {
        let text = serde_json::to_string_pretty(&settings)?;
        replace_file(file, format!("{text}\n").as_bytes(), Durability::PowerCut)
            .with_context(|| format!("{name} cannot be written"))?;
    }
    Ok(done)
}

//! Servers put into a settings file and taken out again.

#[cfg(test)]
mod tests;

use std::path::Path;

use anyhow::{Result, bail};
use jsonc_parser::cst::{CstInputValue, CstObjectProp, CstRootNode};
use serde_json::Value;

use crate::settings_file::{READABLE, change};

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
    let done = change(file, |settings| {
        let servers = settings.object_value_or_create(SERVERS);
        let Some(servers) = servers else {
            bail!("`{SERVERS}` is not an object in {}", file.display());
        };
        // The last of several counts, to whoever reads the file.
        let known = servers.properties().into_iter().rev();
        let mut known = known.filter(|known| is_called(known, name));
        Ok(Some(match known.next() {
            Some(known) => {
                known.set_value(input(entry));
                Done::Replaced
            }
            None => {
                servers.append(name, input(entry));
                Done::Added
            }
        }))
    })?;
    Ok(done.unwrap_or(Done::NotThere))
}

pub(super) fn remove(file: &Path, name: &str) -> Result<Done> {
    let done = change(file, |settings| {
        let servers = settings.object_value(SERVERS);
        let known = servers.map(|servers| servers.properties());
        let known = known.into_iter().flatten();
        let known = known.filter(|known| is_called(known, name));
        Ok(known.fold(None, |_, known| {
            known.remove();
            Some(Done::Removed)
        }))
    })?;
    Ok(done.unwrap_or(Done::NotThere))
}

/// The servers that a file names, for whoever must not use them. None where it cannot be read, and none whose name
/// would move the cursor of a terminal.
pub(super) fn names(file: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(file).unwrap_or_default();
    let settings = CstRootNode::parse(&text, &READABLE).ok();
    let settings = settings.and_then(|settings| settings.object_value());
    let servers = settings.and_then(|settings| settings.object_value(SERVERS));
    let servers = servers.map(|servers| servers.properties());
    let names = servers.into_iter().flatten();
    let names = names.filter_map(|known| known.decoded_name());
    let is_plain = |name: &String| !name.chars().any(char::is_control);
    names.filter(is_plain).collect()
}

fn is_called(property: &CstObjectProp, name: &str) -> bool {
    property.decoded_name().as_deref() == Some(name)
}

fn input(value: Value) -> CstInputValue {
    match value {
        Value::Null => CstInputValue::Null,
        Value::Bool(value) => CstInputValue::Bool(value),
        Value::Number(value) => CstInputValue::Number(value.to_string()),
        Value::String(value) => CstInputValue::String(value),
        Value::Array(values) => CstInputValue::Array(values.into_iter().map(input).collect()),
        Value::Object(fields) => {
            let fields = fields.into_iter();
            CstInputValue::Object(fields.map(|(name, value)| (name, input(value))).collect())
        }
    }
}

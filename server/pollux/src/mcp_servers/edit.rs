//! Servers put into a settings file and taken out again.

#[cfg(test)]
mod tests;

use std::io;
use std::path::Path;

use anyhow::{Context as _, Result, anyhow, bail};
use jsonc_parser::ParseOptions;
use jsonc_parser::cst::{CstInputValue, CstObject, CstObjectProp, CstRootNode};
use pollux_settings::{Durability, Patience, create_private_folder, lock_file, replace_file};
use serde_json::Value;

const SERVERS: &str = "mcpServers";
/// With the layout that a new file gets.
const EMPTY: &str = "{\n}\n";

/// What became of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Done {
    Added,
    Replaced,
    Removed,
    NotThere,
}

pub(super) fn add(file: &Path, name: &str, entry: Value) -> Result<Done> {
    change(file, |settings| {
        let servers = settings.object_value_or_create(SERVERS);
        let Some(servers) = servers else {
            bail!("`{SERVERS}` is not an object in {}", file.display());
        };
        // The last of several counts, to whoever reads the file.
        let known = servers.properties().into_iter().rev();
        let mut known = known.filter(|known| is_called(known, name));
        Ok(match known.next() {
            Some(known) => {
                known.set_value(input(entry));
                Done::Replaced
            }
            None => {
                servers.append(name, input(entry));
                Done::Added
            }
        })
    })
}

pub(super) fn remove(file: &Path, name: &str) -> Result<Done> {
    change(file, |settings| {
        let servers = settings.object_value(SERVERS);
        let known = servers.map(|servers| servers.properties());
        let known = known.into_iter().flatten();
        let known = known.filter(|known| is_called(known, name));
        Ok(known.fold(Done::NotThere, |_, known| {
            known.remove();
            Done::Removed
        }))
    })
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

/// Comments are all that a settings file may have beyond JSON.
const READABLE: ParseOptions = ParseOptions {
    allow_comments: true,
    allow_loose_object_property_names: false,
    allow_trailing_commas: false,
    allow_missing_commas: false,
    allow_single_quoted_strings: false,
    allow_hexadecimal_numbers: false,
    allow_unary_plus_numbers: false,
    allow_bare_decimal_point_numbers: false,
    allow_non_finite_numbers: false,
    allow_extended_string_escapes: false,
};

/// Changes the text and not what it stands for: comments and layout are the author's.
fn change(file: &Path, edit: impl FnOnce(&CstObject) -> Result<Done>) -> Result<Done> {
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
        Ok(text) if text.trim().is_empty() => EMPTY.to_owned(),
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => EMPTY.to_owned(),
        Err(error) => return Err(error).with_context(|| format!("{name} cannot be read")),
    };
    let settings = CstRootNode::parse(&text, &READABLE);
    let settings = settings.map_err(|error| anyhow!("{name} is left as it is: {error}"))?;
    let Some(object) = settings.object_value() else {
        bail!("{name} is left as it is, because it is no object");
    };
    let done = edit(&object)?;
    if done != Done::NotThere {
        replace_file(file, settings.to_string().as_bytes(), Durability::PowerCut)
            .with_context(|| format!("{name} cannot be written"))?;
    }
    Ok(done)
}

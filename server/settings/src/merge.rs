//! Layers become one set of settings.
//!
//! The schema says how each path combines. Names that mean something to JavaScript objects are left out
//! at every depth, as the twin does, so that both see the same settings.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use crate::schema::{self, Entry, Merge};

const SKIPPED_KEYS: &[&str] = &["__proto__", "constructor", "prototype"];

/// Puts `layer` on top of `settings`.
pub(crate) fn merge(settings: &mut Map<String, Value>, layer: &Map<String, Value>) {
    merge_objects(settings, layer, &mut Vec::new());
}

fn merge_objects<'a>(
    target: &mut Map<String, Value>,
    source: &'a Map<String, Value>,
    path: &mut Vec<&'a str>,
) {
    for (key, value) in source {
        if SKIPPED_KEYS.contains(&key.as_str()) {
            continue;
        }
        path.push(key);
        match target.get_mut(key) {
            None => {
                target.insert(key.clone(), cleaned(value));
            }
            Some(present) => merge_value(present, value, path),
        }
        path.pop();
    }
}

fn merge_value<'a>(present: &mut Value, value: &'a Value, path: &mut Vec<&'a str>) {
    match (schema::merge_of(path), &mut *present, value) {
        (Merge::Concat, Value::Array(items), _) => items.extend(as_list(value)),
        (Merge::Union, Value::Array(items), _) => {
            for item in as_list(value) {
                if !items.contains(&item) {
                    items.push(item);
                }
            }
        }
        (Merge::Shallow, Value::Object(target), Value::Object(source)) => {
            for (key, value) in source {
                if !SKIPPED_KEYS.contains(&key.as_str()) {
                    target.insert(key.clone(), cleaned(value));
                }
            }
        }
        (_, Value::Object(target), Value::Object(source)) => merge_objects(target, source, path),
        // `"security": 5` was reported; it must not switch off every rule of the layers below.
        (_, Value::Object(_), _) if matches!(schema::entry(path), Entry::Section) => {}
        _ => *present = cleaned(value),
    }
}

/// Someone who writes `"exclude": "x"` means a list of one.
fn as_list(value: &Value) -> Vec<Value> {
    match value {
        Value::Array(items) => items.clone(),
        single => vec![single.clone()],
    }
}

fn cleaned(value: &Value) -> Value {
    match value {
        Value::Object(entries) => Value::Object(
            entries
                .iter()
                .filter(|(key, _)| !SKIPPED_KEYS.contains(&key.as_str()))
                .map(|(key, value)| (key.clone(), cleaned(value)))
                .collect(),
        ),
        other => other.clone(),
    }
}

/// The lists of MCP servers, which no layer may widen: what any file excludes is excluded, and only what
/// every file that has an opinion allows is allowed. `layers` go from the lowest to the highest; names
/// are compared without case and space, and keep the spelling of the lowest layer.
///
/// An empty result says that the files agree on no server. It is not the same as no list.
pub(crate) fn combine_mcp_lists(settings: &mut Map<String, Value>, layers: &[&Map<String, Value>]) {
    let mut excluded: Option<Vec<String>> = None;
    let mut allowed: Option<Vec<String>> = None;
    for mcp in layers.iter().filter_map(|layer| layer.get("mcp")) {
        if let Some(names) = mcp.get("excluded") {
            excluded.get_or_insert_default().extend(names_in(names));
        }
        if let Some(value) = mcp.get("allowed") {
            let names = names_in(value);
            allowed = Some(match allowed {
                None => names,
                Some(so_far) => {
                    let also: BTreeSet<String> = names.iter().map(|name| folded(name)).collect();
                    so_far
                        .into_iter()
                        .filter(|name| also.contains(&folded(name)))
                        .collect()
                }
            });
        }
    }
    let lists = [("excluded", excluded), ("allowed", allowed)];
    for (key, names) in lists {
        let Some(names) = names else { continue };
        let mcp = settings
            .entry("mcp")
            .or_insert_with(|| Value::Object(Map::new()));
        if let Value::Object(mcp) = mcp {
            mcp.insert(key.to_owned(), Value::from(names));
        }
    }
}

/// A list that is not a list names nobody: a mistake in a restriction must not lift it.
fn names_in(value: &Value) -> Vec<String> {
    as_list(value)
        .iter()
        .filter_map(Value::as_str)
        .map(|name| name.trim().to_owned())
        .collect()
}

fn folded(name: &str) -> String {
    name.trim().to_lowercase()
}

#[cfg(test)]
mod tests;

//! Variables inside settings: `$NAME`, `${NAME}`, `${NAME:-default}`.
//!
//! A name that is not set is left as it was written, so that a missing variable is visible where it
//! matters. What was put in is not looked at again: a value cannot name further variables.

use serde_json::Value;

use crate::environment::Environment;

/// Expands every string inside `value`. Keys are left alone.
pub(crate) fn expand(value: &mut Value, environment: &Environment) {
    match value {
        Value::String(text) => {
            if text.contains('$') {
                *text = expand_text(text, environment);
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| expand(item, environment)),
        Value::Object(entries) => entries
            .values_mut()
            .for_each(|entry| expand(entry, environment)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

fn expand_text(text: &str, environment: &Environment) -> String {
    let mut expanded = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, from_dollar)) = split_at(rest, '$') {
        expanded.push_str(before);
        match placeholder(from_dollar) {
            Some(found) => {
                let value = environment.get(found.name).or(found.default);
                expanded.push_str(value.unwrap_or(found.written));
                rest = found.after;
            }
            None => {
                expanded.push('$');
                rest = from_dollar.strip_prefix('$').unwrap_or_default();
            }
        }
    }
    expanded.push_str(rest);
    expanded
}

struct Placeholder<'a> {
    written: &'a str,
    name: &'a str,
    default: Option<&'a str>,
    after: &'a str,
}

/// Reads the placeholder at the start of `text`, which begins with `$`.
fn placeholder(text: &str) -> Option<Placeholder<'_>> {
    let after_dollar = text.strip_prefix('$')?;
    if let Some(inner) = after_dollar.strip_prefix('{') {
        let (content, after) = inner.split_once('}')?;
        let (name, default) = match content.split_once(":-") {
            Some((name, default)) => (name, Some(default)),
            None => (content, None),
        };
        if name.is_empty() {
            return None;
        }
        let written = text.strip_suffix(after)?;
        return Some(Placeholder {
            written,
            name,
            default,
            after,
        });
    }
    let length = after_dollar
        .bytes()
        .take_while(|byte| byte.is_ascii_alphanumeric() || *byte == b'_')
        .count();
    let (name, after) = after_dollar.split_at_checked(length)?;
    if name.is_empty() {
        return None;
    }
    Some(Placeholder {
        written: text.strip_suffix(after)?,
        name,
        default: None,
        after,
    })
}

fn split_at(text: &str, mark: char) -> Option<(&str, &str)> {
    text.find(mark).and_then(|at| text.split_at_checked(at))
}

#[cfg(test)]
mod tests;

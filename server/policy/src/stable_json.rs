//! Arguments as one line of text that patterns are tested against.
//!
//! The same arguments always give the same text, whatever order a model wrote them in. NUL bytes stand around
//! each pair of the outermost object, where no JSON text can contain one: a pattern that wants the *argument*
//! `"file_path":"x"` can tell it from the same characters inside another argument.

use serde_json::{Map, Number, Value};

const BORDER: char = '\0';

pub(crate) fn stable_json(args: &Map<String, Value>) -> String {
    let mut out = String::with_capacity(64);
    out.push('{');
    for (place, (key, value)) in sorted(args).into_iter().enumerate() {
        if place > 0 {
            out.push(',');
        }
        out.push(BORDER);
        write_pair(&mut out, key, value);
        out.push(BORDER);
    }
    out.push('}');
    out
}

/// A string as JSON writes it, quotes included.
pub(crate) fn quoted(text: &str) -> String {
    Value::from(text).to_string()
}

fn write_value(out: &mut String, value: &Value) {
    match value {
        Value::Object(object) => {
            out.push('{');
            for (place, (key, value)) in sorted(object).into_iter().enumerate() {
                if place > 0 {
                    out.push(',');
                }
                write_pair(out, key, value);
            }
            out.push('}');
        }
        Value::Array(values) => {
            out.push('[');
            for (place, value) in values.iter().enumerate() {
                if place > 0 {
                    out.push(',');
                }
                write_value(out, value);
            }
            out.push(']');
        }
        Value::Number(number) => out.push_str(&plain(number)),
        Value::String(text) => out.push_str(&quoted(text)),
        Value::Bool(_) | Value::Null => out.push_str(&value.to_string()),
    }
}

fn write_pair(out: &mut String, key: &str, value: &Value) {
    out.push_str(&quoted(key));
    out.push(':');
    write_value(out, value);
}

/// In the order of UTF-16 units, which is how the twin sorts.
fn sorted(object: &Map<String, Value>) -> Vec<(&str, &Value)> {
    let mut pairs: Vec<_> = object
        .iter()
        .map(|(key, value)| (key.as_str(), value))
        .collect();
    pairs.sort_by(|(left, _), (right, _)| left.encode_utf16().cmp(right.encode_utf16()));
    pairs
}

/// A pattern that says `"line":5` also means a model's `5.0`.
fn plain(number: &Number) -> String {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    match number.as_f64() {
        Some(value) if number.is_f64() && value.fract() == 0.0 && value.abs() < EXACT => {
            format!("{value:.0}")
        }
        _ => number.to_string(),
    }
}

#[cfg(test)]
mod tests;

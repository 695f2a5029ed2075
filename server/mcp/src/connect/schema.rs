//! Schemas of tools, as models take them, and only as large as anybody would write them.

#[cfg(test)]
mod tests;

use std::collections::HashMap;

use serde_json::{Map, Value, json};

/// Bytes of a schema, written out.
const LARGEST: usize = 128 * 1024;
/// How deep it may be nested.
const DEEPEST: usize = 40;
/// Values in it, with every reference followed: a few lines of references can stand for billions.
const MOST_VALUES: u64 = 20_000;

/// Why a tool cannot be offered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum SchemaError {
    #[error("its schema has more than {LARGEST} bytes")]
    Size,
    #[error("its schema is nested more than {DEEPEST} times")]
    Depth,
    #[error("its schema stands for more than {MOST_VALUES} values")]
    Values,
}

/// The schema for a model. `"type": ["string", "null"]` becomes `"string"` that is nullable.
pub(super) fn adapted(schema: &Map<String, Value>) -> Result<Value, SchemaError> {
    let mut schema = Value::Object(schema.clone());
    if schema.as_object().is_some_and(Map::is_empty) {
        schema = json!({ "type": "object", "properties": {} });
    }
    if deeper_than(&schema, DEEPEST) {
        return Err(SchemaError::Depth);
    }
    if schema.to_string().len() > LARGEST {
        return Err(SchemaError::Size);
    }
    let mut count = Count {
        root: &schema,
        known: HashMap::new(),
    };
    if count.of(&schema) > MOST_VALUES {
        return Err(SchemaError::Values);
    }
    make_nullable(&mut schema);
    Ok(schema)
}

fn deeper_than(value: &Value, depth: usize) -> bool {
    let Some(depth) = depth.checked_sub(1) else {
        return true;
    };
    match value {
        Value::Array(values) => values.iter().any(|value| deeper_than(value, depth)),
        Value::Object(values) => values.values().any(|value| deeper_than(value, depth)),
        _ => false,
    }
}

/// Counts the values that a schema stands for.
struct Count<'a> {
    root: &'a Value,
    /// What references stand for. One that is being counted counts for one: a schema may speak of itself.
    known: HashMap<&'a str, u64>,
}

impl<'a> Count<'a> {
    fn of(&mut self, value: &'a Value) -> u64 {
        match value {
            Value::Array(values) => {
                let counts = values.iter().map(|value| self.of(value));
                counts.fold(1, u64::saturating_add)
            }
            Value::Object(values) => {
                let mut count: u64 = 1;
                for (name, value) in values {
                    count = count.saturating_add(match (name.as_str(), value) {
                        ("$ref" | "$dynamicRef", Value::String(target)) => self.behind(target),
                        _ => self.of(value),
                    });
                }
                count
            }
            _ => 1,
        }
    }

    fn behind(&mut self, target: &'a str) -> u64 {
        if let Some(known) = self.known.get(target) {
            return *known;
        }
        self.known.insert(target, 1);
        let pointer = target.strip_prefix('#');
        let found = pointer.and_then(|pointer| self.root.pointer(pointer));
        let count = found.map_or(1, |value| self.of(value));
        self.known.insert(target, count);
        count
    }
}

fn make_nullable(value: &mut Value) {
    match value {
        Value::Array(values) => values.iter_mut().for_each(make_nullable),
        Value::Object(fields) => {
            fields.values_mut().for_each(make_nullable);
            if let Some(Value::Array(types)) = fields.get("type")
                && let [one, other] = types.as_slice()
            {
                let kind = match (one.as_str(), other.as_str()) {
                    (Some("null"), Some(kind)) | (Some(kind), Some("null")) => kind.to_owned(),
                    _ => return,
                };
                fields.insert("type".to_owned(), Value::String(kind));
                fields.insert("nullable".to_owned(), Value::Bool(true));
            }
        }
        _ => {}
    }
}

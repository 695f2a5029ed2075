//! The everyday case: arguments that fit a schema of everyday words, seen without building a validator.
//!
//! A validator is built for each call, and the first one brings the schema of all schemas with it, which then stays in
//! memory. What is not sure here is left to it, and so is the sentence about what is wrong.

use serde_json::{Map, Value};

#[cfg(test)]
mod tests;

/// Whether the arguments surely fit. `false` says nothing.
pub(super) fn surely(schema: &Value, args: &Map<String, Value>) -> bool {
    fits(schema, Instance::Object(args))
}

/// A value, or the arguments of a call, which are not one by themselves and may be large.
#[derive(Clone, Copy)]
enum Instance<'a> {
    Object(&'a Map<String, Value>),
    Other(&'a Value),
}

impl<'a> From<&'a Value> for Instance<'a> {
    fn from(value: &'a Value) -> Self {
        match value {
            Value::Object(object) => Self::Object(object),
            other => Self::Other(other),
        }
    }
}

fn fits(schema: &Value, instance: Instance<'_>) -> bool {
    let Value::Object(schema) = schema else {
        return *schema == Value::Bool(true);
    };
    // All these words mean the same in every draft, and none depends on a word that is not here.
    let satisfied = |(word, wanted): (&String, &Value)| match word.as_str() {
        "$schema" | "title" | "description" => wanted.is_string(),
        "type" => wanted.as_str().is_some_and(|kind| is_a(kind, instance)),
        "enum" => match instance {
            Instance::Object(_) => false,
            Instance::Other(value) => wanted.as_array().is_some_and(|all| all.contains(value)),
        },
        "properties" | "required" | "additionalProperties" => match instance {
            Instance::Object(object) => object_fits(word, wanted, schema, object),
            Instance::Other(_) => false,
        },
        "items" => elements(instance).is_some_and(|elements| {
            elements
                .iter()
                .all(|element| fits(wanted, Instance::from(element)))
        }),
        "minItems" => at_least(wanted, elements(instance).map(<[Value]>::len)),
        "maxItems" => at_most(wanted, elements(instance).map(<[Value]>::len)),
        "minLength" => at_least(wanted, characters(instance)),
        "maxLength" => at_most(wanted, characters(instance)),
        "minimum" => integers(wanted, instance).is_some_and(|(limit, found)| found >= limit),
        "maximum" => integers(wanted, instance).is_some_and(|(limit, found)| found <= limit),
        _ => false,
    };
    schema.iter().all(satisfied)
}

fn is_a(kind: &str, instance: Instance<'_>) -> bool {
    match instance {
        Instance::Object(_) => kind == "object",
        Instance::Other(value) => match kind {
            "array" => value.is_array(),
            "boolean" => value.is_boolean(),
            // A whole number may also be written with a fraction of zero; that is not for here.
            "integer" => value.is_i64() || value.is_u64(),
            "null" => value.is_null(),
            "number" => value.is_number(),
            "string" => value.is_string(),
            _ => false,
        },
    }
}

fn object_fits(
    word: &str,
    wanted: &Value,
    schema: &Map<String, Value>,
    object: &Map<String, Value>,
) -> bool {
    let declared = |name: &str| schema.get("properties").and_then(|all| all.get(name));
    let mut members = object.iter();
    match word {
        "properties" => {
            wanted.is_object()
                && members.all(|(name, value)| {
                    declared(name).is_none_or(|schema| fits(schema, Instance::from(value)))
                })
        }
        "required" => wanted.as_array().is_some_and(|names| {
            let mut names = names.iter().map(Value::as_str);
            names.all(|name| name.is_some_and(|name| object.contains_key(name)))
        }),
        _ => members
            .all(|(name, value)| declared(name).is_some() || fits(wanted, Instance::from(value))),
    }
}

fn elements(instance: Instance<'_>) -> Option<&[Value]> {
    match instance {
        Instance::Object(_) => None,
        Instance::Other(value) => value.as_array().map(Vec::as_slice),
    }
}

fn characters(instance: Instance<'_>) -> Option<usize> {
    match instance {
        Instance::Object(_) => None,
        Instance::Other(value) => value.as_str().map(|text| text.chars().count()),
    }
}

fn at_least(limit: &Value, found: Option<usize>) -> bool {
    let limit = limit.as_u64();
    limit.is_some_and(|limit| found.is_some_and(|found| found as u64 >= limit))
}

fn at_most(limit: &Value, found: Option<usize>) -> bool {
    let limit = limit.as_u64();
    limit.is_some_and(|limit| found.is_some_and(|found| found as u64 <= limit))
}

fn integers(limit: &Value, instance: Instance<'_>) -> Option<(i64, i64)> {
    match instance {
        Instance::Object(_) => None,
        Instance::Other(value) => Some((limit.as_i64()?, value.as_i64()?)),
    }
}

//! JSON Schema read into the few shapes our payloads have.
//!
//! Both printers work on these, so neither has to know how a schema spells an optional list.

use serde_json::{Map, Value};

#[cfg(test)]
mod tests;

pub(super) struct Type {
    pub(super) name: String,
    pub(super) docs: String,
    pub(super) shape: Shape,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Shape {
    Anything,
    Text,
    Integer,
    Number,
    Boolean,
    Null,
    Reference(String),
    /// One fixed value, with what it means.
    Literal {
        value: Value,
        docs: String,
    },
    List(Box<Shape>),
    /// An object used as a map from any key.
    Table(Box<Shape>),
    Object(Vec<Field>),
    /// One of these.
    Choice(Vec<Shape>),
    /// All of these at once.
    Both(Vec<Shape>),
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Field {
    pub(super) name: String,
    pub(super) docs: String,
    pub(super) shape: Shape,
    pub(super) presence: Presence,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Presence {
    Required,
    Optional,
}

/// Every definition, by name: the order of the list does not depend on who refers to whom.
pub(super) fn types(definitions: &Map<String, Value>) -> Vec<Type> {
    let mut types: Vec<Type> = definitions
        .iter()
        .map(|(name, schema)| Type {
            name: name.clone(),
            docs: docs(schema),
            shape: shape(schema),
        })
        .collect();
    types.sort_by(|left, right| left.name.cmp(&right.name));
    types
}

pub(super) fn shape(schema: &Value) -> Shape {
    let mut parts = Vec::new();
    if let Some(name) = schema.get("$ref").and_then(Value::as_str) {
        parts.push(Shape::Reference(
            name.trim_start_matches("#/$defs/").to_owned(),
        ));
    }
    if let Some(value) = schema.get("const") {
        parts.push(Shape::Literal {
            value: value.clone(),
            docs: docs(schema),
        });
    } else if let Some(values) = list(schema, "enum") {
        let literals = values.iter().map(|value| Shape::Literal {
            value: value.clone(),
            docs: String::new(),
        });
        parts.push(choice(literals.collect()));
    } else {
        parts.extend(typed(schema));
    }
    for key in ["anyOf", "oneOf"] {
        if let Some(options) = list(schema, key) {
            parts.push(choice(options.iter().map(shape).collect()));
        }
    }
    if let Some(all) = list(schema, "allOf") {
        parts.extend(all.iter().map(shape));
    }
    if parts.len() > 1 {
        return Shape::Both(parts);
    }
    parts.pop().unwrap_or(Shape::Anything)
}

/// What the keyword `type` says, which may be a list of types.
fn typed(schema: &Value) -> Option<Shape> {
    match schema.get("type")? {
        Value::String(name) => Some(named(name, schema)),
        Value::Array(names) => {
            let names = names.iter().filter_map(Value::as_str);
            Some(choice(names.map(|name| named(name, schema)).collect()))
        }
        _ => None,
    }
}

fn named(name: &str, schema: &Value) -> Shape {
    match name {
        "string" => Shape::Text,
        "integer" => Shape::Integer,
        "number" => Shape::Number,
        "boolean" => Shape::Boolean,
        "null" => Shape::Null,
        "array" => Shape::List(Box::new(schema.get("items").map_or(Shape::Anything, shape))),
        "object" => object(schema),
        _ => Shape::Anything,
    }
}

fn object(schema: &Value) -> Shape {
    let properties = schema.get("properties").and_then(Value::as_object);
    let values = schema
        .get("additionalProperties")
        .filter(|values| **values != Value::Bool(false));
    if let (None, Some(values)) = (properties, values) {
        return Shape::Table(Box::new(shape(values)));
    }
    let required = list(schema, "required").unwrap_or_default();
    let fields = properties.into_iter().flatten().map(|(name, field)| Field {
        name: name.clone(),
        docs: docs(field),
        shape: shape(field),
        presence: if required.iter().any(|known| known == name) {
            Presence::Required
        } else {
            Presence::Optional
        },
    });
    Shape::Object(fields.collect())
}

fn choice(mut options: Vec<Shape>) -> Shape {
    match options.len() {
        1 => options.remove(0),
        _ => Shape::Choice(options),
    }
}

fn list<'a>(schema: &'a Value, key: &str) -> Option<&'a [Value]> {
    schema.get(key)?.as_array().map(Vec::as_slice)
}

fn docs(schema: &Value) -> String {
    let text = schema.get("description").and_then(Value::as_str);
    text.unwrap_or_default().to_owned()
}

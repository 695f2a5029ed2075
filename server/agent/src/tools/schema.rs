//! Arguments against a tool's JSON Schema.

mod fits;
#[cfg(test)]
mod tests;

use jsonschema::error::ValidationErrorKind;
use jsonschema::{ValidationError, Validator};
use serde_json::{Map, Value};

use super::ToolError;

/// Checks the arguments of a call. A schema that makes no sense checks nothing: it came from outside, and its tool
/// will have its own word.
pub(super) fn check(schema: &Value, args: &Map<String, Value>) -> Result<(), ToolError> {
    if fits::surely(schema, args) {
        return Ok(());
    }
    let Ok(validator) = validator(schema) else {
        return Ok(());
    };
    let args = Value::Object(args.clone());
    match validator.iter_errors(&args).next() {
        None => Ok(()),
        Some(error) => Err(ToolError::invalid(sentence(&error))),
    }
}

fn validator(schema: &Value) -> Result<Validator, ValidationError<'static>> {
    let draft = match schema.get("$schema").and_then(Value::as_str) {
        Some(uri) if uri.contains("2020-12") => jsonschema::Draft::Draft202012,
        _ => jsonschema::Draft::Draft7,
    };
    jsonschema::options().with_draft(draft).build(schema)
}

/// What is wrong and what would be right, in one sentence.
fn sentence(error: &ValidationError<'_>) -> String {
    let place = place(error.instance_path().as_str());
    match error.kind() {
        ValidationErrorKind::Required { property } => {
            let name = property.as_str().unwrap_or_default();
            format!("{place} must have `{name}`")
        }
        ValidationErrorKind::AdditionalProperties { unexpected } => {
            format!("{place} must not have `{}`", unexpected.join("`, `"))
        }
        ValidationErrorKind::Type { kind } => {
            let wanted = match kind {
                jsonschema::error::TypeKind::Single(kind) => kind.to_string(),
                jsonschema::error::TypeKind::Multiple(kinds) => {
                    let kinds: Vec<String> = kinds.iter().map(|kind| kind.to_string()).collect();
                    kinds.join(" or ")
                }
            };
            format!("{place} must be of type {wanted}")
        }
        ValidationErrorKind::Enum { options } => format!("{place} must be one of {options}"),
        ValidationErrorKind::Minimum { limit } => format!("{place} must be at least {limit}"),
        ValidationErrorKind::Maximum { limit } => format!("{place} must be at most {limit}"),
        ValidationErrorKind::MinItems { limit } => {
            format!("{place} must have at least {limit} items")
        }
        ValidationErrorKind::MaxItems { limit } => {
            format!("{place} must have at most {limit} items")
        }
        ValidationErrorKind::MinLength { .. } => format!("{place} must not be empty"),
        _ => format!("{place} does not fit the tool's schema"),
    }
}

/// `/todos/0/status` as a person would write it: `todos[0].status`.
fn place(pointer: &str) -> String {
    let mut place = String::new();
    for step in pointer.split('/').skip(1) {
        match step.parse::<usize>() {
            Ok(index) => place.push_str(&format!("[{index}]")),
            Err(_) => {
                if !place.is_empty() {
                    place.push('.');
                }
                place.push_str(step);
            }
        }
    }
    match place.is_empty() {
        true => "the parameters".to_owned(),
        false => format!("`{place}`"),
    }
}

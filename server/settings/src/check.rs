//! Compares one file's settings with the schema and repairs what can be repaired.
//!
//! Numbers and booleans written as strings become what they mean, because an expanded variable is always
//! a string. Everything else that does not fit stays as it is and is reported: an odd value must not
//! cost the user the rest of the file. Findings name keys and types, never values.

use serde_json::{Map, Number, Value};

use crate::json::{Step, describe};
use crate::schema::{self, Entry, Kind};

/// Something to tell the user about one value of one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Finding {
    pub(crate) steps: Vec<Step>,
    pub(crate) message: String,
    pub(crate) fix: Option<String>,
}

pub(crate) fn check(settings: &mut Map<String, Value>) -> Vec<Finding> {
    let mut check = Check::default();
    check.former_names(settings);
    check.object(settings);
    check.findings
}

#[derive(Default)]
struct Check {
    keys: Vec<String>,
    findings: Vec<Finding>,
}

impl Check {
    fn former_names(&mut self, settings: &Map<String, Value>) {
        for key in settings.keys() {
            if let Some(present) = schema::former_name(key) {
                self.findings.push(Finding {
                    steps: vec![Step::Key(key.clone())],
                    message: format!("`{key}` is a name of an older format and has no effect"),
                    fix: Some(format!("use `{present}`")),
                });
            }
        }
    }

    fn object(&mut self, object: &mut Map<String, Value>) {
        for (key, value) in object.iter_mut() {
            self.keys.push(key.clone());
            match schema::entry(&self.keys) {
                Entry::Row(row) => self.value(row.kind, value),
                Entry::Section if value.is_object() => {}
                Entry::Section => self.mismatch(self.steps(), "an object", value),
                // Nothing below it is known either.
                Entry::Unknown => {
                    self.keys.pop();
                    continue;
                }
            }
            if let Value::Object(inner) = value {
                self.object(inner);
            }
            self.keys.pop();
        }
    }

    fn value(&mut self, kind: Kind, value: &mut Value) {
        if let Some(better) = coerce(kind, value) {
            *value = better;
        }
        if let (Kind::TextList, Value::Array(items)) = (kind, &*value) {
            if let Some(index) = items.iter().position(|item| !item.is_string()) {
                let item = items.get(index).unwrap_or(&Value::Null);
                let mut steps = self.steps();
                steps.push(Step::Index(index));
                self.mismatch(steps, "a string", item);
            }
            return;
        }
        if !fits(kind, value) {
            self.mismatch(self.steps(), &expected(kind), value);
            return;
        }
        if let (Some(known), Value::Object(entries)) = (strict_keys(kind), &*value) {
            for key in entries.keys().filter(|key| !known.contains(&key.as_str())) {
                let mut steps = self.steps();
                steps.push(Step::Key(key.clone()));
                let message = format!("`{}` is not a known key", Step::path(&steps));
                self.report(steps, message);
            }
        }
    }

    fn mismatch(&mut self, steps: Vec<Step>, expected: &str, found: &Value) {
        let message = format!(
            "`{}` must be {expected}, not {}",
            Step::path(&steps),
            match found {
                // The right type but not one of the words; the word itself may be a secret.
                Value::String(_) if expected.starts_with("one of") => "another string",
                found => describe(found),
            }
        );
        self.report(steps, message);
    }

    fn report(&mut self, steps: Vec<Step>, message: String) {
        self.findings.push(Finding {
            steps,
            message,
            fix: None,
        });
    }

    fn steps(&self) -> Vec<Step> {
        self.keys.iter().cloned().map(Step::Key).collect()
    }
}

fn fits(kind: Kind, value: &Value) -> bool {
    match kind {
        Kind::Flag => value.is_boolean(),
        Kind::Number => value.is_number(),
        Kind::Text => value.is_string(),
        Kind::Choice(names) => value.as_str().is_some_and(|text| names.contains(&text)),
        Kind::List => value.is_array(),
        Kind::TextList => value
            .as_array()
            .is_some_and(|items| items.iter().all(Value::is_string)),
        Kind::Object | Kind::StrictObject(_) => value.is_object(),
        Kind::OneOf(kinds) => kinds.iter().any(|kind| fits(*kind, value)),
    }
}

/// The value a string stands for, where the schema wants a number or a boolean.
fn coerce(kind: Kind, value: &Value) -> Option<Value> {
    let text = value.as_str()?;
    match kind {
        Kind::Number => number(text.trim()).map(Value::Number),
        Kind::Flag => flag(text),
        // Where a string is as good as a boolean, only the two words themselves are taken for one.
        Kind::OneOf(kinds) if kinds.iter().any(|kind| matches!(kind, Kind::Flag)) => flag(text),
        _ => None,
    }
}

fn flag(text: &str) -> Option<Value> {
    if text.eq_ignore_ascii_case("true") {
        Some(Value::Bool(true))
    } else if text.eq_ignore_ascii_case("false") {
        Some(Value::Bool(false))
    } else {
        None
    }
}

fn number(text: &str) -> Option<Number> {
    if let Ok(whole) = text.parse::<i64>() {
        return Some(Number::from(whole));
    }
    // Rust would also read "inf" and "nan", which JSON cannot hold.
    text.parse::<f64>().ok().and_then(Number::from_f64)
}

fn strict_keys(kind: Kind) -> Option<&'static [&'static str]> {
    match kind {
        Kind::StrictObject(keys) => Some(keys),
        Kind::OneOf(kinds) => kinds.iter().find_map(|kind| strict_keys(*kind)),
        _ => None,
    }
}

fn expected(kind: Kind) -> String {
    match kind {
        Kind::Flag => "a boolean".to_owned(),
        Kind::Number => "a number".to_owned(),
        Kind::Text => "a string".to_owned(),
        Kind::Choice(names) => format!("one of {}", names.join(", ")),
        Kind::TextList => "a list of strings".to_owned(),
        Kind::List => "a list".to_owned(),
        Kind::Object | Kind::StrictObject(_) => "an object".to_owned(),
        Kind::OneOf(kinds) => kinds
            .iter()
            .map(|kind| expected(*kind))
            .collect::<Vec<_>>()
            .join(" or "),
    }
}

#[cfg(test)]
mod tests;

//! YAML as values of JSON. Files come with projects, so that what they make of themselves is bounded: an alias counts
//! as much as what it stands for.

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use saphyr_parser::{Event, Marker, Parser, ScalarStyle, Tag};
use serde_json::{Map, Number, Value};

/// Nobody writes more by hand.
const MOST_VALUES: usize = 10_000;
const DEEPEST: usize = 32;

/// Where and why a text is not understood. Both numbers begin at one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct NotUnderstood {
    pub(super) line: usize,
    pub(super) column: usize,
    pub(super) message: String,
}

impl NotUnderstood {
    fn at(place: &Marker, message: impl Into<String>) -> Self {
        Self {
            line: place.line().max(1),
            column: place.col() + 1,
            message: message.into(),
        }
    }
}

/// The one document in `text`.
pub(super) fn parse(text: &str) -> Result<Value, NotUnderstood> {
    let mut building = Building::default();
    for event in Parser::new_from_str(text) {
        let (event, span) = event.map_err(|error| {
            NotUnderstood::at(error.marker(), format!("YAML: {}", error.info()))
        })?;
        building
            .take(event)
            .map_err(|message| NotUnderstood::at(&span.start, message))?;
    }
    Ok(building.document.unwrap_or(Value::Null))
}

#[derive(Default)]
struct Building {
    /// What has begun and not ended, the innermost last.
    open: Vec<Open>,
    /// What aliases may stand for.
    anchored: BTreeMap<usize, Value>,
    values: usize,
    document: Option<Value>,
}

/// A list or an object that has not ended.
struct Open {
    anchor: usize,
    held: Held,
}

enum Held {
    List(Vec<Value>),
    Object {
        entries: Map<String, Value>,
        /// Whose value comes next.
        key: Option<String>,
    },
}

impl Building {
    fn take(&mut self, event: Event<'_>) -> Result<(), &'static str> {
        match event {
            Event::Nothing | Event::StreamStart | Event::StreamEnd | Event::DocumentEnd => Ok(()),
            Event::DocumentStart(_) if self.document.is_some() => {
                Err("there is more than one YAML document")
            }
            Event::DocumentStart(_) => Ok(()),
            Event::Scalar(text, style, anchor, tag) => {
                let value = scalar(&text, style, tag.as_deref())?;
                self.count(1)?;
                self.put(anchor, value)
            }
            Event::Alias(anchor) => {
                let value = self.anchored.get(&anchor).cloned();
                let value = value.ok_or("an alias stands for something that contains it")?;
                self.count(size(&value))?;
                self.put(0, value)
            }
            Event::SequenceStart(anchor, _) => self.open(anchor, Held::List(Vec::new())),
            Event::MappingStart(anchor, _) => self.open(
                anchor,
                Held::Object {
                    entries: Map::new(),
                    key: None,
                },
            ),
            Event::SequenceEnd | Event::MappingEnd => match self.open.pop() {
                Some(Open { anchor, held }) => self.put(
                    anchor,
                    match held {
                        Held::List(values) => Value::Array(values),
                        Held::Object { entries, .. } => Value::Object(entries),
                    },
                ),
                None => Err("something ends here that has not begun"),
            },
        }
    }

    fn open(&mut self, anchor: usize, held: Held) -> Result<(), &'static str> {
        self.count(1)?;
        if self.open.len() >= DEEPEST {
            return Err("this is nested too deeply");
        }
        self.open.push(Open { anchor, held });
        Ok(())
    }

    fn count(&mut self, more: usize) -> Result<(), &'static str> {
        self.values = self.values.saturating_add(more);
        match self.values > MOST_VALUES {
            true => Err("there are too many values"),
            false => Ok(()),
        }
    }

    fn put(&mut self, anchor: usize, value: Value) -> Result<(), &'static str> {
        if anchor > 0 {
            // What can be named again takes its place twice.
            self.count(size(&value))?;
            self.anchored.insert(anchor, value.clone());
        }
        match self.open.last_mut().map(|open| &mut open.held) {
            None => self.document = Some(value),
            Some(Held::List(values)) => values.push(value),
            Some(Held::Object { entries, key }) => match key.take() {
                None => *key = Some(as_key(value)?),
                Some(name) => {
                    if entries.insert(name, value).is_some() {
                        return Err("the same key stands here twice");
                    }
                }
            },
        }
        Ok(())
    }
}

fn as_key(value: Value) -> Result<String, &'static str> {
    match value {
        Value::String(text) => Ok(text),
        Value::Null | Value::Bool(_) | Value::Number(_) => Ok(value.to_string()),
        Value::Array(_) | Value::Object(_) => Err("a key is a word and nothing else"),
    }
}

fn size(value: &Value) -> usize {
    1 + match value {
        Value::Array(values) => values.iter().map(size).sum(),
        Value::Object(entries) => entries.values().map(size).sum::<usize>(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => 0,
    }
}

fn scalar(text: &str, style: ScalarStyle, tag: Option<&Tag>) -> Result<Value, &'static str> {
    match tag {
        None if style == ScalarStyle::Plain => Ok(plain(text)),
        None => Ok(Value::from(text)),
        Some(tag) if !tag.is_yaml_core_schema() => Err("this tag is not known"),
        Some(tag) if tag.suffix == "str" => Ok(Value::from(text)),
        Some(_) => Ok(plain(text)),
    }
}

/// What a word without quotes stands for, by the core schema of YAML 1.2. Numbers that JSON does not have stay words.
fn plain(text: &str) -> Value {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => return Value::Null,
        "true" | "True" | "TRUE" => return Value::Bool(true),
        "false" | "False" | "FALSE" => return Value::Bool(false),
        _ => {}
    }
    if let Some(digits) = text.strip_prefix("0x")
        && digits.bytes().all(|digit| digit.is_ascii_hexdigit())
        && let Ok(number) = u64::from_str_radix(digits, 16)
    {
        return Value::from(number);
    }
    if let Some(digits) = text.strip_prefix("0o")
        && digits.bytes().all(|digit| (b'0'..=b'7').contains(&digit))
        && let Ok(number) = u64::from_str_radix(digits, 8)
    {
        return Value::from(number);
    }
    // `inf`, `nan` and their like are numbers to Rust and words to YAML.
    let is_numeric = text.bytes().all(|byte| b"0123456789+-.eE".contains(&byte))
        && text.bytes().any(|byte| byte.is_ascii_digit());
    if !is_numeric {
        return Value::from(text);
    }
    if let Ok(number) = text.parse::<i64>() {
        return Value::from(number);
    }
    let number = text.parse::<f64>().ok().and_then(Number::from_f64);
    number.map_or_else(|| Value::from(text), Value::Number)
}

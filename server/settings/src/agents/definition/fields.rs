//! The entries of a description, each looked at by what it has to be. All that is wrong is kept, as lines
//! `path: message`, and no value is ever a part of one.

use serde_json::{Map, Value};

/// Of a key that somebody else has written, in a message.
const LONGEST_NAME: usize = 40;
const MOST_NAMES: usize = 5;

pub(super) struct Fields<'a> {
    entries: &'a Map<String, Value>,
    wrong: Vec<String>,
}

impl<'a> Fields<'a> {
    pub(super) fn of(entries: &'a Map<String, Value>) -> Self {
        Self {
            entries,
            wrong: Vec::new(),
        }
    }

    pub(super) fn wrong(&self) -> &[String] {
        &self.wrong
    }

    pub(super) fn note(&mut self, path: &str, message: &str) {
        self.wrong.push(format!("{path}: {message}"));
    }

    pub(super) fn mistyped(&mut self, path: &str, expected: &str, value: &Value) {
        let received = kind(value);
        self.note(path, &format!("Expected {expected}, received {received}"));
    }

    /// Nothing but these.
    pub(super) fn only(&mut self, known: &[&str]) {
        let keys = self.entries.keys();
        let others = keys.filter(|key| !known.contains(&key.as_str()));
        let others: Vec<String> = others.map(|key| format!("'{}'", shown(key))).collect();
        if !others.is_empty() {
            let others = capped(&others);
            self.wrong
                .push(format!("Unrecognized key(s) in object: {others}"));
        }
    }

    /// If it is there, it is one of the words that `accepts` takes.
    pub(super) fn expect(
        &mut self,
        name: &str,
        words: &str,
        accepts: impl Fn(&str) -> Result<(), ()>,
    ) {
        if let Some(value) = self.entries.get(name)
            && value.as_str().map(accepts) != Some(Ok(()))
        {
            self.note(name, &format!("Expected {words}"));
        }
    }

    pub(super) fn required<T>(
        &mut self,
        name: &str,
        read: impl Fn(&mut Self, &str, &Value) -> Option<T>,
    ) -> Option<T> {
        if !self.entries.contains_key(name) {
            self.note(name, "Required");
            return None;
        }
        self.optional(name, read)
    }

    pub(super) fn optional<T>(
        &mut self,
        name: &str,
        read: impl Fn(&mut Self, &str, &Value) -> Option<T>,
    ) -> Option<T> {
        let value = self.entries.get(name)?;
        read(self, name, value)
    }

    pub(super) fn text(&mut self, name: &str, value: &Value) -> Option<String> {
        match value {
            Value::String(text) => Some(text.clone()),
            _ => {
                self.mistyped(name, "string", value);
                None
            }
        }
    }

    pub(super) fn filled(&mut self, name: &str, value: &Value) -> Option<String> {
        let text = self.text(name, value)?;
        if text.trim().is_empty() {
            self.note(name, "must say something");
            return None;
        }
        Some(text)
    }

    pub(super) fn slug(&mut self, name: &str, value: &Value) -> Option<String> {
        let text = self.text(name, value)?;
        let is_letter = |letter: u8| {
            letter.is_ascii_lowercase() || letter.is_ascii_digit() || b"-_".contains(&letter)
        };
        if text.is_empty() || !text.bytes().all(is_letter) {
            self.note(name, "must be made of a-z, 0-9, `-` and `_`");
            return None;
        }
        Some(text)
    }

    pub(super) fn number(&mut self, name: &str, value: &Value) -> Option<f64> {
        let number = value.as_f64();
        if number.is_none() {
            self.mistyped(name, "number", value);
        }
        number
    }

    /// A whole number above zero.
    pub(super) fn count(&mut self, name: &str, value: &Value) -> Option<u32> {
        let number = self.number(name, value)?;
        let whole = match value.as_u64() {
            Some(whole) => u32::try_from(whole).ok(),
            // `5.0` is five, to the twin as well.
            None if number.fract() == 0.0 => format!("{number:.0}").parse().ok(),
            None => None,
        };
        match whole.filter(|whole| *whole > 0) {
            Some(whole) => Some(whole),
            None => {
                self.note(name, "must be a whole number above zero");
                None
            }
        }
    }

    /// The keys of an object whose values are looked at by somebody else.
    pub(super) fn names(&mut self, name: &str, value: &Value) -> Option<Vec<String>> {
        match value {
            Value::Object(entries) => {
                for (key, entry) in entries.iter().filter(|(_, entry)| !entry.is_object()) {
                    self.mistyped(&format!("{name}.{}", shown(key)), "object", entry);
                }
                Some(entries.keys().cloned().collect())
            }
            _ => {
                self.mistyped(name, "object", value);
                None
            }
        }
    }
}

/// Names that somebody else has written, as a message shows them.
pub(super) fn listed(names: &[String]) -> String {
    let names: Vec<String> = names.iter().map(|name| shown(name)).collect();
    capped(&names)
}

fn capped(names: &[String]) -> String {
    let first: Vec<&str> = names.iter().take(MOST_NAMES).map(String::as_str).collect();
    match names.len().saturating_sub(MOST_NAMES) {
        0 => first.join(", "),
        more => format!("{} and {more} more", first.join(", ")),
    }
}

fn shown(name: &str) -> String {
    let plain = name.chars().map(|letter| match letter.is_control() {
        true => ' ',
        false => letter,
    });
    let mut shown: String = plain.take(LONGEST_NAME).collect();
    if shown.len() < name.len() {
        shown.push('…');
    }
    shown
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

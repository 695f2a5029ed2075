//! Where values stand in the text of a document that has already been parsed.
//!
//! A second, small walk over the text: serde_json keeps no positions. Anything unexpected ends the walk
//! with `None`; a missing position must never cost the user a setting.

use std::fmt::Write;
use std::ops::Range;

use serde_json::Value;

/// One step from a value to a value inside it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Step {
    Key(String),
    Index(usize),
}

/// An entry of an object. Spans include the quotes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Member {
    pub(crate) name: String,
    pub(crate) key: Range<usize>,
    pub(crate) value: Range<usize>,
}

/// A kind of value with its article.
pub(crate) fn describe(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

impl Step {
    /// `tools.exclude[0]`, with quotes around keys that would read as several.
    pub(crate) fn path(steps: &[Step]) -> String {
        let mut text = String::new();
        for step in steps {
            let written = match step {
                Step::Index(index) => write!(text, "[{index}]"),
                Step::Key(key) => {
                    if !text.is_empty() {
                        text.push('.');
                    }
                    let plain = !key.is_empty()
                        && key
                            .chars()
                            .all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '$'));
                    if plain {
                        text.push_str(key);
                        Ok(())
                    } else {
                        write!(text, "{key:?}")
                    }
                }
            };
            debug_assert!(written.is_ok(), "writing to a string cannot fail");
        }
        text
    }
}

pub(super) fn locate(text: &str, steps: &[Step]) -> Option<Range<usize>> {
    let mut walk = Walk { text, position: 0 };
    let mut span = walk.value()?;
    for step in steps {
        let mut inside = Walk {
            text,
            position: span.start,
        };
        span = match step {
            // The parser keeps the last of several entries with one name.
            Step::Key(key) => {
                inside
                    .members()?
                    .into_iter()
                    .rfind(|member| member.name == *key)?
                    .value
            }
            Step::Index(index) => inside.elements()?.into_iter().nth(*index)?,
        };
    }
    Some(span)
}

pub(super) fn top_level_members(text: &str) -> Option<Vec<Member>> {
    let mut walk = Walk { text, position: 0 };
    walk.space();
    walk.members()
}

struct Walk<'a> {
    text: &'a str,
    position: usize,
}

impl Walk<'_> {
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.position).copied()
    }

    fn space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.position += 1;
        }
    }

    fn take(&mut self, expected: u8) -> Option<()> {
        self.space();
        (self.peek() == Some(expected)).then(|| self.position += 1)
    }

    fn members(&mut self) -> Option<Vec<Member>> {
        self.take(b'{')?;
        let mut members = Vec::new();
        if self.take(b'}').is_some() {
            return Some(members);
        }
        loop {
            let key = self.value()?;
            self.take(b':')?;
            let value = self.value()?;
            let name = serde_json::from_str(self.text.get(key.clone())?).ok()?;
            members.push(Member { name, key, value });
            if self.take(b',').is_none() {
                self.take(b'}')?;
                return Some(members);
            }
        }
    }

    fn elements(&mut self) -> Option<Vec<Range<usize>>> {
        self.take(b'[')?;
        let mut elements = Vec::new();
        if self.take(b']').is_some() {
            return Some(elements);
        }
        loop {
            elements.push(self.value()?);
            if self.take(b',').is_none() {
                self.take(b']')?;
                return Some(elements);
            }
        }
    }

    /// Steps over one value of any depth, without recursion.
    fn value(&mut self) -> Option<Range<usize>> {
        self.space();
        let start = self.position;
        let mut depth = 0_usize;
        loop {
            match self.peek() {
                Some(b'"') => self.string()?,
                Some(b'{' | b'[') => {
                    depth += 1;
                    self.position += 1;
                }
                Some(b'}' | b']') => {
                    depth = depth.checked_sub(1)?;
                    self.position += 1;
                }
                Some(b',' | b':' | b' ' | b'\t' | b'\n' | b'\r') if depth > 0 => {
                    self.position += 1;
                }
                Some(_) => self.word()?,
                None => return None,
            }
            if depth == 0 {
                return Some(start..self.position);
            }
        }
    }

    fn string(&mut self) -> Option<()> {
        self.position += 1;
        loop {
            match self.peek()? {
                b'"' => {
                    self.position += 1;
                    return Some(());
                }
                b'\\' => self.position += 2,
                _ => self.position += 1,
            }
        }
    }

    /// A number, `true`, `false` or `null`.
    fn word(&mut self) -> Option<()> {
        let start = self.position;
        while matches!(self.peek(), Some(byte) if byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.'))
        {
            self.position += 1;
        }
        (self.position > start).then_some(())
    }
}

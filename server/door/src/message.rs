//! As much of a message as a door understands.

use std::borrow::Cow;

use serde::{Deserialize, Deserializer};
use serde_json::Value;
use serde_json::value::RawValue;

/// A message, borrowed from its line.
#[derive(Debug, Deserialize)]
pub struct Message<'a> {
    #[serde(skip)]
    pub line: &'a [u8],
    #[serde(default, deserialize_with = "present")]
    id: Option<Value>,
    #[serde(default, borrow)]
    method: Option<Cow<'a, str>>,
    #[serde(default, borrow)]
    params: Option<&'a RawValue>,
    #[serde(default, borrow)]
    result: Option<&'a RawValue>,
    #[serde(default, borrow)]
    error: Option<&'a RawValue>,
}

/// A `null` that is there is something else than nothing.
fn present<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(from).map(Some)
}

impl<'a> Message<'a> {
    /// Nothing where the line is no message. That is for the host to say.
    pub fn read(line: &'a [u8]) -> Option<Self> {
        let message = serde_json::from_slice(line).ok()?;
        Some(Self { line, ..message })
    }

    /// The id as JSON, however it was spelled.
    pub fn id(&self) -> Option<String> {
        self.id.as_ref().map(Value::to_string)
    }

    /// Nothing for an answer.
    pub fn method(&self) -> Option<&str> {
        self.method.as_deref()
    }

    /// The parameters, as far as somebody wants to know them.
    pub fn params<T: Deserialize<'a>>(&self) -> Option<T> {
        read(self.params)
    }

    /// The same of what was answered.
    pub fn result<T: Deserialize<'a>>(&self) -> Option<T> {
        read(self.result)
    }

    pub fn is_refusal(&self) -> bool {
        self.error.is_some()
    }

    /// And of why it was refused.
    pub fn error<T: Deserialize<'a>>(&self) -> Option<T> {
        read(self.error)
    }
}

fn read<'a, T: Deserialize<'a>>(part: Option<&'a RawValue>) -> Option<T> {
    serde_json::from_str(part?.get()).ok()
}

//! What a message says: a text, a part, or a list of both.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Kept as the JSON it is, because parts have many fields and newer ones have more.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct RecordedContent(Value);

impl RecordedContent {
    pub fn text(text: impl Into<String>) -> Self {
        Self(Value::String(text.into()))
    }

    pub fn parts(parts: Vec<Value>) -> Self {
        Self(Value::Array(parts))
    }

    pub fn as_value(&self) -> &Value {
        &self.0
    }

    /// The parts one by one; a text is a part too.
    pub fn iter(&self) -> impl Iterator<Item = &Value> {
        match &self.0 {
            Value::Array(parts) => parts.as_slice(),
            Value::Null => &[],
            one => std::slice::from_ref(one),
        }
        .iter()
    }
}

impl From<Value> for RecordedContent {
    fn from(value: Value) -> Self {
        Self(value)
    }
}

//! The conversation as it is sent to a model.

use std::fmt;

use serde_json::{Map, Value};

/// Everything a model gets to see for one answer.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Request {
    pub system_instruction: Option<String>,
    /// The conversation, oldest first.
    pub contents: Vec<Content>,
    pub tools: Vec<ToolDeclaration>,
    /// Sampling and thinking parameters under the names of Gemini's `generationConfig`. Other
    /// providers take from it what they know.
    pub generation: Map<String, Value>,
}

/// One turn of one side.
#[derive(Clone, Debug, PartialEq)]
pub struct Content {
    pub role: Role,
    pub parts: Vec<Part>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// The person, and the tools that answer for the person's machine.
    User,
    Model,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Part {
    Text(String),
    /// Text that is not joined with its neighbours, or its signature would be worth nothing.
    SignedText(SignedText),
    Thought(Thought),
    FunctionCall(FunctionCall),
    FunctionResponse(FunctionResponse),
    InlineData(InlineData),
}

/// Text that some models want back exactly as it came.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SignedText {
    /// Often empty: the signature of a streamed answer comes behind it.
    pub text: String,
    /// Unread.
    pub signature: String,
}

impl Part {
    /// What it says, signed or not. A thought says nothing.
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            Self::SignedText(signed) => Some(&signed.text),
            Self::Thought(_)
            | Self::FunctionCall(_)
            | Self::FunctionResponse(_)
            | Self::InlineData(_) => None,
        }
    }
}

/// An image or another document, as it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InlineData {
    pub mime_type: String,
    /// Base64.
    pub data: String,
}

/// A summary of the model's reasoning: shown to the person, not part of the answer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Thought {
    pub subject: String,
    pub description: String,
}

/// Names one function call within a session; the response carries the same id.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CallId(String);

impl CallId {
    pub fn new(id: impl Into<String>) -> Self {
        Self(id.into())
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for CallId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The model asks for a tool to be run.
#[derive(Clone, Debug, PartialEq)]
pub struct FunctionCall {
    pub id: CallId,
    pub name: String,
    pub args: Map<String, Value>,
    /// What some models want back with the call, unread.
    pub signature: Option<String>,
}

/// What the tool returned: `output` on success, `error` otherwise, and data beside them.
#[derive(Clone, Debug, PartialEq)]
pub struct FunctionResponse {
    pub id: CallId,
    pub name: String,
    pub response: Map<String, Value>,
}

/// A tool as the model is told about it.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolDeclaration {
    pub name: String,
    pub description: String,
    /// JSON Schema of the arguments.
    pub parameters: Value,
}

impl Content {
    /// A prompt of the person.
    pub fn prompt(text: impl Into<String>) -> Self {
        Self {
            role: Role::User,
            parts: vec![Part::Text(text.into())],
        }
    }
}

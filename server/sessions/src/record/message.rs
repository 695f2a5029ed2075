//! One message of a conversation.

use std::time::SystemTime;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::content::RecordedContent;
use super::fields::{put, put_rest, take, take_value};
use super::tool_call::ToolCall;
use crate::id::MessageId;
use crate::time::iso;

#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(into = "Map<String, Value>")]
pub struct Message {
    pub id: MessageId,
    /// When it was recorded, as written.
    pub timestamp: Option<String>,
    pub kind: MessageKind,
    pub content: RecordedContent,
    /// What the person typed, if it is not what the model got.
    pub display_content: Option<RecordedContent>,
    pub tool_calls: Option<Vec<ToolCall>>,
    pub thoughts: Option<Vec<RecordedThought>>,
    pub tokens: Option<Tokens>,
    /// The model that wrote the message.
    pub model: Option<String>,
    /// Fields this version does not know, or cannot read.
    pub other: Map<String, Value>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MessageKind {
    /// The person, and the tools that answer for the person's machine.
    User,
    /// The model, whatever model it is.
    Gemini,
    Info,
    Error,
    Warning,
    /// A kind that is newer than this code.
    Other(String),
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RecordedThought {
    #[serde(default)]
    pub subject: String,
    #[serde(default)]
    pub description: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timestamp: Option<String>,
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

/// What the message cost.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Tokens {
    #[serde(default)]
    pub input: u64,
    #[serde(default)]
    pub output: u64,
    #[serde(default)]
    pub cached: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thoughts: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool: Option<u64>,
    #[serde(default)]
    pub total: u64,
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

impl Message {
    pub fn new(
        id: MessageId,
        kind: MessageKind,
        content: RecordedContent,
        now: SystemTime,
    ) -> Self {
        Self {
            id,
            timestamp: Some(iso(now)),
            kind,
            content,
            display_content: None,
            tool_calls: None,
            thoughts: None,
            tokens: None,
            model: None,
            other: Map::new(),
        }
    }

    /// Only an id makes an object a message; the rest is read as far as it can be.
    pub(crate) fn from_object(mut object: Map<String, Value>) -> Option<Self> {
        let id = take(&mut object, "id")?;
        let kind: String = take(&mut object, "type").unwrap_or_default();
        Some(Self {
            id,
            timestamp: take(&mut object, "timestamp"),
            kind: MessageKind::from(kind),
            content: take_value(&mut object, "content")
                .unwrap_or_default()
                .into(),
            display_content: take_value(&mut object, "displayContent").map(RecordedContent::from),
            tool_calls: take(&mut object, "toolCalls"),
            thoughts: take(&mut object, "thoughts"),
            tokens: take(&mut object, "tokens"),
            model: take(&mut object, "model"),
            other: object,
        })
    }
}

impl From<Message> for Map<String, Value> {
    fn from(message: Message) -> Self {
        let mut object = Self::new();
        put(&mut object, "id", Some(message.id));
        put(&mut object, "timestamp", message.timestamp);
        let kind = message.kind.as_str();
        put(&mut object, "type", (!kind.is_empty()).then_some(kind));
        put(&mut object, "content", Some(message.content));
        put(&mut object, "displayContent", message.display_content);
        put(&mut object, "toolCalls", message.tool_calls);
        put(&mut object, "thoughts", message.thoughts);
        put(&mut object, "tokens", message.tokens);
        put(&mut object, "model", message.model);
        put_rest(&mut object, message.other);
        object
    }
}

impl MessageKind {
    pub fn as_str(&self) -> &str {
        match self {
            Self::User => "user",
            Self::Gemini => "gemini",
            Self::Info => "info",
            Self::Error => "error",
            Self::Warning => "warning",
            Self::Other(name) => name,
        }
    }
}

impl From<String> for MessageKind {
    fn from(name: String) -> Self {
        match name.as_str() {
            "user" => Self::User,
            "gemini" => Self::Gemini,
            "info" => Self::Info,
            "error" => Self::Error,
            "warning" => Self::Warning,
            _ => Self::Other(name),
        }
    }
}

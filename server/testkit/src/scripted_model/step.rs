//! What a reply does, one step after the other.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value};

/// One step of a reply. In a script file a step is an object with one key, such as
/// `{"text": "hello"}`, or a bare word, such as `"stall"`.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Step {
    /// A piece of the answer. Inside [`Step::Repeat`], `{n}` stands for the round, from 0, and
    /// `{now}` for the time of sending, in milliseconds since 1970 with a fraction.
    Text(String),
    /// A piece of the model's thinking; `{n}` as above.
    Thought(String),
    Call(Call),
    Finish(Finish),
    Citation(Citation),
    /// A whole event of the stream, as JSON.
    Event(Value),
    /// The data of an event, which need not be JSON.
    RawEvent(String),
    /// Bytes of the body that are text.
    Raw(String),
    /// Bytes of the body that may be anything; written in base64 in a script file.
    Base64(RawBytes),
    /// Milliseconds during which nothing is sent.
    PauseMs(u64),
    /// Sends nothing more until the client leaves.
    Stall,
    /// Waits until the test opens the gate of this name.
    Gate(String),
    /// Announces a chunk, sends a part of it, and closes the connection in an orderly way.
    Cut,
    /// Announces a chunk, sends a part of it, and resets the connection.
    Reset,
    Repeat(Repeat),
}

impl Step {
    /// Whether the step sends something, and so belongs after the headers.
    pub(super) fn sends(&self) -> bool {
        match self {
            Self::PauseMs(_) | Self::Stall | Self::Gate(_) | Self::Cut | Self::Reset => false,
            Self::Repeat(repeat) => repeat.steps.iter().any(Self::sends),
            Self::Text(_)
            | Self::Thought(_)
            | Self::Call(_)
            | Self::Finish(_)
            | Self::Citation(_)
            | Self::Event(_)
            | Self::RawEvent(_)
            | Self::Raw(_)
            | Self::Base64(_) => true,
        }
    }
}

/// A function call of the model.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Call {
    pub name: String,
    #[serde(default)]
    pub args: Map<String, Value>,
    #[serde(default)]
    pub id: Option<String>,
    #[serde(default)]
    pub thought_signature: Option<String>,
}

impl Call {
    /// # Panics
    /// When `args` is not an object.
    pub fn new(name: impl Into<String>, args: Value) -> Self {
        let Value::Object(args) = args else {
            panic!("the arguments of a call are an object, not {args}");
        };
        Self {
            name: name.into(),
            args,
            id: None,
            thought_signature: None,
        }
    }

    pub fn id(mut self, id: impl Into<String>) -> Self {
        self.id = Some(id.into());
        self
    }

    pub fn thought_signature(mut self, signature: impl Into<String>) -> Self {
        self.thought_signature = Some(signature.into());
        self
    }
}

/// The end of an answer. The reason is in Gemini's words (`STOP`, `MAX_TOKENS`, …).
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Finish {
    pub reason: String,
    #[serde(default)]
    pub usage: Option<Usage>,
}

/// Tokens as the server counted them; the total is their sum, cached ones being part of the
/// prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct Usage {
    pub prompt: u64,
    pub output: u64,
    pub thoughts: u64,
    pub cached: u64,
}

impl Usage {
    pub(super) fn total(self) -> u64 {
        self.prompt + self.output + self.thoughts
    }
}

/// A source that the answer quotes.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Citation {
    pub uri: String,
    #[serde(default)]
    pub title: Option<String>,
    #[serde(default)]
    pub license: Option<String>,
}

/// Steps played several times over.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Repeat {
    pub times: usize,
    pub steps: Vec<Step>,
}

/// Bytes that a JSON string cannot hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RawBytes(pub Vec<u8>);

impl<'de> Deserialize<'de> for RawBytes {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        let text = String::deserialize(input)?;
        STANDARD
            .decode(&text)
            .map(Self)
            .map_err(|error| serde::de::Error::custom(format!("not base64 ({error}): {text:?}")))
    }
}

//! What a recorder is given, and what it gives back.

use pollux_model::{Part, Thought, Usage};
use serde_json::{Map, Value};

use crate::id::MessageId;
use crate::record::Tokens;

/// What became of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub enum Recorded {
    /// Written, or held until there is something to come back to.
    Kept,
    /// The disk is full. From here on nothing is recorded, which the person should be told once.
    SwitchedOff,
    /// Recording was switched off before.
    Off,
}

/// The name a message was recorded under.
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use]
pub struct Receipt {
    pub id: MessageId,
    pub recorded: Recorded,
}

/// What a person asks.
#[derive(Clone, Debug, Default)]
pub struct Prompt<'a> {
    /// What the model gets.
    pub parts: &'a [Part],
    /// What the person typed. Recorded only if it differs.
    pub typed: Option<&'a str>,
    /// Fields of the caller's own.
    pub other: Map<String, Value>,
}

/// One complete answer of a model, without its tool calls.
#[derive(Clone, Debug, Default)]
pub struct Answer<'a> {
    pub text: &'a str,
    /// The same text as it came. Recorded instead if some of it is signed, because the model wants the signature
    /// back.
    pub said: &'a [Part],
    pub thoughts: &'a [Thought],
    pub usage: Option<Usage>,
    pub model: Option<&'a str>,
}

/// What the program says to the person, and not to the model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoteKind {
    Info,
    Error,
    Warning,
}

impl From<Usage> for Tokens {
    fn from(usage: Usage) -> Self {
        Self {
            input: usage.prompt_tokens,
            output: usage.answer_tokens,
            cached: usage.cached_tokens,
            thoughts: Some(usage.thought_tokens),
            tool: Some(usage.tool_tokens),
            total: usage.total_tokens,
            other: Map::new(),
        }
    }
}

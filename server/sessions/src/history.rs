//! A recorded conversation as the model is to see it again, and the reverse.

mod answers;
mod replace;

use pollux_model::{CallId, Content, FunctionCall, Part, Role, Thought};
use serde_json::Value;
use sha2::{Digest, Sha256};

pub use replace::messages_of;

use crate::part;
use crate::project::hex;
use crate::record::{Message, MessageKind, ToolCall};
use crate::text::{content_text, is_ignored};
use answers::Answers;

/// Rebuilds what is sent to a model. Every call is answered exactly once, directly after it: what was
/// recorded twice counts once, and a call that was cut off is answered with an error.
pub fn history_of(messages: &[Message]) -> Vec<Content> {
    let mut answers = Answers::of(messages);
    let mut history: Vec<Content> = Vec::new();
    for message in messages {
        match message.kind {
            MessageKind::User => {
                let text = content_text(&message.content);
                if !is_ignored(&text) {
                    let parts = message.content.iter().flat_map(part::all_from_json);
                    push(&mut history, Role::User, answers.once(parts));
                }
            }
            MessageKind::Gemini => {
                let calls = message.tool_calls.as_deref().unwrap_or_default();
                let parts = answers.asked(model_parts(message, calls));
                push(&mut history, Role::Model, parts);
                let results = answers.only_in(calls);
                push(&mut history, Role::User, results);
            }
            MessageKind::Info
            | MessageKind::Error
            | MessageKind::Warning
            | MessageKind::Other(_) => {}
        }
    }
    answers::complete(history)
}

impl From<&FunctionCall> for ToolCall {
    /// The call as it is recorded when the model has just made it.
    fn from(call: &FunctionCall) -> Self {
        Self {
            id: Some(call.id.as_str().to_owned()),
            name: call.name.clone(),
            args: call.args.clone(),
            thought_signature: call.signature.clone(),
            ..Self::default()
        }
    }
}

/// Answers of the tools for one turn of the model belong into one turn.
fn push(history: &mut Vec<Content>, role: Role, parts: Vec<Part>) {
    if parts.is_empty() {
        return;
    }
    if let Some(last) = history.last_mut()
        && last.role == Role::User
        && role == Role::User
        && last.parts.iter().all(is_of_tools)
        && last.parts.iter().any(is_answer)
        && parts.iter().any(is_answer)
    {
        last.parts.extend(parts);
        return;
    }
    history.push(Content { role, parts });
}

/// An answer, or an image that goes with one.
fn is_of_tools(part: &Part) -> bool {
    matches!(part, Part::FunctionResponse(_) | Part::InlineData(_))
}

fn is_answer(part: &Part) -> bool {
    matches!(part, Part::FunctionResponse(_))
}

fn model_parts(message: &Message, calls: &[ToolCall]) -> Vec<Part> {
    let said: Vec<Part> = message.content.iter().filter_map(part::from_json).collect();
    let exact = said
        .iter()
        .any(|part| matches!(part, Part::FunctionCall(_) | Part::Thought(_)));
    if exact {
        return said;
    }
    let thoughts = message.thoughts.iter().flatten().map(|thought| {
        Part::Thought(Thought {
            subject: thought.subject.clone(),
            description: thought.description.clone(),
        })
    });
    let said = said
        .into_iter()
        .filter(|part| !matches!(part, Part::Text(text) if text.is_empty()));
    let calls = calls.iter().map(|call| {
        Part::FunctionCall(FunctionCall {
            id: call_id(call),
            name: call.name.clone(),
            args: call.args.clone(),
            signature: call.thought_signature.clone(),
        })
    });
    thoughts.chain(said).chain(calls).collect()
}

fn call_id(call: &ToolCall) -> CallId {
    let id = call.id.as_deref().unwrap_or_default();
    canonical(id, &call.name)
}

/// The twin puts the tool's name before an id for itself, and takes it off before it sends the id.
fn canonical(id: &str, name: &str) -> CallId {
    let bare = id
        .strip_prefix(name)
        .and_then(|rest| rest.strip_prefix("__"))
        .filter(|bare| !bare.is_empty());
    CallId::new(bare.unwrap_or(id))
}

/// A stand-in for an id that was never recorded, the same each time the file is read.
fn synthetic(prefix: &str, name: &str, value: &Value, number: usize) -> CallId {
    let digest = Sha256::digest(format!("{number}:{name}:{value}"));
    let short: String = hex(&digest).chars().take(8).collect();
    CallId::new(format!("{prefix}_{name}_{short}"))
}

#[cfg(test)]
mod tests;

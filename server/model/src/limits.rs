//! How much of an answer is taken, and how much is sent. `docs/limits.md` lists the same figures.

use serde_json::Value;

use crate::{ErrorText, ModelError, ReplyFlaw, StreamEvent};

/// Text, thoughts and calls of one answer. The longest answers of today's models have a tenth of it.
pub(crate) const ANSWER_BYTES: usize = 8 << 20;
/// The arguments of one call.
pub(crate) const ARGUMENTS_BYTES: usize = 4 << 20;
/// The name of a tool. Providers allow 64 to 128 characters.
pub(crate) const TOOL_NAME_BYTES: usize = 256;
/// The id of a call, which is sent back with its result.
pub(crate) const CALL_ID_BYTES: usize = 1 << 10;
/// No model asks for so many things at once.
pub(crate) const CALLS: usize = 1000;
/// One event of a stream, or a reply in one piece: an image in it takes a few megabytes.
pub(crate) const EVENT_BYTES: usize = 16 << 20;
/// A request with everything in it.
pub(crate) const REQUEST_BYTES: usize = 32 << 20;

/// Counts what an answer holds, and refuses what goes beyond the limits.
#[derive(Debug, Default)]
pub(crate) struct AnswerSize {
    bytes: usize,
    calls: usize,
}

impl AnswerSize {
    pub(crate) fn add(&mut self, event: &StreamEvent) -> Result<(), ModelError> {
        self.bytes += match event {
            StreamEvent::Text(text) => text.len(),
            StreamEvent::SignedText(signed) => signed.text.len() + signed.signature.len(),
            StreamEvent::Thought(thought) => thought.subject.len() + thought.description.len(),
            StreamEvent::FunctionCall(call) => {
                self.calls += 1;
                check_call(Some(call.id.as_str()), Some(&call.name))?;
                let arguments = call.args.iter();
                let arguments = arguments.map(|(name, value)| name.len() + size_of(value));
                let arguments: usize = arguments.sum();
                if arguments > ARGUMENTS_BYTES {
                    let what = format!("an argument list of `{}`", call.name);
                    return Err(too_long(&what, ARGUMENTS_BYTES));
                }
                arguments + call.name.len() + call.signature.as_ref().map_or(0, String::len)
            }
            StreamEvent::Citation(citation) => {
                citation.uri.len() + citation.title.as_ref().map_or(0, String::len)
            }
            StreamEvent::Grounding(_)
            | StreamEvent::Retrying(_)
            | StreamEvent::RetryStarted
            | StreamEvent::UsedSoFar(_)
            | StreamEvent::Finished { .. } => 0,
        };
        if self.calls > CALLS {
            let message = format!("the answer has more than {CALLS} calls");
            return Err(ModelError::bad_reply(ReplyFlaw::TooLong, message));
        }
        match self.bytes > ANSWER_BYTES {
            true => Err(too_long("the answer", ANSWER_BYTES)),
            false => Ok(()),
        }
    }
}

/// Whether the name and the id of a call are short enough.
pub(crate) fn check_call(id: Option<&str>, name: Option<&str>) -> Result<(), ModelError> {
    if name.is_some_and(|name| name.len() > TOOL_NAME_BYTES) {
        return Err(too_long("the name of a tool", TOOL_NAME_BYTES));
    }
    if id.is_some_and(|id| id.len() > CALL_ID_BYTES) {
        return Err(too_long("the id of a call", CALL_ID_BYTES));
    }
    Ok(())
}

/// Whether a request may be sent.
pub(crate) fn check_request(bytes: usize) -> Result<(), ModelError> {
    if bytes <= REQUEST_BYTES {
        return Ok(());
    }
    let message = format!(
        "the request would have {}, and at most {} are sent; shorten the conversation with /compress, go back with \
         /rewind, or begin a new session",
        amount(bytes),
        amount(REQUEST_BYTES)
    );
    Err(ModelError::ContextTooLong {
        message: ErrorText::from(message),
    })
}

pub(crate) fn too_long(what: &str, limit: usize) -> ModelError {
    let message = format!(
        "{what} is longer than {}, which is the limit",
        amount(limit)
    );
    ModelError::bad_reply(ReplyFlaw::TooLong, message)
}

fn amount(bytes: usize) -> String {
    match bytes {
        0..=1023 => format!("{bytes} bytes"),
        1024..=1_048_575 => format!("{} kB", bytes >> 10),
        _ => format!("{} MB", bytes >> 20),
    }
}

/// About as many bytes as it takes in memory and in a request.
fn size_of(value: &Value) -> usize {
    match value {
        Value::Null | Value::Bool(_) | Value::Number(_) => 8,
        Value::String(text) => text.len() + 2,
        Value::Array(items) => items.iter().map(|item| size_of(item) + 1).sum(),
        Value::Object(fields) => fields
            .iter()
            .map(|(name, value)| name.len() + size_of(value) + 4)
            .sum(),
    }
}

#[cfg(test)]
mod tests;

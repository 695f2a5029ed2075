//! What comes back from a model, piece by piece.

use futures_util::stream::BoxStream;

use crate::{FunctionCall, ModelError, Thought};

/// The answer to one [`Request`](crate::Request). Dropping it ends the request.
pub type EventStream = BoxStream<'static, Result<StreamEvent, ModelError>>;

/// One piece of an answer, in the order in which it arrived.
#[derive(Clone, Debug, PartialEq)]
pub enum StreamEvent {
    /// More text of the answer.
    Text(String),
    /// More of a thought.
    Thought(Thought),
    /// A whole function call: providers that send calls in pieces assemble them first.
    FunctionCall(FunctionCall),
    /// The answer is complete. Nothing follows.
    Finished { reason: FinishReason, usage: Usage },
}

/// Why the model stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FinishReason {
    /// It said what it had to say, or waits for its function calls.
    Stop,
}

/// What the answer cost, in tokens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    pub prompt_tokens: u64,
    pub answer_tokens: u64,
}

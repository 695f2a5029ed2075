//! What comes back from a model, piece by piece.

use std::time::{Duration, SystemTime};

use futures_util::StreamExt as _;
use futures_util::stream::{self, BoxStream};

use crate::{FunctionCall, ModelError, Part, ReplyFlaw, RetryTrigger, SignedText, Thought};

/// The answer to one [`Request`](crate::Request). Dropping it ends the request.
pub type EventStream = BoxStream<'static, Result<StreamEvent, ModelError>>;

/// An answer that is there as a whole.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// Pieces of text that follow each other are one part.
    pub parts: Vec<Part>,
    pub citations: Vec<Citation>,
    /// What the answer rests on, where the model has searched or read the web.
    pub grounding: Grounding,
    pub reason: FinishReason,
    pub usage: Usage,
}

/// One piece of an answer, in the order in which it arrived.
#[derive(Clone, Debug, PartialEq)]
pub enum StreamEvent {
    /// More text of the answer.
    Text(String),
    /// More text that is to be sent back as it is; it may be empty.
    SignedText(SignedText),
    /// More of a thought.
    Thought(Thought),
    /// A whole function call: providers that send calls in pieces assemble them first.
    FunctionCall(FunctionCall),
    /// Where the answer quotes from.
    Citation(Citation),
    /// What the answer rests on. The last one holds.
    Grounding(Grounding),
    /// The request did not get through and will be sent again. Nothing of an answer was lost.
    Retrying(Retry),
    /// The pause is over, and the request is being sent again.
    RetryStarted,
    /// What the answer has cost so far. It counts if the answer is never finished; the last one holds.
    UsedSoFar(Usage),
    /// The answer is complete. Nothing follows. A stream that ends without it was cut off.
    Finished { reason: FinishReason, usage: Usage },
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Citation {
    pub title: Option<String>,
    pub uri: String,
}

/// What an answer rests on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Grounding {
    pub sources: Vec<Source>,
    /// Which of them stand behind which part of the text.
    pub supports: Vec<Support>,
    /// The pages that were to be read.
    pub pages: Vec<Page>,
}

/// Where something is said.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Source {
    pub title: Option<String>,
    pub uri: Option<String>,
}

/// A part of the text and its sources.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Support {
    /// Where the part ends, in bytes of the answer's text. It comes from outside and may lie anywhere.
    pub end: usize,
    /// Places in [`Grounding::sources`].
    pub sources: Vec<usize>,
}

/// A page that the provider was asked to read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page {
    pub url: String,
    pub retrieval: Retrieval,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Retrieval {
    Succeeded,
    Failed,
}

/// A pause before the request is sent again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Retry {
    /// The attempt that failed, from 1.
    pub attempt: u32,
    pub attempts: u32,
    pub delay: Duration,
    /// When the pause ends by itself. Nothing beyond the end of the calendar.
    pub at: Option<SystemTime>,
    pub error: ModelError,
    /// Ends the pause early.
    pub trigger: RetryTrigger,
}

/// Why the model stopped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FinishReason {
    /// It said what it had to say, or waits for its function calls.
    Stop,
    MaxTokens,
    Safety,
    Recitation,
    MalformedFunctionCall,
    UnexpectedToolCall,
    /// Blocked for another reason, or a reason that is newer than this code; under the provider's name.
    Other(String),
}

/// What the answer cost, in tokens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    pub prompt_tokens: u64,
    /// Of the prompt, so many came from the provider's cache.
    pub cached_tokens: u64,
    pub answer_tokens: u64,
    pub thought_tokens: u64,
    pub tool_tokens: u64,
    pub total_tokens: u64,
}

impl Answer {
    /// The text, without thoughts and calls.
    pub fn text(&self) -> String {
        self.parts.iter().filter_map(Part::as_text).collect()
    }

    /// Waits for the end of the stream. An answer that was cut off is an error.
    pub async fn collect(mut events: EventStream) -> Result<Self, ModelError> {
        let mut builder = AnswerBuilder::default();
        while let Some(event) = events.next().await {
            if let Collected::Whole(answer) = builder.add(event?) {
                return Ok(*answer);
            }
        }
        Err(AnswerBuilder::cut_off())
    }
}

/// Puts an answer together from its pieces.
#[derive(Debug, Default)]
pub struct AnswerBuilder {
    parts: Vec<Part>,
    citations: Vec<Citation>,
    grounding: Grounding,
}

/// What came of a piece.
#[derive(Debug)]
pub enum Collected {
    Piece,
    /// It is no part of the answer.
    Beside(StreamEvent),
    Whole(Box<Answer>),
}

impl AnswerBuilder {
    pub fn add(&mut self, event: StreamEvent) -> Collected {
        match event {
            StreamEvent::Text(more) => match self.parts.last_mut() {
                Some(Part::Text(text)) => text.push_str(&more),
                _ => self.parts.push(Part::Text(more)),
            },
            StreamEvent::SignedText(signed) => self.parts.push(Part::SignedText(signed)),
            StreamEvent::Thought(thought) => self.parts.push(Part::Thought(thought)),
            StreamEvent::FunctionCall(call) => self.parts.push(Part::FunctionCall(call)),
            StreamEvent::Citation(citation) => self.citations.push(citation),
            StreamEvent::Grounding(found) => self.grounding = found,
            beside @ (StreamEvent::Retrying(_)
            | StreamEvent::RetryStarted
            | StreamEvent::UsedSoFar(_)) => return Collected::Beside(beside),
            StreamEvent::Finished { reason, usage } => {
                let Self {
                    parts,
                    citations,
                    grounding,
                } = std::mem::take(self);
                return Collected::Whole(Box::new(Answer {
                    parts,
                    citations,
                    grounding,
                    reason,
                    usage,
                }));
            }
        }
        Collected::Piece
    }

    /// Why an answer without an end is none.
    pub fn cut_off() -> ModelError {
        let message = "the answer ended without a finish reason";
        ModelError::bad_reply(ReplyFlaw::Incomplete, message)
    }
}

/// A stream that holds nothing but an error.
pub(crate) fn failed(error: ModelError) -> EventStream {
    stream::iter([Err(error)]).boxed()
}

//! The demo model: scripted, offline, without a key, and honest about all three.
//!
//! It holds no state. What it says next follows from the request alone: which function responses are there and
//! what stands in them. So it proposes only edits that fit the text a tool returned, and sums up what the
//! person really kept.

mod editor;
mod outcome;
mod plan;
mod script;
mod selection;
mod turn;

#[cfg(test)]
mod tests;

use std::collections::VecDeque;
use std::time::Duration;

use futures_util::StreamExt;
use futures_util::stream;
use tokio_util::sync::CancellationToken;

use crate::{EventStream, FinishReason, ModelError, Request, StreamEvent, Usage};

/// The scripted model.
#[derive(Clone, Debug)]
pub struct Demo {
    pace: Pace,
}

/// How fast the demo talks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pace {
    /// All at once: for tests and for output that nobody watches.
    Instant,
    /// Waits this long before each word, so that a person sees a stream.
    PerWord(Duration),
}

/// The demo costs nothing, and says so.
const FINISHED: StreamEvent = StreamEvent::Finished {
    reason: FinishReason::Stop,
    usage: Usage {
        prompt_tokens: 0,
        cached_tokens: 0,
        answer_tokens: 0,
        thought_tokens: 0,
        tool_tokens: 0,
        total_tokens: 0,
    },
};

impl Demo {
    pub fn new(pace: Pace) -> Self {
        Self { pace }
    }

    pub(crate) fn stream(&self, request: &Request, cancel: CancellationToken) -> EventStream {
        let items = match plan::answer(request) {
            Ok(events) => in_words(events).map(Ok).chain([Ok(FINISHED)]).collect(),
            Err(error) => VecDeque::from([Err(error)]),
        };
        play(items, self.pace, cancel)
    }
}

/// Hands out the items at the given pace. Cancelling cuts in front of whatever is left.
fn play(
    items: VecDeque<Result<StreamEvent, ModelError>>,
    pace: Pace,
    cancel: CancellationToken,
) -> EventStream {
    stream::unfold((items, cancel), move |(mut items, cancel)| async move {
        let item = items.pop_front()?;
        let wait = match (&item, pace) {
            (Ok(StreamEvent::Text(_)), Pace::PerWord(wait)) => wait,
            _ => Duration::ZERO,
        };
        tokio::select! {
            biased;
            () = cancel.cancelled() => Some((Err(ModelError::Cancelled), (VecDeque::new(), cancel))),
            () = pause(wait) => Some((item, (items, cancel))),
        }
    })
    .boxed()
}

/// A timer of zero length would still cost a millisecond.
async fn pause(wait: Duration) {
    if !wait.is_zero() {
        tokio::time::sleep(wait).await;
    }
}

/// Cuts every text after its blanks, as a model that talks word by word would send it.
fn in_words(events: Vec<StreamEvent>) -> impl Iterator<Item = StreamEvent> {
    events.into_iter().flat_map(|event| match event {
        StreamEvent::Text(text) => text
            .split_inclusive(char::is_whitespace)
            .map(|word| StreamEvent::Text(word.to_owned()))
            .collect(),
        other => vec![other],
    })
}

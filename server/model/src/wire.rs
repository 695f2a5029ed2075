//! What the protocols have in common: a request is sent, possibly several times, and a reply is decoded while it
//! arrives.

mod attempts;
mod call_ids;
mod reading;

use std::collections::VecDeque;

use futures_util::{StreamExt as _, stream};
use tokio_util::sync::CancellationToken;

use attempts::Attempts;
pub(crate) use call_ids::CallIds;

use crate::http::{Exchange, Refusal};
use crate::retry::RetryPolicy;
use crate::{EventStream, ModelError, ReplyFlaw, StreamEvent, gemini, json, openai};

/// Everything that one call of a model needs.
#[derive(Clone, Debug)]
pub(crate) struct Call {
    pub(crate) exchange: Exchange,
    pub(crate) dialect: Dialect,
    pub(crate) retry: RetryPolicy,
    pub(crate) ids: CallIds,
}

/// Whose words the reply is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Dialect {
    Gemini,
    OpenAi,
}

/// Turns the data of events into [`StreamEvent`]s.
#[derive(Debug)]
pub(crate) enum Decoder {
    Gemini(gemini::Decoder),
    OpenAi(openai::Decoder),
}

/// Whether more is to be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Flow {
    More,
    /// The model has said why it stopped; only the bill may follow.
    Stopped,
    /// The reply says that nothing follows.
    Ended,
}

impl Call {
    fn decoder(&self) -> Decoder {
        let endpoint = self.exchange.endpoint.clone();
        let ids = self.ids.clone();
        match self.dialect {
            Dialect::Gemini => Decoder::Gemini(gemini::Decoder::new(endpoint, ids)),
            Dialect::OpenAi => Decoder::OpenAi(openai::Decoder::new(endpoint, ids)),
        }
    }

    fn refused(&self, refusal: &Refusal) -> ModelError {
        let endpoint = &self.exchange.endpoint;
        match self.dialect {
            Dialect::Gemini => gemini::refused(refusal, endpoint),
            Dialect::OpenAi => openai::refused(refusal, endpoint),
        }
    }

    /// Cancelling cuts in front of whatever is going on, and drops the connection.
    pub(crate) fn stream(self, cancel: CancellationToken) -> EventStream {
        let attempts = Some(Attempts::new(self));
        stream::unfold((attempts, cancel), |(attempts, cancel)| async move {
            let mut attempts = attempts?;
            tokio::select! {
                biased;
                () = cancel.cancelled() => Some((Err(ModelError::Cancelled), (None, cancel))),
                item = attempts.next() => match item? {
                    Ok(event) => Some((Ok(event), (Some(attempts), cancel))),
                    Err(error) => Some((Err(error), (None, cancel))),
                },
            }
        })
        .boxed()
    }

    /// The body of a reply that is not an answer, retried like one.
    pub(crate) async fn fetch(self, cancel: CancellationToken) -> Result<Vec<u8>, ModelError> {
        tokio::select! {
            biased;
            () = cancel.cancelled() => Err(ModelError::Cancelled),
            body = attempts::fetch(&self) => body,
        }
    }
}

impl Decoder {
    pub(crate) fn event(
        &mut self,
        data: &str,
        events: &mut VecDeque<StreamEvent>,
    ) -> Result<Flow, ModelError> {
        match self {
            Self::Gemini(decoder) => decoder.event(data, events),
            Self::OpenAi(decoder) => decoder.event(data, events),
        }
    }

    /// The body has ended.
    pub(crate) fn end(&mut self, events: &mut VecDeque<StreamEvent>) {
        match self {
            Self::Gemini(decoder) => decoder.end(events),
            Self::OpenAi(decoder) => decoder.end(events),
        }
    }
}

/// Reads JSON, and says where it is broken without quoting it.
pub(crate) fn parse<T: serde::de::DeserializeOwned>(text: &str) -> Result<T, ModelError> {
    json::parse_json(text).map_err(|error| {
        let what = match error.classify() {
            serde_json::error::Category::Eof => "the JSON is incomplete",
            serde_json::error::Category::Data => "the JSON has another shape",
            _ => "not JSON",
        };
        let message = format!("{what} (line {}, column {})", error.line(), error.column());
        ModelError::bad_reply(ReplyFlaw::InvalidJson, message)
    })
}

#[cfg(test)]
mod tests;

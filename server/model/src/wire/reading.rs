//! A reply on its way from bytes to events.

use std::collections::VecDeque;
use std::time::Duration;

use super::{Decoder, Flow};
use crate::http::Reply;
use crate::limits::{AnswerSize, EVENT_BYTES, too_long};
use crate::sse::{SseDecoder, SseEvent};
use crate::{ModelError, ReplyFlaw, StreamEvent};

/// How long the bill may keep a finished answer waiting.
const AFTER_STOP: Duration = Duration::from_secs(5);

/// A reply that is being read.
#[derive(Debug)]
pub(super) struct Reading {
    reply: Reply,
    frames: Frames,
    decoder: Decoder,
    size: AnswerSize,
    flow: Flow,
    body: Body,
}

/// Whether there is anything in the body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Body {
    Blank,
    Begun,
}

#[derive(Debug)]
enum Frames {
    Events(Option<SseDecoder>),
    /// Some servers answer with one JSON value, asked or not.
    Whole(Vec<u8>),
}

impl Reading {
    pub(super) fn new(reply: Reply, decoder: Decoder) -> Self {
        let frames = if reply.is_json() {
            Frames::Whole(Vec::new())
        } else {
            Frames::Events(Some(SseDecoder::with_limit(EVENT_BYTES)))
        };
        Self {
            reply,
            frames,
            decoder,
            size: AnswerSize::default(),
            flow: Flow::More,
            body: Body::Blank,
        }
    }

    /// Reads on, and appends what it brings. Events that were appended before an error are good.
    pub(super) async fn advance(
        &mut self,
        events: &mut VecDeque<StreamEvent>,
    ) -> Result<Flow, ModelError> {
        let done = match self.flow {
            Flow::Ended => Ok(()),
            Flow::More => self.read(None, events).await,
            // Once the model has stopped, no fault can take the answer away.
            Flow::Stopped => match self.read(Some(AFTER_STOP), events).await {
                Ok(()) => Ok(()),
                Err(_answer_is_complete) => self.end(events),
            },
        };
        done.map(|()| self.flow)
    }

    async fn read(
        &mut self,
        limit: Option<Duration>,
        events: &mut VecDeque<StreamEvent>,
    ) -> Result<(), ModelError> {
        let chunk = match limit {
            None => self.reply.chunk().await?,
            Some(limit) => self.reply.chunk_within(limit).await?,
        };
        match chunk {
            Some(bytes) => self.take(&bytes, events),
            None => self.finish(events),
        }
    }

    fn take(&mut self, bytes: &[u8], events: &mut VecDeque<StreamEvent>) -> Result<(), ModelError> {
        if !bytes.trim_ascii().is_empty() {
            self.body = Body::Begun;
        }
        let mut frames = VecDeque::new();
        let fed = match &mut self.frames {
            Frames::Whole(body) if body.len() + bytes.len() > EVENT_BYTES => {
                return Err(too_long("the reply", EVENT_BYTES));
            }
            Frames::Whole(body) => {
                body.extend_from_slice(bytes);
                Ok(())
            }
            Frames::Events(None) => Ok(()),
            Frames::Events(Some(decoder)) => decoder.feed(bytes, &mut frames),
        };
        for frame in &frames {
            self.frame(frame, events)?;
        }
        fed.map_err(|error| too_long("an event of the reply", error.limit))
    }

    fn finish(&mut self, events: &mut VecDeque<StreamEvent>) -> Result<(), ModelError> {
        let last = match &mut self.frames {
            Frames::Whole(body) => Some(SseEvent {
                event: String::new(),
                data: String::from_utf8_lossy(body).into_owned(),
            }),
            Frames::Events(decoder) => {
                let decoder = decoder.take();
                let is_stream = decoder
                    .as_ref()
                    .is_none_or(|decoder| decoder.is_stream() || decoder.is_cut_in_field());
                match decoder.and_then(SseDecoder::finish) {
                    None if !is_stream && self.body == Body::Begun => {
                        return Err(no_stream(&self.reply.content_type()));
                    }
                    last => last,
                }
            }
        };
        if let Some(last) = last {
            self.frame(&last, events)?;
        }
        self.end(events)
    }

    fn frame(
        &mut self,
        frame: &SseEvent,
        events: &mut VecDeque<StreamEvent>,
    ) -> Result<(), ModelError> {
        if self.flow == Flow::Ended || frame.data.trim().is_empty() {
            return Ok(());
        }
        let before = events.len();
        let flow = self.decoder.event(&frame.data, events)?;
        self.measure(before, events)?;
        match flow {
            Flow::Ended => self.end(events),
            flow @ (Flow::More | Flow::Stopped) => {
                self.flow = flow;
                Ok(())
            }
        }
    }

    /// Counts what was appended. What goes beyond the limits is dropped with all that came with it.
    fn measure(
        &mut self,
        before: usize,
        events: &mut VecDeque<StreamEvent>,
    ) -> Result<(), ModelError> {
        for event in events.iter().skip(before) {
            if let Err(error) = self.size.add(event) {
                events.truncate(before);
                return Err(error);
            }
        }
        Ok(())
    }

    fn end(&mut self, events: &mut VecDeque<StreamEvent>) -> Result<(), ModelError> {
        if self.flow == Flow::Ended {
            return Ok(());
        }
        let before = events.len();
        self.decoder.end(events);
        self.flow = Flow::Ended;
        self.measure(before, events)
    }
}

/// Something else answers there: a page of a proxy, a gateway, another program. Asking again does not change that.
fn no_stream(content_type: &str) -> ModelError {
    let message = format!("it is {content_type} and no stream of events; is the address right?");
    ModelError::bad_reply(ReplyFlaw::Incomplete, message)
}

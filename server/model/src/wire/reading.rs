//! A reply on its way from bytes to events.

use std::collections::VecDeque;
use std::time::Duration;

use super::{Decoder, Flow, LONGEST_ANSWER};
use crate::http::Reply;
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
            Frames::Events(Some(SseDecoder::default()))
        };
        Self {
            reply,
            frames,
            decoder,
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
                Err(_answer_is_complete) => {
                    self.end(events);
                    Ok(())
                }
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
            Frames::Whole(body) if body.len() + bytes.len() > LONGEST_ANSWER => {
                return Err(too_long(LONGEST_ANSWER));
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
        fed.map_err(|error| too_long(error.limit))
    }

    fn finish(&mut self, events: &mut VecDeque<StreamEvent>) -> Result<(), ModelError> {
        let last = match &mut self.frames {
            Frames::Whole(body) => Some(SseEvent {
                event: String::new(),
                data: String::from_utf8_lossy(body).into_owned(),
            }),
            Frames::Events(decoder) => {
                let decoder = decoder.take();
                let is_stream = decoder.as_ref().is_none_or(SseDecoder::is_stream);
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
        self.end(events);
        Ok(())
    }

    fn frame(
        &mut self,
        frame: &SseEvent,
        events: &mut VecDeque<StreamEvent>,
    ) -> Result<(), ModelError> {
        if self.flow == Flow::Ended || frame.data.trim().is_empty() {
            return Ok(());
        }
        match self.decoder.event(&frame.data, events)? {
            Flow::Ended => self.end(events),
            flow @ (Flow::More | Flow::Stopped) => self.flow = flow,
        }
        Ok(())
    }

    fn end(&mut self, events: &mut VecDeque<StreamEvent>) {
        if self.flow != Flow::Ended {
            self.decoder.end(events);
            self.flow = Flow::Ended;
        }
    }
}

/// Something else answers there: a page of a proxy, a gateway, another program. Asking again does not change that.
fn no_stream(content_type: &str) -> ModelError {
    let message = format!("it is {content_type} and no stream of events; is the address right?");
    ModelError::bad_reply(ReplyFlaw::Incomplete, message)
}

fn too_long(limit: usize) -> ModelError {
    let message = format!("an event of the reply is longer than {limit} bytes");
    ModelError::bad_reply(ReplyFlaw::TooLong, message)
}

//! From steps to bytes, in the shape the request asks for.

use serde_json::Value;

use super::chat::ChatWriter;
use super::error_reply::ErrorReply;
use super::gemini::{Dialect, GeminiWriter};
use super::record::RecordedRequest;
use super::step::Step;

/// Knows whose words to use and how they are framed.
#[derive(Debug)]
pub(super) struct Encoder {
    writer: Writer,
    framing: Framing,
    has_spoken: bool,
}

/// Whether a writer must keep what it has said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Delivery {
    Streamed,
    Whole,
}

#[derive(Debug)]
enum Writer {
    Gemini(GeminiWriter),
    Chat(ChatWriter),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Framing {
    /// Server-sent events; the lines end as each service ends them.
    Events { line_end: &'static str },
    /// What `:streamGenerateContent` sends without `alt=sse`.
    Array,
    /// One JSON value at the end.
    Body,
}

impl Framing {
    fn delivery(self) -> Delivery {
        match self {
            Self::Events { .. } | Self::Array => Delivery::Streamed,
            Self::Body => Delivery::Whole,
        }
    }
}

impl Encoder {
    pub(super) fn for_request(request: &RecordedRequest) -> Self {
        let path = request.path.as_str();
        let (writer, framing) = if path.ends_with("/chat/completions") {
            let body = request.json();
            let model = body["model"].as_str().unwrap_or_default();
            let framing = if body["stream"] == true {
                Framing::Events { line_end: "\n" }
            } else {
                Framing::Body
            };
            let writer = ChatWriter::new(framing.delivery(), model, request.order);
            (Writer::Chat(writer), framing)
        } else {
            let dialect = if path.contains("/publishers/") {
                Dialect::Vertex
            } else {
                Dialect::Gemini
            };
            let streams = path.ends_with(":streamGenerateContent");
            let wants_events = request.query.split('&').any(|pair| pair == "alt=sse");
            let framing = match (streams, wants_events) {
                (true, true) => Framing::Events { line_end: "\r\n" },
                (true, false) => Framing::Array,
                (false, _) => Framing::Body,
            };
            let model = model_of_path(path);
            let writer = GeminiWriter::new(dialect, framing.delivery(), model, request.order);
            (Writer::Gemini(writer), framing)
        };
        Self {
            writer,
            framing,
            has_spoken: false,
        }
    }

    pub(super) fn content_type(&self) -> &'static str {
        match self.framing {
            Framing::Events { .. } => "text/event-stream",
            Framing::Array | Framing::Body => "application/json; charset=UTF-8",
        }
    }

    pub(super) fn error_body(&self, code: u16, error: &ErrorReply) -> Value {
        match self.writer {
            Writer::Gemini(_) => error.google_body(code),
            Writer::Chat(_) => error.chat_body(),
        }
    }

    /// The bytes of a step that sends something; none yet when they belong into one body.
    pub(super) fn encode(&mut self, step: &Step) -> Vec<u8> {
        let spoken = match (step, &mut self.writer) {
            (Step::Event(event), _) => return self.frame_whole(event),
            (Step::RawEvent(data), _) => return self.frame(data),
            (Step::Raw(text), _) => return text.clone().into_bytes(),
            (Step::Base64(bytes), _) => return bytes.0.clone(),
            (Step::Text(text), Writer::Gemini(gemini)) => vec![gemini.text(text)],
            (Step::Text(text), Writer::Chat(chat)) => vec![chat.text(text)],
            (Step::Thought(text), Writer::Gemini(gemini)) => vec![gemini.thought(text)],
            (Step::Thought(text), Writer::Chat(chat)) => vec![chat.thought(text)],
            (Step::Call(call), Writer::Gemini(gemini)) => vec![gemini.call(call)],
            (Step::Call(call), Writer::Chat(chat)) => vec![chat.call(call)],
            (Step::Finish(finish), Writer::Gemini(gemini)) => vec![gemini.finish(finish)],
            (Step::Finish(finish), Writer::Chat(chat)) => chat.finish(finish),
            (Step::Citation(source), Writer::Gemini(gemini)) => vec![gemini.citation(source)],
            // Chat completions have no citations.
            (Step::Citation(_), Writer::Chat(_)) => Vec::new(),
            (
                Step::PauseMs(_)
                | Step::Stall
                | Step::Gate(_)
                | Step::Cut
                | Step::Reset
                | Step::Repeat(_),
                _,
            ) => panic!("{step:?} sends nothing"),
        };
        if self.framing == Framing::Body {
            return Vec::new();
        }
        let mut bytes = Vec::new();
        for event in &spoken {
            bytes.extend(self.frame_whole(event));
        }
        bytes
    }

    /// What comes after the last step.
    pub(super) fn end(&self, omit_done: bool) -> Vec<u8> {
        match (self.framing, &self.writer) {
            (Framing::Events { line_end }, Writer::Chat(_)) if self.has_spoken && !omit_done => {
                format!("data: [DONE]{line_end}{line_end}").into_bytes()
            }
            (Framing::Array, _) if self.has_spoken => b"]".to_vec(),
            (Framing::Body, Writer::Gemini(gemini)) => to_bytes(gemini.whole()),
            (Framing::Body, Writer::Chat(chat)) => to_bytes(chat.whole()),
            (Framing::Events { .. } | Framing::Array, _) => Vec::new(),
        }
    }

    fn frame_whole(&mut self, event: &Value) -> Vec<u8> {
        let bytes = self.frame(&event.to_string());
        self.has_spoken = true;
        bytes
    }

    fn frame(&self, data: &str) -> Vec<u8> {
        let text = match self.framing {
            Framing::Events { line_end } => format!("data: {data}{line_end}{line_end}"),
            Framing::Array if self.has_spoken => format!(",\r\n{data}"),
            Framing::Array => format!("[{data}"),
            Framing::Body => data.to_owned(),
        };
        text.into_bytes()
    }
}

fn to_bytes(body: Option<Value>) -> Vec<u8> {
    body.map(|body| body.to_string().into_bytes())
        .unwrap_or_default()
}

/// `…/models/<model>:<action>`.
fn model_of_path(path: &str) -> &str {
    let model = path.rsplit_once("/models/").map_or("", |(_, model)| model);
    model.split(':').next().unwrap_or_default()
}

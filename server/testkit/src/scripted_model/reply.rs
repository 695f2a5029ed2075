//! One reply of a script: which request it is for, its head, and its steps.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::time::Duration;

use hyper::StatusCode;
use hyper::header::{HeaderName, HeaderValue};
use serde::{Deserialize, Deserializer};
use serde_json::{Value, json};

use super::error_reply::{ErrorDetail, ErrorInfo, ErrorReply, QuotaViolation};
use super::step::{Call, Citation, Finish, RawBytes, Repeat, Step, Usage};

/// A reply as data. Text, thoughts and calls take the shape that the request asks for: server-sent
/// events or one JSON body, Gemini's or chat completions.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(
    rename_all = "camelCase",
    deny_unknown_fields,
    default,
    remote = "Self"
)]
pub struct Reply {
    pub when: When,
    pub status: u16,
    /// Added to the usual ones; a `content-type` given here wins.
    pub headers: BTreeMap<String, String>,
    /// Played before the status line is sent; only steps that send nothing.
    pub before_headers: Vec<Step>,
    pub steps: Vec<Step>,
    /// An error body, instead of steps.
    pub error: Option<ErrorReply>,
    /// No HTTP chunk of the body is longer than this.
    pub split: Option<NonZeroUsize>,
    /// How many requests this reply serves.
    pub times: usize,
    /// Serves any number of requests, also none.
    pub always: bool,
    /// Leaves out the `[DONE]` event with which chat completions end.
    pub omit_done: bool,
}

/// Which requests a reply is for; without conditions, any.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct When {
    /// A part of the path.
    pub path: Option<String>,
    /// A part of the body's text.
    pub body: Option<String>,
}

impl When {
    pub(super) fn matches(&self, path: &str, body: &str) -> bool {
        let found = |wanted: &Option<String>, text: &str| {
            wanted.as_ref().is_none_or(|wanted| text.contains(wanted))
        };
        found(&self.path, path) && found(&self.body, body)
    }
}

/// The derived reader, and after it the checks, so that their errors have a line and column too.
impl<'de> Deserialize<'de> for Reply {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        let reply = Self::deserialize(input)?;
        match reply.flaw() {
            None => Ok(reply),
            Some(flaw) => Err(serde::de::Error::custom(flaw)),
        }
    }
}

impl Reply {
    /// What the types cannot say.
    pub(super) fn flaw(&self) -> Option<&'static str> {
        let is_final = |status: StatusCode| !status.is_informational();
        let is_header = |(name, value): (&String, &String)| {
            name.parse::<HeaderName>().is_ok() && value.parse::<HeaderValue>().is_ok()
        };
        if !StatusCode::from_u16(self.status).is_ok_and(is_final) {
            Some("a status that no reply has")
        } else if !self.headers.iter().all(is_header) {
            Some("a header that HTTP does not allow")
        } else if self.before_headers.iter().any(Step::sends) {
            Some("`beforeHeaders` may not send anything")
        } else if self.error.is_some() && !self.steps.is_empty() {
            Some("either `error` or `steps`, not both")
        } else if self.times == 0 {
            Some("`times` is at least 1")
        } else {
            None
        }
    }
}

impl Default for Reply {
    fn default() -> Self {
        Self {
            when: When::default(),
            status: 200,
            headers: BTreeMap::new(),
            before_headers: Vec::new(),
            steps: Vec::new(),
            error: None,
            split: None,
            times: 1,
            always: false,
            omit_done: false,
        }
    }
}

/// How replies start.
impl Reply {
    /// A reply without steps: an empty stream.
    pub fn new() -> Self {
        Self::default()
    }

    /// A reply that starts with a piece of text.
    pub fn text(text: impl Into<String>) -> Self {
        Self::new().chunk(text)
    }

    /// A JSON body, whatever the request asked for.
    pub fn json(body: &Value) -> Self {
        Self::raw("application/json", body.to_string())
    }

    /// A body as it is.
    pub fn raw(content_type: &str, body: impl Into<Vec<u8>>) -> Self {
        Self::new().header("content-type", content_type).bytes(body)
    }

    /// The reply to `:countTokens`.
    pub fn token_count(total: u64) -> Self {
        Self::json(&json!({ "totalTokens": total }))
    }

    /// An error body in Google's shape.
    pub fn error(code: u16, status: &str, message: &str) -> Self {
        let error = ErrorReply {
            status: status.to_owned(),
            message: message.to_owned(),
            details: Vec::new(),
        };
        Self {
            status: code,
            error: Some(error),
            ..Self::default()
        }
    }
}

/// What the model says.
impl Reply {
    pub fn chunk(self, text: impl Into<String>) -> Self {
        self.step(Step::Text(text.into()))
    }

    pub fn thought(self, text: impl Into<String>) -> Self {
        self.step(Step::Thought(text.into()))
    }

    pub fn call(self, call: Call) -> Self {
        self.step(Step::Call(call))
    }

    pub fn citation(self, uri: &str, title: &str) -> Self {
        self.step(Step::Citation(Citation {
            uri: uri.to_owned(),
            title: Some(title.to_owned()),
            license: None,
        }))
    }

    pub fn finish(self, reason: &str) -> Self {
        let reason = reason.to_owned();
        self.step(Step::Finish(Finish {
            reason,
            usage: None,
        }))
    }

    pub fn finish_with_usage(self, reason: &str, usage: Usage) -> Self {
        self.step(Step::Finish(Finish {
            reason: reason.to_owned(),
            usage: Some(usage),
        }))
    }
}

/// How the bytes travel, and what goes wrong with them.
impl Reply {
    pub fn step(mut self, step: Step) -> Self {
        self.steps.push(step);
        self
    }

    /// A whole event of the stream.
    pub fn event(self, event: Value) -> Self {
        self.step(Step::Event(event))
    }

    /// An event whose data need not be JSON.
    pub fn raw_event(self, data: impl Into<String>) -> Self {
        self.step(Step::RawEvent(data.into()))
    }

    /// Bytes of the body as they are.
    pub fn bytes(self, bytes: impl Into<Vec<u8>>) -> Self {
        self.step(Step::Base64(RawBytes(bytes.into())))
    }

    pub fn pause(self, time: Duration) -> Self {
        let milliseconds = u64::try_from(time.as_millis()).expect("a pause of a test is short");
        self.step(Step::PauseMs(milliseconds))
    }

    /// Sends nothing more until the client leaves.
    pub fn stall(self) -> Self {
        self.step(Step::Stall)
    }

    /// Waits until the test opens this gate.
    pub fn gate(self, name: &str) -> Self {
        self.step(Step::Gate(name.to_owned()))
    }

    /// Closes the connection inside a chunk.
    pub fn cut(self) -> Self {
        self.step(Step::Cut)
    }

    /// Resets the connection inside a chunk.
    pub fn reset(self) -> Self {
        self.step(Step::Reset)
    }

    /// Repeats the steps that `build` adds to an empty reply; in its texts `{n}` stands for the
    /// round.
    pub fn repeat(self, times: usize, build: impl FnOnce(Self) -> Self) -> Self {
        let steps = build(Self::new()).steps;
        self.step(Step::Repeat(Repeat { times, steps }))
    }

    /// Sends the body in chunks of at most this many bytes.
    ///
    /// # Panics
    /// When `bytes` is zero.
    pub fn split(mut self, bytes: usize) -> Self {
        self.split = Some(NonZeroUsize::new(bytes).expect("a chunk has at least one byte"));
        self
    }

    /// Steps that come before the status line.
    pub fn before_headers(mut self, step: Step) -> Self {
        self.before_headers.push(step);
        self
    }

    pub fn without_done(mut self) -> Self {
        self.omit_done = true;
        self
    }
}

/// The head, the condition, and the details of an error.
impl Reply {
    pub fn status(mut self, status: u16) -> Self {
        self.status = status;
        self
    }

    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.insert(name.to_lowercase(), value.to_owned());
        self
    }

    pub fn when_path(mut self, part: &str) -> Self {
        self.when.path = Some(part.to_owned());
        self
    }

    pub fn when_body(mut self, part: &str) -> Self {
        self.when.body = Some(part.to_owned());
        self
    }

    pub fn times(mut self, times: usize) -> Self {
        self.times = times;
        self
    }

    pub fn always(mut self) -> Self {
        self.always = true;
        self
    }

    /// Adds a `RetryInfo` detail, such as `10s`.
    pub fn retry_delay(self, delay: &str) -> Self {
        self.detail(ErrorDetail::RetryInfo(delay.to_owned()))
    }

    /// Adds a `QuotaFailure` detail with one violation.
    pub fn quota_failure(self, quota_id: &str) -> Self {
        self.detail(ErrorDetail::QuotaFailure(vec![QuotaViolation {
            quota_id: quota_id.to_owned(),
            ..QuotaViolation::default()
        }]))
    }

    /// Adds an `ErrorInfo` detail.
    pub fn error_info(self, reason: &str, domain: &str, metadata: &[(&str, &str)]) -> Self {
        let own = |&(key, value): &(&str, &str)| (key.to_owned(), value.to_owned());
        self.detail(ErrorDetail::ErrorInfo(ErrorInfo {
            reason: reason.to_owned(),
            domain: domain.to_owned(),
            metadata: metadata.iter().map(own).collect(),
        }))
    }

    /// # Panics
    /// When the reply is not an error.
    pub fn detail(mut self, detail: ErrorDetail) -> Self {
        let error = self.error.as_mut().expect("only an error has details");
        error.details.push(detail);
        self
    }
}

//! One line for everything that happens, as it happens.

use std::io::{self, Write};

use pollux_agent::api::{Event, ToolOutcome, TurnOutcome};
use serde_json::{Map, Value, json};

use super::{Ending, Output, Refused, Stats, failure, remark, warning};
use crate::run::clock::Clock;

pub(in crate::run) struct StreamJson<O> {
    out: O,
    clock: Clock,
}

impl<O: Write> StreamJson<O> {
    pub(in crate::run) fn new(out: O, clock: Clock) -> Self {
        Self { out, clock }
    }

    /// The last line of a run that did not even begin, and its only one.
    pub(in crate::run) fn refuse(&mut self, refused: &Refused) -> io::Result<()> {
        let error = json!({ "type": refused.kind(), "message": refused.message });
        self.line("result", json!({ "status": "error", "error": error }))
    }

    fn error(&mut self, severity: &str, message: &str) -> io::Result<()> {
        self.line("error", json!({ "severity": severity, "message": message }))
    }

    /// `type` and `timestamp` come first in every line.
    fn line(&mut self, kind: &str, fields: Value) -> io::Result<()> {
        let mut line = Map::new();
        line.insert("type".to_owned(), kind.into());
        line.insert("timestamp".to_owned(), self.clock.timestamp().into());
        if let Value::Object(fields) = fields {
            line.extend(fields);
        }
        serde_json::to_writer(&mut self.out, &line)?;
        self.out.write_all(b"\n")?;
        self.out.flush()
    }
}

impl<O: Write> Output for StreamJson<O> {
    fn begin(&mut self, session: &str, model: &str, prompt: &str) -> io::Result<()> {
        self.line("init", json!({ "session_id": session, "model": model }))?;
        self.line("message", json!({ "role": "user", "content": prompt }))
    }

    fn event(&mut self, event: &Event) -> io::Result<()> {
        match event {
            Event::TextReceived(text) => self.line(
                "message",
                json!({ "role": "assistant", "content": text, "delta": true }),
            ),
            Event::ToolStarted { call, .. } => self.line(
                "tool_use",
                json!({
                    "tool_name": call.name,
                    "tool_id": call.id.as_str(),
                    "parameters": call.args,
                }),
            ),
            Event::ToolEnded { call, outcome, .. } => {
                let id = call.as_str();
                let fields = match outcome {
                    ToolOutcome::Succeeded { summary } => {
                        json!({ "tool_id": id, "status": "success", "output": summary })
                    }
                    ToolOutcome::Cancelled => json!({ "tool_id": id, "status": "success" }),
                    ToolOutcome::Failed {
                        error_type,
                        message,
                    } => json!({
                        "tool_id": id,
                        "status": "error",
                        "output": message,
                        "error": { "type": error_type, "message": message },
                    }),
                };
                self.line("tool_result", fields)
            }
            event => match warning(event) {
                Some(message) => self.error("warning", &message),
                None => Ok(()),
            },
        }
    }

    fn end(&mut self, ending: &Ending, stats: &Stats) -> io::Result<()> {
        if let Some(message) = remark(ending) {
            self.error("warning", &message)?;
        }
        let Some(failure) = failure(ending) else {
            let fields = json!({ "status": "success", "stats": stats.line() });
            return self.line("result", fields);
        };
        // What is no fault of the run itself has a line of its own.
        if let Ending::Turn(
            TurnOutcome::InvalidAnswer(_)
            | TurnOutcome::RoundLimitReached { .. }
            | TurnOutcome::SessionLimitReached { .. },
        ) = ending
        {
            self.error("error", &failure.message)?;
        }
        let fields = json!({
            "status": "error",
            "error": { "type": failure.kind, "message": failure.message },
            "stats": stats.line(),
        });
        self.line("result", fields)
    }
}

//! One line for everything that happens, as it happens.

use std::io::{self, Write};

use pollux_agent::api::{Event, ToolOutcome, TurnOutcome};
use serde_json::{Map, Value, json};

use super::{Output, Stats, failure};
use crate::run::clock::Clock;

pub(in crate::run) struct StreamJson<O> {
    out: O,
    clock: Clock,
}

impl<O: Write> StreamJson<O> {
    pub(in crate::run) fn new(out: O, clock: Clock) -> Self {
        Self { out, clock }
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
            Event::RequestRetried(retry) => {
                let message = retry.error.to_string();
                self.line(
                    "error",
                    json!({ "severity": "warning", "message": message }),
                )
            }
            Event::HookSaid { message } => self.line(
                "error",
                json!({ "severity": "warning", "message": message }),
            ),
            Event::AnswerDiscarded { reason } => {
                self.line("error", json!({ "severity": "warning", "message": reason }))
            }
            Event::ModelChanged {
                from, to, reason, ..
            } => {
                let message = format!("{to} answers instead of {from}: {reason}");
                self.line(
                    "error",
                    json!({ "severity": "warning", "message": message }),
                )
            }
            _ => Ok(()),
        }
    }

    fn end(&mut self, outcome: &TurnOutcome, stats: &Stats) -> io::Result<()> {
        let fields = match failure(outcome) {
            None => json!({ "status": "success", "stats": stats.line() }),
            Some(failure) => json!({
                "status": "error",
                "error": { "type": failure.kind, "message": failure.message },
                "stats": stats.line(),
            }),
        };
        self.line("result", fields)
    }
}

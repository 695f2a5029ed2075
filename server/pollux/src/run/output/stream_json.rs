//! One line for everything that happens, as it happens.

use std::collections::BTreeMap;
use std::io::{self, Write};

use pollux_agent::api::{CallId, Event, ToolOutcome, TurnOutcome};
use serde_json::{Map, Value, json};

use super::{Ending, Output, Refused, Stats, failure, remark, warning};
use crate::run::clock::Clock;

pub(in crate::run) struct StreamJson<O> {
    out: O,
    clock: Clock,
    /// The calls of sub-agents that run, with the call that each is for.
    within: BTreeMap<CallId, CallId>,
}

impl<O: Write> StreamJson<O> {
    pub(in crate::run) fn new(out: O, clock: Clock) -> Self {
        Self {
            out,
            clock,
            within: BTreeMap::new(),
        }
    }

    /// The last line of a run that did not even begin, and its only one.
    pub(in crate::run) fn refuse(&mut self, refused: &Refused) -> io::Result<()> {
        let error = json!({ "type": refused.kind(), "message": refused.message });
        self.line("result", json!({ "status": "error", "error": error }))
    }

    fn error(&mut self, severity: &str, message: &str) -> io::Result<()> {
        self.line("error", json!({ "severity": severity, "message": message }))
    }

    /// What a sub-agent does has a type of its own: whoever reads for the model's calls must not take it for one.
    fn call_line(&mut self, kind: &str, call: &CallId, mut fields: Value) -> io::Result<()> {
        let Some(parent) = self.within.get(call) else {
            return self.line(kind, fields);
        };
        if let Value::Object(fields) = &mut fields {
            fields.insert("parent_tool_id".to_owned(), parent.as_str().into());
        }
        self.line(&format!("subagent_{kind}"), fields)
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
            Event::ToolStarted { call, parent, .. } => {
                if let Some(parent) = parent {
                    self.within.insert(call.id.clone(), parent.clone());
                }
                let fields = json!({
                    "tool_name": call.name,
                    "tool_id": call.id.as_str(),
                    "parameters": call.args,
                });
                self.call_line("tool_use", &call.id, fields)
            }
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
                self.call_line("tool_result", call, fields)?;
                self.within.remove(call);
                Ok(())
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

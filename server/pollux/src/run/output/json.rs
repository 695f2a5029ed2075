//! One object, when all is over.

use std::io::{self, Write};

use pollux_agent::api::{Event, TurnOutcome};
use serde_json::{Map, Value, json};

use super::{Output, Stats, failure};

pub(in crate::run) struct Json<O> {
    out: O,
    session: String,
    /// The text of the last answer.
    response: String,
    warnings: Vec<Value>,
}

impl<O: Write> Json<O> {
    pub(in crate::run) fn new(out: O) -> Self {
        Self {
            out,
            session: String::new(),
            response: String::new(),
            warnings: Vec::new(),
        }
    }
}

impl<O: Write> Output for Json<O> {
    fn begin(&mut self, session: &str, _: &str, _: &str) -> io::Result<()> {
        session.clone_into(&mut self.session);
        Ok(())
    }

    fn event(&mut self, event: &Event) -> io::Result<()> {
        match event {
            Event::TextReceived(text) => self.response.push_str(text),
            // Another answer follows, and only the last one counts.
            Event::ToolStarted { .. } | Event::AnswerDiscarded { .. } => self.response.clear(),
            Event::RequestRetried(retry) => self.warnings.push(retry.error.to_string().into()),
            _ => {}
        }
        Ok(())
    }

    fn end(&mut self, outcome: &TurnOutcome, stats: &Stats) -> io::Result<()> {
        let mut object = Map::new();
        object.insert("session_id".to_owned(), self.session.as_str().into());
        object.insert("response".to_owned(), self.response.as_str().into());
        object.insert("stats".to_owned(), stats.whole());
        if let Some(failure) = failure(outcome) {
            let error = json!({ "type": failure.kind, "message": failure.message });
            object.insert("error".to_owned(), error);
        }
        if !self.warnings.is_empty() {
            object.insert("warnings".to_owned(), self.warnings.clone().into());
        }
        serde_json::to_writer_pretty(&mut self.out, &object)?;
        self.out.write_all(b"\n")?;
        self.out.flush()
    }
}

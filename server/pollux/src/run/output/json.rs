//! One object, when all is over.

use std::io::{self, Write};

use pollux_agent::api::Event;
use serde_json::{Map, Value, json};

use super::{Ending, Failure, Output, Refused, Stats, failure, remark, warning};

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
            _ => {}
        }
        self.warnings.extend(warning(event).map(Value::from));
        Ok(())
    }

    fn end(&mut self, ending: &Ending, stats: &Stats) -> io::Result<()> {
        let mut object = Map::new();
        object.insert("session_id".to_owned(), self.session.as_str().into());
        object.insert("response".to_owned(), self.response.as_str().into());
        object.insert("stats".to_owned(), stats.whole());
        if let Some(failure) = failure(ending) {
            object.insert("error".to_owned(), error(&failure));
        }
        self.warnings.extend(remark(ending).map(Value::from));
        if !self.warnings.is_empty() {
            object.insert("warnings".to_owned(), self.warnings.clone().into());
        }
        serde_json::to_writer_pretty(&mut self.out, &object)?;
        self.out.write_all(b"\n")?;
        self.out.flush()
    }
}

/// The object of a run that did not even begin.
pub(in crate::run) fn refuse_json(out: &mut impl Write, refused: &Refused) -> io::Result<()> {
    let object = json!({
        "error": {
            "type": refused.kind(),
            "message": refused.message,
            "code": refused.code,
        },
    });
    serde_json::to_writer_pretty(&mut *out, &object)?;
    out.write_all(b"\n")
}

fn error(failure: &Failure) -> Value {
    let mut error = Map::new();
    error.insert("type".to_owned(), failure.kind.into());
    error.insert("message".to_owned(), failure.message.as_str().into());
    if let Some(code) = failure.code {
        error.insert("code".to_owned(), code.into());
    }
    error.into()
}

//! Recording a session as it happens.
//!
//! The file is made with the first content that somebody could come back to; what was recorded before is
//! held until then and goes into the same write. A session that never gets that far leaves no file.

mod exchange;
mod start;

use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use pollux_model::Part;
use serde_json::{Map, Value};

pub use exchange::{Answer, NoteKind, Prompt, Receipt, Recorded};
pub use start::{NewSession, Place};

use crate::append::Appender;
use crate::error::SessionError;
use crate::id::{IdSource, MessageId, SessionId};
use crate::part;
use crate::record::{
    Line, Message, MessageKind, RecordedContent, RecordedThought, Tokens, ToolCall,
};
use crate::text::is_resumable;
use crate::time::iso;

/// What is held back before the file exists. Beyond it the file is made, whatever was recorded.
const HELD_LIMIT: usize = 1024 * 1024;

/// Appends to one session's file. Nothing is read back, and only the last message is remembered.
///
/// Blocks on the disk; the caller gives it a thread. Dropping it ends the recording and loses nothing.
pub struct Recorder {
    id: SessionId,
    path: PathBuf,
    output: Output,
    /// Whole lines that go ahead of the next write.
    held: Vec<u8>,
    /// Tool calls are added to it when it is the model's.
    last: Option<Message>,
    ids: Box<dyn IdSource>,
}

enum Output {
    /// There is no file yet.
    Awaited,
    File(Appender),
    Off,
}

impl Recorder {
    pub fn session_id(&self) -> &SessionId {
        &self.id
    }

    /// Where the session is recorded. The file may not exist yet.
    pub fn path(&self) -> &Path {
        &self.path
    }

    pub fn prompt(
        &mut self,
        now: SystemTime,
        prompt: &Prompt<'_>,
    ) -> Result<Receipt, SessionError> {
        let message = self.message_of(now, prompt);
        self.put(now, message)
    }

    /// A prompt as the message that [`Recorder::put`] records, for whoever needs its name before.
    pub fn message_of(&mut self, now: SystemTime, prompt: &Prompt<'_>) -> Message {
        let parts = prompt.parts.iter().map(part::to_json).collect();
        let mut message = self.message(now, MessageKind::User, RecordedContent::parts(parts));
        let sent: String = prompt.parts.iter().filter_map(Part::as_text).collect();
        message.display_content = prompt
            .typed
            .filter(|typed| *typed != sent)
            .map(RecordedContent::text);
        message.other = prompt.other.clone();
        message
    }

    /// What the tools answered and showed, which the twin records as the user's turn.
    pub fn tool_responses(
        &mut self,
        now: SystemTime,
        responses: &[Part],
    ) -> Result<Receipt, SessionError> {
        let parts = responses.iter().map(part::to_json).collect();
        let message = self.message(now, MessageKind::User, RecordedContent::parts(parts));
        self.put(now, message)
    }

    pub fn answer(
        &mut self,
        now: SystemTime,
        answer: &Answer<'_>,
    ) -> Result<Receipt, SessionError> {
        let is_signed = |part: &Part| matches!(part, Part::SignedText(_));
        let content = match answer.said.iter().any(is_signed) {
            true => RecordedContent::parts(answer.said.iter().map(part::to_json).collect()),
            false => RecordedContent::text(answer.text),
        };
        let mut message = self.message(now, MessageKind::Gemini, content);
        let thoughts: Vec<RecordedThought> = answer
            .thoughts
            .iter()
            .map(|thought| RecordedThought {
                subject: thought.subject.clone(),
                description: thought.description.clone(),
                timestamp: Some(iso(now)),
                other: Map::new(),
            })
            .collect();
        message.thoughts = (!thoughts.is_empty()).then_some(thoughts);
        message.tokens = answer.usage.map(Tokens::from);
        message.model = answer.model.map(str::to_owned);
        self.put(now, message)
    }

    /// Adds calls to the last message if it is the model's, or starts an empty one. A call that is there
    /// already gets what is new about it.
    pub fn tool_calls(
        &mut self,
        now: SystemTime,
        calls: Vec<ToolCall>,
    ) -> Result<Receipt, SessionError> {
        let last = self.last.take();
        let mut message = match last.filter(|last| last.kind == MessageKind::Gemini) {
            Some(message) => message,
            None => self.message(now, MessageKind::Gemini, RecordedContent::text("")),
        };
        let known = message.tool_calls.get_or_insert_default();
        for call in calls {
            let same = |seen: &&mut ToolCall| seen.id.is_some() && seen.id == call.id;
            match known.iter_mut().find(same) {
                Some(seen) => seen.update(call),
                None => known.push(call),
            }
        }
        self.put(now, message)
    }

    pub fn note(
        &mut self,
        now: SystemTime,
        kind: NoteKind,
        content: RecordedContent,
    ) -> Result<Receipt, SessionError> {
        let kind = match kind {
            NoteKind::Info => MessageKind::Info,
            NoteKind::Error => MessageKind::Error,
            NoteKind::Warning => MessageKind::Warning,
        };
        let message = self.message(now, kind, content);
        self.put(now, message)
    }

    /// Records a message that the caller made, or has changed.
    pub fn put(&mut self, now: SystemTime, message: Message) -> Result<Receipt, SessionError> {
        let id = message.id.clone();
        let weight = match is_resumable(&message) {
            true => Weight::Resumable,
            false => Weight::Light,
        };
        let line = Line::Message(Box::new(message.clone()));
        self.last = Some(message);
        let recorded = self.write(&[line, updated(now, Map::new())], weight)?;
        Ok(Receipt { id, recorded })
    }

    /// Replaces fields of the metadata, such as `summary`, `directories` or `memoryScratchpad`. The time of
    /// the last update stays: a summary is no reason to keep a session longer.
    pub fn set(&mut self, fields: Map<String, Value>) -> Result<Recorded, SessionError> {
        self.write(&[Line::Set(fields)], Weight::Light)
    }

    /// The conversation is a new one, because it was compressed or masked.
    pub fn replace_messages(
        &mut self,
        now: SystemTime,
        messages: &[Message],
    ) -> Result<Recorded, SessionError> {
        let weight = match messages.iter().any(is_resumable) {
            true => Weight::Resumable,
            false => Weight::Light,
        };
        let values = messages
            .iter()
            .map(|message| Value::Object(message.clone().into()))
            .collect();
        self.last = messages.last().cloned();
        let fields = Map::from_iter([("messages".to_owned(), Value::Array(values))]);
        self.write(&[updated(now, fields)], weight)
    }

    /// Takes back a message and all that followed it.
    pub fn rewind_to(&mut self, now: SystemTime, id: &MessageId) -> Result<Recorded, SessionError> {
        self.last = None;
        let rewind = Line::RewindTo(id.clone());
        self.write(&[rewind, updated(now, Map::new())], Weight::Light)
    }

    fn message(&mut self, now: SystemTime, kind: MessageKind, content: RecordedContent) -> Message {
        Message::new(MessageId::generate(self.ids.as_mut()), kind, content, now)
    }

    fn write(&mut self, lines: &[Line], weight: Weight) -> Result<Recorded, SessionError> {
        if matches!(self.output, Output::Off) {
            return Ok(Recorded::Off);
        }
        let before = self.held.len();
        for line in lines {
            if let Err(source) = line.write_to(&mut self.held) {
                self.held.truncate(before);
                return Err(SessionError::io(&self.path)(source));
            }
        }
        let worth_a_file = weight == Weight::Resumable || self.held.len() > HELD_LIMIT;
        if matches!(self.output, Output::Awaited) && !worth_a_file {
            return Ok(Recorded::Kept);
        }
        match self.flush() {
            Ok(()) => Ok(Recorded::Kept),
            Err(SessionError::Io { source, .. }) if is_full(&source) => {
                self.output = Output::Off;
                self.held = Vec::new();
                Ok(Recorded::SwitchedOff)
            }
            Err(error) => Err(error),
        }
    }

    fn flush(&mut self) -> Result<(), SessionError> {
        if matches!(self.output, Output::Awaited) {
            self.output = Output::File(Appender::create(&self.path)?);
        }
        if let Output::File(file) = &mut self.output {
            // What could not be written stays held, and goes ahead of the next record.
            file.append(&self.held)?;
            self.held.clear();
        }
        Ok(())
    }
}

/// Whether a record alone makes a session worth a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Weight {
    Light,
    Resumable,
}

fn updated(now: SystemTime, mut fields: Map<String, Value>) -> Line {
    fields.insert("lastUpdated".to_owned(), Value::from(iso(now)));
    Line::Set(fields)
}

fn is_full(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded
    )
}

#[cfg(test)]
mod tests;

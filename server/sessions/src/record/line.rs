//! The four kinds of lines.

use std::io;

use serde_json::{Map, Value, json};

use super::message::Message;
use crate::id::MessageId;

/// What one line of a session's file says.
#[derive(Clone, Debug, PartialEq)]
pub enum Line {
    /// The message and everything after it is gone; all messages if there is none of this id.
    RewindTo(MessageId),
    /// A new message, or a message again with more in it.
    Message(Box<Message>),
    /// Fields of the metadata to replace. A list under `messages` replaces the conversation.
    Set(Map<String, Value>),
    /// The metadata, usually on the first line; with `messages` a whole older document.
    Metadata(Map<String, Value>),
}

impl Line {
    /// `None` for anything that is not a record, such as a line that was cut off.
    pub fn parse(text: &[u8]) -> Option<Self> {
        Self::from_object(serde_json::from_slice(text).ok()?)
    }

    pub(crate) fn from_object(mut object: Map<String, Value>) -> Option<Self> {
        let is_text =
            |object: &Map<String, Value>, key| object.get(key).is_some_and(Value::is_string);
        if let Some(Value::String(id)) = object.get("$rewindTo") {
            return Some(Self::RewindTo(MessageId::new(id)));
        }
        if is_text(&object, "id") {
            return Message::from_object(object).map(|message| Self::Message(Box::new(message)));
        }
        if let Some(Value::Object(fields)) = object.get_mut("$set") {
            return Some(Self::Set(std::mem::take(fields)));
        }
        if is_text(&object, "sessionId") && is_text(&object, "projectHash") {
            return Some(Self::Metadata(object));
        }
        None
    }

    /// Appends the line and its end to `buffer`.
    pub(crate) fn write_to(&self, buffer: &mut Vec<u8>) -> io::Result<()> {
        match self {
            Self::RewindTo(id) => serde_json::to_writer(&mut *buffer, &json!({"$rewindTo": id})),
            Self::Message(message) => serde_json::to_writer(&mut *buffer, message),
            Self::Set(fields) => serde_json::to_writer(&mut *buffer, &json!({"$set": fields})),
            Self::Metadata(fields) => serde_json::to_writer(&mut *buffer, fields),
        }?;
        buffer.push(b'\n');
        Ok(())
    }
}

//! A conversation as the lines of its file add up to it.

use std::collections::HashMap;

use serde_json::{Map, Value};

use crate::id::MessageId;
use crate::record::{Line, Message, Metadata};

/// The twin expects the scratchpad behind the messages that it is about. The others would make the line
/// look like one of another kind.
const NOT_ON_THE_FIRST_LINE: [&str; 4] = ["memoryScratchpad", "id", "$set", "$rewindTo"];

/// A recorded session, read.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Conversation {
    pub metadata: Metadata,
    /// Oldest first.
    pub messages: Vec<Message>,
    /// Lines that are no records: torn by a crash, or longer than the reader takes.
    pub unreadable_lines: usize,
}

/// The lines so far. Generic over what is kept of a message, because a list of sessions needs little of
/// each and reads many.
pub(crate) struct Fold<T> {
    pub(crate) metadata: Metadata,
    pub(crate) unreadable_lines: usize,
    entries: Vec<(MessageId, T)>,
    /// Where each id is in `entries`.
    places: HashMap<MessageId, usize>,
    keep: fn(Message) -> T,
}

impl<T> Fold<T> {
    pub(crate) fn new(keep: fn(Message) -> T) -> Self {
        Self {
            metadata: Metadata::default(),
            unreadable_lines: 0,
            entries: Vec::new(),
            places: HashMap::new(),
            keep,
        }
    }

    pub(crate) fn apply(&mut self, line: Line) {
        match line {
            Line::RewindTo(id) => self.rewind_to(&id),
            Line::Message(message) => self.put(*message),
            Line::Set(fields) | Line::Metadata(fields) => self.merge(fields),
        }
    }

    pub(crate) fn entries(&self) -> impl DoubleEndedIterator<Item = &T> {
        self.entries.iter().map(|(_, entry)| entry)
    }

    fn rewind_to(&mut self, id: &MessageId) {
        let length = self.places.get(id).copied().unwrap_or(0);
        for (gone, _) in self.entries.drain(length..) {
            self.places.remove(&gone);
        }
    }

    fn put(&mut self, message: Message) {
        let id = message.id.clone();
        let entry = (id.clone(), (self.keep)(message));
        let place = self.places.get(&id).copied();
        match place.and_then(|place| self.entries.get_mut(place)) {
            Some(seen) => *seen = entry,
            None => {
                self.places.insert(id, self.entries.len());
                self.entries.push(entry);
            }
        }
    }

    fn merge(&mut self, mut fields: Map<String, Value>) {
        if let Some(Value::Array(messages)) = fields.get_mut("messages") {
            let messages = std::mem::take(messages);
            fields.shift_remove("messages");
            self.entries.clear();
            self.places.clear();
            for message in messages {
                if let Value::Object(object) = message
                    && let Some(message) = Message::from_object(object)
                {
                    self.put(message);
                }
            }
        }
        self.metadata.merge(fields);
    }
}

impl From<Fold<Message>> for Conversation {
    fn from(fold: Fold<Message>) -> Self {
        Self {
            metadata: fold.metadata,
            messages: fold
                .entries
                .into_iter()
                .map(|(_, message)| message)
                .collect(),
            unreadable_lines: fold.unreadable_lines,
        }
    }
}

impl Conversation {
    /// The lines that make a file of this conversation.
    pub(crate) fn lines(&self) -> Vec<Line> {
        let mut metadata = self.metadata.as_map().clone();
        let mut trailing = Map::new();
        for key in NOT_ON_THE_FIRST_LINE {
            trailing.extend(metadata.shift_remove_entry(key));
        }
        // Without one the lines would not be taken for a session's.
        let hash = metadata.entry("projectHash").or_insert_with(|| "".into());
        if !hash.is_string() {
            *hash = "".into();
        }
        let mut lines = vec![Line::Metadata(metadata)];
        let messages = self.messages.iter().cloned();
        lines.extend(messages.map(|message| Line::Message(Box::new(message))));
        if !trailing.is_empty() {
            lines.push(Line::Set(trailing));
        }
        lines
    }
}

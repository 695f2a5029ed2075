//! Server-sent events, decoded as the bytes arrive.
//!
//! Follows the WHATWG text of `text/event-stream`, with one leniency: an event that the end of the body cuts off
//! before its blank line still counts, because some servers leave the last blank line out. Whether its data is whole is for the
//! reader of the data to say.

use std::collections::VecDeque;

/// Feed it slices of any length; whole events come out in order. Work and memory are proportional to the bytes,
/// and an event that grows past the limit is an error.
#[derive(Debug)]
pub struct SseDecoder {
    /// The line so far, without its end.
    line: Vec<u8>,
    /// The data of the event so far; each line of it ends in `\n`.
    data: String,
    event: String,
    /// A `\n` right after a `\r` belongs to it.
    after_cr: bool,
    /// A byte order mark may stand only before the first line.
    at_start: bool,
    /// A field or a comment was read.
    has_fields: bool,
    limit: usize,
}

/// One event. Fields that only matter to browsers (`id`, `retry`) are dropped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SseEvent {
    /// Empty when the stream does not say.
    pub event: String,
    pub data: String,
}

/// An event that does not end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("an event of the stream is longer than {limit} bytes")]
pub struct EventTooLong {
    pub limit: usize,
}

impl Default for SseDecoder {
    fn default() -> Self {
        Self::with_limit(Self::DEFAULT_LIMIT)
    }
}

impl SseDecoder {
    /// An image in an answer takes a few megabytes; nothing real takes this much.
    pub const DEFAULT_LIMIT: usize = 16 << 20;

    pub fn with_limit(limit: usize) -> Self {
        Self {
            line: Vec::new(),
            data: String::new(),
            event: String::new(),
            after_cr: false,
            at_start: true,
            has_fields: false,
            limit,
        }
    }

    /// Takes more of the body and appends the events that it completes. After an error the decoder is of no use.
    pub fn feed(
        &mut self,
        mut bytes: &[u8],
        events: &mut VecDeque<SseEvent>,
    ) -> Result<(), EventTooLong> {
        while let Some((&first, after_first)) = bytes.split_first() {
            if std::mem::take(&mut self.after_cr) && first == b'\n' {
                bytes = after_first;
                continue;
            }
            let end = bytes.iter().position(|byte| matches!(byte, b'\r' | b'\n'));
            let (part, rest) = bytes.split_at(end.unwrap_or(bytes.len()));
            if self.line.len() + self.data.len() + part.len() > self.limit {
                return Err(EventTooLong { limit: self.limit });
            }
            self.line.extend_from_slice(part);
            if let Some((end, rest)) = rest.split_first() {
                self.after_cr = *end == b'\r';
                self.end_line(events);
                bytes = rest;
            } else {
                bytes = rest;
            }
        }
        Ok(())
    }

    /// Whether anything in the body so far shows that it is a stream of events, were it only a comment.
    pub fn is_stream(&self) -> bool {
        self.has_fields || self.line.starts_with(b":")
    }

    /// Whether the body so far is the beginning of a stream and ends within the name of its first field.
    pub fn is_cut_in_field(&self) -> bool {
        const FIELDS: [&[u8]; 5] = [b"data", b"event", b"id", b"retry", b"\xef\xbb\xbf"];
        let begins = |field: &&[u8]| field.starts_with(&self.line);
        self.at_start && !self.line.is_empty() && FIELDS.iter().any(begins)
    }

    /// The body has ended: what it left unfinished, if anything.
    pub fn finish(mut self) -> Option<SseEvent> {
        let mut events = VecDeque::new();
        self.end_line(&mut events);
        self.dispatch(&mut events);
        events.pop_front()
    }

    fn end_line(&mut self, events: &mut VecDeque<SseEvent>) {
        let mut buffer = std::mem::take(&mut self.line);
        let mut line = buffer.as_slice();
        if std::mem::take(&mut self.at_start) {
            line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line);
        }
        if line.is_empty() {
            self.dispatch(events);
        } else {
            self.field(line);
        }
        // The allocation serves the next line, unless this line was a rare giant.
        if buffer.capacity() <= 1 << 20 {
            buffer.clear();
            self.line = buffer;
        }
    }

    fn field(&mut self, line: &[u8]) {
        let colon = line.iter().position(|&byte| byte == b':');
        let (name, value) = line.split_at(colon.unwrap_or(line.len()));
        let value = value.strip_prefix(b":").unwrap_or(value);
        let value = value.strip_prefix(b" ").unwrap_or(value);
        self.has_fields |= matches!(name, b"data" | b"event" | b"id" | b"retry" | b"");
        match name {
            b"data" => {
                self.data.push_str(&String::from_utf8_lossy(value));
                self.data.push('\n');
            }
            b"event" => self.event = String::from_utf8_lossy(value).into_owned(),
            // Comments have an empty name; the other fields do not concern us.
            _ => {}
        }
    }

    fn dispatch(&mut self, events: &mut VecDeque<SseEvent>) {
        let event = std::mem::take(&mut self.event);
        let mut data = std::mem::take(&mut self.data);
        if data.pop().is_some() {
            events.push_back(SseEvent { event, data });
        }
    }
}

#[cfg(test)]
mod tests;

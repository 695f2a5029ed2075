//! Lines of a client, however they arrive and however long they are.

use tokio::io::{AsyncBufRead, AsyncBufReadExt};

/// Images and texts come within a line, and a prompt takes some 20 MB of them. What is longer is no prompt.
pub const LONGEST_LINE: usize = 32 * 1024 * 1024;

/// A line without its end.
#[derive(Debug, PartialEq, Eq)]
pub enum Line {
    Whole(Vec<u8>),
    /// It was skipped; the next one may be fine.
    TooLong,
}

/// Reads lines. What was read stays when the wait for more is given up.
pub struct Lines<R> {
    reader: R,
    limit: usize,
    begun: Vec<u8>,
    place: Place,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    Reading,
    /// Within a line that is too long.
    Skipping,
}

impl<R: AsyncBufRead + Unpin> Lines<R> {
    pub fn new(reader: R, limit: usize) -> Self {
        Self {
            reader,
            limit,
            begun: Vec::new(),
            place: Place::Reading,
        }
    }

    /// Nothing at the end, and when the other side is gone: that is the same here.
    pub async fn next(&mut self) -> Option<Line> {
        loop {
            let Ok(fresh) = self.reader.fill_buf().await else {
                return self.last();
            };
            if fresh.is_empty() {
                return self.last();
            }
            let end = fresh.iter().position(|byte| *byte == b'\n');
            let taken = fresh.get(..end.unwrap_or(fresh.len())).unwrap_or_default();
            if self.place == Place::Reading {
                if self.begun.len() + taken.len() > self.limit {
                    self.place = Place::Skipping;
                    self.begun = Vec::new();
                } else {
                    self.begun.extend_from_slice(taken);
                }
            }
            let used = taken.len() + usize::from(end.is_some());
            self.reader.consume(used);
            if end.is_some() {
                return Some(self.ended());
            }
        }
    }

    fn ended(&mut self) -> Line {
        match std::mem::replace(&mut self.place, Place::Reading) {
            Place::Skipping => Line::TooLong,
            Place::Reading => Line::Whole(std::mem::take(&mut self.begun)),
        }
    }

    /// A last line may lack its end.
    fn last(&mut self) -> Option<Line> {
        if self.begun.is_empty() && self.place == Place::Reading {
            return None;
        }
        Some(self.ended())
    }
}

#[cfg(test)]
mod tests;

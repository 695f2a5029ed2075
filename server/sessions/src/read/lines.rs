//! Lines of bytes, with a limit to what one of them may take.

use std::io::{self, BufRead, ErrorKind};

const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

pub(super) struct Lines<R> {
    stream: R,
    limit: usize,
    line: Vec<u8>,
    place: Place,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    FirstLine,
    Later,
}

pub(super) enum Piece<'a> {
    Line(&'a [u8]),
    /// The line is longer than the limit and was passed over.
    TooLong,
}

impl<R: BufRead> Lines<R> {
    pub(super) fn new(stream: R, limit: usize) -> Self {
        Self {
            stream,
            limit,
            line: Vec::new(),
            place: Place::FirstLine,
        }
    }

    /// `None` at the end. A last line without its end is a line.
    pub(super) fn next(&mut self) -> io::Result<Option<Piece<'_>>> {
        // One long line must not hold its room until the end of the file.
        if self.line.capacity() > 1024 * 1024 {
            self.line = Vec::new();
        }
        self.line.clear();
        let mut length = 0_usize;
        let mut ended = false;
        while !ended {
            let available = match self.stream.fill_buf() {
                Ok(available) => available,
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                Err(error) => return Err(error),
            };
            if available.is_empty() {
                if length == 0 {
                    return Ok(None);
                }
                break;
            }
            let end = available.iter().position(|byte| *byte == b'\n');
            ended = end.is_some();
            let taken = end.map_or(available.len(), |end| end + 1);
            length = length.saturating_add(taken);
            if length <= self.limit {
                self.line
                    .extend_from_slice(available.get(..taken).unwrap_or_default());
            }
            self.stream.consume(taken);
        }
        if length > self.limit {
            self.place = Place::Later;
            return Ok(Some(Piece::TooLong));
        }
        let line = match std::mem::replace(&mut self.place, Place::Later) {
            Place::FirstLine => without_mark(&self.line),
            Place::Later => self.line.as_slice(),
        };
        Ok(Some(Piece::Line(line)))
    }
}

pub(super) fn without_mark(text: &[u8]) -> &[u8] {
    text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text)
}

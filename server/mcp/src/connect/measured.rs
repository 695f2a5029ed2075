//! What a program says, line by line, with an end to the length of a line.
//!
//! The library drops a line that is too long, and whoever waits for the answer in it waits until the time is over. So the
//! line is looked through as it passes: which request it answers stands at its outermost level, and that request gets an
//! error in its place. Nothing is kept of a line but that.

#[cfg(test)]
mod tests;

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use serde_json::{Value, json};
use tokio::io::{AsyncRead, ReadBuf};

/// Bytes of one message, as with the other transports.
const LONGEST: usize = 16 * 1024 * 1024;
/// Bytes of the name of a request. Ours are numbers.
const LONGEST_ID: usize = 64;

pub(super) struct Measured<R> {
    inner: R,
    line: Line,
    longest: usize,
    /// What is to be read before anything else.
    instead: Vec<u8>,
}

impl<R> Measured<R> {
    pub(super) fn new(inner: R) -> Self {
        Self::at_most(LONGEST, inner)
    }

    fn at_most(longest: usize, inner: R) -> Self {
        Self {
            inner,
            line: Line::default(),
            longest,
            instead: Vec::new(),
        }
    }

    /// What becomes of some bytes. Nothing if they may pass as they are.
    fn replaced(&mut self, bytes: &[u8]) -> Option<Vec<u8>> {
        if self.line.state == Passing::Through && self.line.fits(bytes, self.longest) {
            return None;
        }
        let mut passed = Vec::new();
        for byte in bytes {
            self.line.read(*byte);
            if self.line.state == Passing::Through {
                passed.push(*byte);
                if *byte != b'\n' && self.line.length >= self.longest {
                    // An end to what the library has of it, which it can make nothing of.
                    passed.push(b'\n');
                    self.line.state = Passing::Unanswered;
                }
            }
            let is_over = *byte == b'\n';
            if self.line.state == Passing::Unanswered
                && let Some(id) = self.line.answers(is_over)
            {
                passed.extend(too_long(&id));
                self.line.state = Passing::Answered;
            }
            if is_over {
                self.line = Line::default();
            }
        }
        Some(passed)
    }
}

fn too_long(id: &Value) -> Vec<u8> {
    tracing::warn!(%id, "a server answers with more than is read");
    let error = json!({ "code": -32603, "message": "its answer is longer than 16 MB" });
    let message = json!({ "jsonrpc": "2.0", "id": id, "error": error });
    format!("{message}\n").into_bytes()
}

impl<R: AsyncRead + Unpin> AsyncRead for Measured<R> {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        loop {
            if !this.instead.is_empty() {
                let count = this.instead.len().min(buffer.remaining());
                let rest = this.instead.split_off(count);
                buffer.put_slice(&std::mem::replace(&mut this.instead, rest));
                return Poll::Ready(Ok(()));
            }
            let before = buffer.filled().len();
            ready!(Pin::new(&mut this.inner).poll_read(context, buffer))?;
            let read = buffer.filled().get(before..).unwrap_or_default();
            if read.is_empty() {
                return Poll::Ready(Ok(()));
            }
            match this.replaced(read) {
                None => return Poll::Ready(Ok(())),
                // Nothing at all would mean that it is over, so more is read then.
                Some(instead) => {
                    buffer.set_filled(before);
                    this.instead = instead;
                }
            }
        }
    }
}

/// What is done with a line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Passing {
    #[default]
    Through,
    /// It is too long, and it is not yet known whom it answers.
    Unanswered,
    Answered,
}

/// One line as far as it was read.
#[derive(Debug, Default)]
struct Line {
    length: usize,
    state: Passing,
    depth: usize,
    in_string: bool,
    is_escaped: bool,
    /// Whether a text of the outermost level is a name, or follows one.
    is_value: bool,
    /// What was read of a name or a value of the outermost level, as far as it is of use.
    word: Vec<u8>,
    name: Vec<u8>,
    id: Vec<u8>,
    is_request: bool,
    is_answer: bool,
}

impl Line {
    /// Reads bytes in which nothing is too long; the others are left alone.
    fn fits(&mut self, bytes: &[u8], longest: usize) -> bool {
        let mut length = self.length;
        for byte in bytes {
            length = match byte {
                b'\n' => 0,
                _ => length + 1,
            };
            if length >= longest {
                return false;
            }
        }
        for byte in bytes {
            self.read(*byte);
            if *byte == b'\n' {
                *self = Self::default();
            }
        }
        true
    }

    fn read(&mut self, byte: u8) {
        self.length += 1;
        if self.in_string {
            match byte {
                _ if self.is_escaped => self.is_escaped = false,
                b'\\' => self.is_escaped = true,
                b'"' => self.in_string = false,
                _ => {}
            }
            self.take(byte);
            return;
        }
        match byte {
            b'"' => {
                self.in_string = true;
                self.take(byte);
            }
            b'{' | b'[' => self.depth += 1,
            b'}' | b']' => {
                self.ends();
                self.depth = self.depth.saturating_sub(1);
            }
            b':' if self.depth == 1 => {
                self.name = std::mem::take(&mut self.word);
                self.is_value = true;
                match self.name.as_slice() {
                    b"\"method\"" => self.is_request = true,
                    b"\"result\"" | b"\"error\"" => self.is_answer = true,
                    _ => {}
                }
            }
            b',' => self.ends(),
            byte if !byte.is_ascii_whitespace() => self.take(byte),
            _ => {}
        }
    }

    fn take(&mut self, byte: u8) {
        let is_of_use = !self.is_value || self.name == b"\"id\"";
        if self.depth == 1 && is_of_use && self.word.len() <= LONGEST_ID {
            self.word.push(byte);
        }
    }

    /// A value of the outermost level is over.
    fn ends(&mut self) {
        if self.depth != 1 {
            return;
        }
        let word = std::mem::take(&mut self.word);
        if self.is_value && self.name == b"\"id\"" && word.len() <= LONGEST_ID {
            self.id = word;
        }
        self.is_value = false;
    }

    /// The request that this answers, once that is known for sure: servers have requests of their own.
    fn answers(&self, is_over: bool) -> Option<Value> {
        let is_answer = self.is_answer || is_over;
        if !is_answer || self.is_request {
            return None;
        }
        let id: Value = serde_json::from_slice(&self.id).ok()?;
        matches!(id, Value::Number(_) | Value::String(_)).then_some(id)
    }
}

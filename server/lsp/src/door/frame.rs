//! Messages with a `Content-Length`, off a stream of bytes that may be anything.

use std::io;

use bytes::{Buf, Bytes, BytesMut};
use tokio::io::{AsyncRead, AsyncReadExt};

/// The longest message that is taken from an editor. Editors do not send files of this size.
pub const MAX_FRAME: usize = 64 * 1024 * 1024;

/// No honest header is longer.
const MAX_HEADER: usize = 4 * 1024;

/// The memory of a message beyond this is given back once the message is done with.
const LARGE: usize = 256 * 1024;

const LENGTH: &[u8] = b"Content-Length";

/// What was read.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Incoming {
    Frame(Bytes),
    /// Something that is no message. It has been passed over.
    Bad(BadFrame),
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum BadFrame {
    #[error("the header of the message is not valid")]
    Header,
    #[error("a message of {length} bytes is over the limit of {limit} bytes")]
    TooLong { length: usize, limit: usize },
}

/// Reads frames. Dropping a call to `next` half-way loses nothing.
pub(super) struct FrameReader<R> {
    reader: R,
    limit: usize,
    buffer: BytesMut,
    /// The body of this length comes next.
    body: Option<usize>,
    /// So many bytes of a body that is too long are still to be passed over.
    skip: usize,
}

impl<R: AsyncRead + Unpin> FrameReader<R> {
    pub(super) fn new(reader: R, limit: usize) -> Self {
        Self {
            reader,
            limit,
            buffer: BytesMut::new(),
            body: None,
            skip: 0,
        }
    }

    /// The next frame, or nothing at the end of the stream.
    pub(super) async fn next(&mut self) -> io::Result<Option<Incoming>> {
        loop {
            if let Some(incoming) = self.decode() {
                return Ok(Some(incoming));
            }
            self.buffer.reserve(8 * 1024);
            if self.reader.read_buf(&mut self.buffer).await? == 0 {
                return Ok(None);
            }
        }
    }

    fn decode(&mut self) -> Option<Incoming> {
        loop {
            if self.skip > 0 {
                let skipped = self.skip.min(self.buffer.len());
                self.buffer.advance(skipped);
                self.skip -= skipped;
                if self.skip > 0 {
                    return None;
                }
            }
            let Some(length) = self.body else {
                match self.header()? {
                    Ok(length) if length > self.limit => {
                        self.skip = length;
                        let limit = self.limit;
                        return Some(Incoming::Bad(BadFrame::TooLong { length, limit }));
                    }
                    Ok(length) => self.body = Some(length),
                    Err(bad) => return Some(Incoming::Bad(bad)),
                }
                continue;
            };
            if self.buffer.len() < length {
                return None;
            }
            self.body = None;
            let body = self.buffer.split_to(length).freeze();
            if length > LARGE {
                // What is left shares the memory of the body, and would keep all of it.
                self.buffer = BytesMut::from(&*self.buffer);
            }
            return Some(Incoming::Frame(body));
        }
    }

    /// Takes a header off the buffer, once it is whole.
    fn header(&mut self) -> Option<Result<usize, BadFrame>> {
        let Some((end, terminator)) = header_end(&self.buffer) else {
            if self.buffer.len() <= MAX_HEADER {
                return None;
            }
            self.pass_over_garbage(0);
            return Some(Err(BadFrame::Header));
        };
        let length = self.buffer.get(..end).and_then(content_length);
        match length {
            Some(length) => {
                self.buffer.advance(end + terminator);
                Some(Ok(length))
            }
            None => {
                self.pass_over_garbage(end + terminator);
                Some(Err(BadFrame::Header))
            }
        }
    }

    /// Goes on to what may be the next header: a later `Content-Length` in what is buffered, or
    /// else behind the given place, or behind everything but what may be the start of one.
    fn pass_over_garbage(&mut self, behind: usize) {
        let next = self
            .buffer
            .windows(LENGTH.len())
            .skip(1)
            .position(|window| window.eq_ignore_ascii_case(LENGTH))
            .map(|at| at + 1);
        let cut = match next {
            Some(next) if behind == 0 || next < behind => next,
            _ if behind > 0 => behind,
            _ => self.buffer.len().saturating_sub(LENGTH.len()),
        };
        self.buffer.advance(cut);
    }
}

/// Where the header ends, and how long the empty line behind it is.
fn header_end(buffer: &[u8]) -> Option<(usize, usize)> {
    let crlf = position(buffer, b"\r\n\r\n").map(|at| (at, 4));
    let lf = position(buffer, b"\n\n").map(|at| (at, 2));
    match (crlf, lf) {
        (Some(crlf), Some(lf)) => Some(crlf.min(lf)),
        (crlf, lf) => crlf.or(lf),
    }
}

fn position(buffer: &[u8], wanted: &[u8]) -> Option<usize> {
    let scanned = buffer.get(..MAX_HEADER + wanted.len()).unwrap_or(buffer);
    scanned
        .windows(wanted.len())
        .position(|window| window == wanted)
}

fn content_length(header: &[u8]) -> Option<usize> {
    let header = std::str::from_utf8(header).ok()?;
    let mut length = None;
    for line in header.lines() {
        let (name, value) = line.split_once(':')?;
        if name.trim().eq_ignore_ascii_case("Content-Length") {
            length = Some(value.trim().parse().ok()?);
        }
    }
    length
}

/// A frame around a body, ready to be written.
pub(super) fn framed(body: &[u8]) -> BytesMut {
    let header = format!("Content-Length: {}\r\n\r\n", body.len());
    let mut frame = BytesMut::with_capacity(header.len() + body.len());
    frame.extend_from_slice(header.as_bytes());
    frame.extend_from_slice(body);
    frame
}

#[cfg(test)]
mod tests;

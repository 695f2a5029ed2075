//! The client's end.

use bytes::BytesMut;
use tokio::io::{AsyncWrite, AsyncWriteExt};

/// Beyond this, whoever has more to say waits.
const ROOM: usize = 64 * 1024;

/// What is on its way to the client. Dropping a `flush` half-way loses nothing and splits no message.
pub struct Output<W> {
    writer: W,
    pending: BytesMut,
    state: State,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Flushed,
    Unflushed,
    /// The client has closed it. What it sends still counts.
    Deaf,
}

impl<W: AsyncWrite + Unpin> Output<W> {
    pub fn new(writer: W) -> Self {
        Self {
            writer,
            pending: BytesMut::new(),
            state: State::Flushed,
        }
    }

    pub fn queue(&mut self, bytes: &[u8]) {
        if self.state != State::Deaf {
            self.pending.extend_from_slice(bytes);
            self.state = State::Unflushed;
        }
    }

    pub fn has_room(&self) -> bool {
        self.pending.len() < ROOM
    }

    pub fn is_flushed(&self) -> bool {
        self.state == State::Flushed
    }

    pub fn is_deaf(&self) -> bool {
        self.state == State::Deaf
    }

    pub async fn flush(&mut self) {
        while !self.pending.is_empty() && !self.is_deaf() {
            match self.writer.write_buf(&mut self.pending).await {
                Ok(written) if written > 0 => {}
                Ok(_) | Err(_) => self.state = State::Deaf,
            }
        }
        if self.state == State::Unflushed {
            self.state = match self.writer.flush().await {
                Ok(()) => State::Flushed,
                Err(_) => State::Deaf,
            };
        }
        if self.is_deaf() {
            self.pending = BytesMut::new();
        }
    }
}

//! Plays one reply to one client.

use std::io;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use tokio::io::AsyncWriteExt;

use super::cursor::Cursor;
use super::encoder::Encoder;
use super::gates::Gates;
use super::record::ReplyEnd;
use super::server::EndReport;
use super::socket::Socket;
use super::step::Step;

/// The start of a chunk that announces 64 bytes and brings fewer.
const PART_OF_A_CHUNK: &[u8] = b"40\r\ndata: {\"candidates\": [{\"content";

/// Dropping it tells the log that the client left, unless the reply came to its end.
pub(super) struct Playback {
    pub(super) cursor: Cursor,
    pub(super) encoder: Encoder,
    pub(super) split: Option<NonZeroUsize>,
    pub(super) omit_done: bool,
    /// Whether hyper frames the body in chunks.
    pub(super) is_chunked: bool,
    pub(super) control: Control,
    /// Encoded and not yet sent.
    pub(super) waiting: Bytes,
    pub(super) has_ended: bool,
}

/// What the steps that send nothing need.
pub(super) struct Control {
    pub(super) socket: Socket,
    pub(super) gates: Arc<Gates>,
    pub(super) report: EndReport,
}

impl Playback {
    /// The next piece of the body. An error makes hyper drop the connection.
    pub(super) async fn next_frame(&mut self) -> Option<io::Result<Bytes>> {
        loop {
            if !self.waiting.is_empty() {
                return Some(Ok(self.next_piece().await));
            }
            match self.cursor.next() {
                Some(step) if step.sends() => self.waiting = self.encoder.encode(&step).into(),
                Some(step) => {
                    let part: &[u8] = if self.is_chunked {
                        PART_OF_A_CHUNK
                    } else {
                        b"{"
                    };
                    if let Err(cut) = self.control.perform(&step, part).await {
                        return Some(Err(cut));
                    }
                }
                None if self.has_ended => {
                    self.control.report.set(ReplyEnd::Complete);
                    return None;
                }
                None => {
                    self.has_ended = true;
                    self.waiting = self.encoder.end(self.omit_done).into();
                }
            }
        }
    }

    async fn next_piece(&mut self) -> Bytes {
        let Some(most) = self.split else {
            return std::mem::take(&mut self.waiting);
        };
        // Each piece leaves in a write of its own.
        self.control.socket.drained().await;
        self.waiting.split_to(most.get().min(self.waiting.len()))
    }
}

impl Control {
    /// Plays a step that sends nothing. An error means that the connection is gone; `part` is sent
    /// just before, to leave the client in the middle of something.
    pub(super) async fn perform(&mut self, step: &Step, part: &[u8]) -> io::Result<()> {
        match step {
            Step::PauseMs(milliseconds) => {
                tokio::time::sleep(Duration::from_millis(*milliseconds)).await;
            }
            Step::Stall => std::future::pending().await,
            Step::Gate(name) => self.gates.pass(name).await,
            Step::Cut => return Err(self.close(part, Close::Orderly).await),
            Step::Reset => return Err(self.close(part, Close::Reset).await),
            other => panic!("{other:?} sends something"),
        }
        Ok(())
    }

    async fn close(&mut self, part: &[u8], how: Close) -> io::Error {
        if !part.is_empty() {
            self.socket.drained().await;
        }
        if let Some(mut stream) = self.socket.take() {
            // The client may have left already; then there is nothing to cut.
            let _client_left = stream.write_all(part).await;
            let _client_left = match how {
                Close::Orderly => stream.shutdown().await,
                Close::Reset => stream.set_zero_linger(),
            };
        }
        self.report.set(ReplyEnd::Cut);
        io::ErrorKind::ConnectionAborted.into()
    }
}

#[derive(Clone, Copy)]
enum Close {
    Orderly,
    Reset,
}

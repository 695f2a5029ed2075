//! The two ends of a host.

use std::io;

use bytes::{Bytes, BytesMut};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};

/// Read at once.
const READ: usize = 16 * 1024;

/// The memory of a line beyond this is given back once the line is done with.
const LARGE: usize = 256 * 1024;

/// It cannot be read from, or not be written to.
#[derive(Debug)]
pub(super) struct HostLost;

impl From<io::Error> for HostLost {
    fn from(_: io::Error) -> Self {
        HostLost
    }
}

/// What it says. Half a line of a host that has died is never seen by anybody.
pub(super) struct FromHost<R> {
    reader: R,
    buffer: BytesMut,
    /// So much of the buffer has no end of a line in it.
    searched: usize,
}

impl<R: AsyncRead + Unpin> FromHost<R> {
    pub(super) fn new(reader: R) -> Self {
        Self {
            reader,
            buffer: BytesMut::new(),
            searched: 0,
        }
    }

    /// The next lines with their ends, as many as are there. Dropping it half-way loses nothing.
    pub(super) async fn lines(&mut self) -> Result<Bytes, HostLost> {
        loop {
            let fresh = self.buffer.get(self.searched..).unwrap_or_default();
            if let Some(end) = fresh.iter().rposition(|byte| *byte == b'\n') {
                let lines = self.buffer.split_to(self.searched + end + 1).freeze();
                if lines.len() > LARGE {
                    // What is left shares the memory of the lines, and would keep all of it.
                    self.buffer = BytesMut::from(&*self.buffer);
                }
                self.searched = self.buffer.len();
                return Ok(lines);
            }
            self.searched = self.buffer.len();
            self.buffer.reserve(READ);
            if self.reader.read_buf(&mut self.buffer).await? == 0 {
                return Err(HostLost);
            }
        }
    }
}

/// What it is told.
pub(super) struct ToHost<W> {
    writer: W,
    pending: BytesMut,
    /// Whether anything of what is pending may have reached it.
    begun: bool,
}

impl<W: AsyncWrite + Unpin> ToHost<W> {
    pub(super) fn new(writer: W) -> Self {
        Self {
            writer,
            pending: BytesMut::new(),
            begun: false,
        }
    }

    /// A line without its end.
    pub(super) fn queue(&mut self, line: &[u8]) {
        self.begun &= self.has_more();
        self.pending.extend_from_slice(line);
        self.pending.extend_from_slice(b"\n");
    }

    pub(super) fn has_more(&self) -> bool {
        !self.pending.is_empty()
    }

    /// Writes some of it. Dropping it half-way loses nothing.
    pub(super) async fn write(&mut self) -> Result<(), HostLost> {
        let written = self.writer.write_buf(&mut self.pending).await?;
        self.begun = true;
        if self.pending.is_empty() && self.pending.capacity() > LARGE {
            self.pending = BytesMut::new();
        }
        match written {
            0 => Err(HostLost),
            _ => Ok(()),
        }
    }

    /// Writes all of it.
    pub(super) async fn flush(&mut self) -> Result<(), HostLost> {
        while self.has_more() {
            self.write().await?;
        }
        Ok(())
    }

    /// The line that it was to be told next and has seen nothing of.
    pub(super) fn unsent(&self) -> Option<Vec<u8>> {
        let line = self.pending.strip_suffix(b"\n")?;
        (!self.begun).then(|| line.to_vec())
    }

    pub(super) async fn close(&mut self) {
        let _host_is_gone = self.writer.shutdown().await;
    }
}

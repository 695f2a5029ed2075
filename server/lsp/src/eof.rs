//! Notices when the other side has closed its end.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncRead, ReadBuf};
use tokio_util::sync::CancellationToken;

/// Reads through, and cancels the token at the end of the stream.
///
/// tower-lsp waits for every handler before it returns; without this a stuck handler would keep
/// the connection of an editor that is long gone.
pub(crate) struct SignalEof<R> {
    inner: R,
    closed: CancellationToken,
}

impl<R> SignalEof<R> {
    pub(crate) fn new(inner: R, closed: CancellationToken) -> Self {
        Self { inner, closed }
    }
}

impl<R: AsyncRead + Unpin> AsyncRead for SignalEof<R> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let result = ready!(Pin::new(&mut self.inner).poll_read(cx, buffer));
        if result.is_err() || (buffer.filled().len() == before && buffer.remaining() > 0) {
            self.closed.cancel();
        }
        Poll::Ready(result)
    }
}

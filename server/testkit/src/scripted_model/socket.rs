//! A TCP stream that can be taken away from hyper.
//!
//! hyper sends whole chunks and closes politely. To cut a chunk in the middle or to reset the
//! connection, the reply waits until hyper has written all it has, takes the stream, and does the
//! rest itself.

use std::io;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;

/// Two handles on one stream: hyper's and the reply's.
#[derive(Clone)]
pub(super) struct Socket(Arc<Mutex<Slot>>);

struct Slot {
    stream: Option<TcpStream>,
    drain: Drain,
}

/// Whether the reply waits for hyper to have written everything.
enum Drain {
    Idle,
    Awaited(Waker),
    Done,
}

impl Socket {
    pub(super) fn new(stream: TcpStream) -> Self {
        let drain = Drain::Idle;
        Self(Arc::new(Mutex::new(Slot {
            stream: Some(stream),
            drain,
        })))
    }

    /// Takes the stream; hyper sees a closed connection from now on.
    pub(super) fn take(&self) -> Option<TcpStream> {
        self.slot().stream.take()
    }

    /// Waits until hyper has written every frame it was given. Only to be awaited inside the body
    /// that hyper polls: hyper flushes when its body has nothing for it.
    pub(super) async fn drained(&self) {
        std::future::poll_fn(|cx| {
            let mut slot = self.slot();
            if matches!(slot.drain, Drain::Done) || slot.stream.is_none() {
                slot.drain = Drain::Idle;
                return Poll::Ready(());
            }
            slot.drain = Drain::Awaited(cx.waker().clone());
            Poll::Pending
        })
        .await;
    }

    fn slot(&self) -> MutexGuard<'_, Slot> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Slot {
    fn stream(&mut self) -> io::Result<Pin<&mut TcpStream>> {
        let stream = self.stream.as_mut();
        stream
            .map(Pin::new)
            .ok_or_else(|| io::ErrorKind::ConnectionAborted.into())
    }
}

impl AsyncRead for Socket {
    fn poll_read(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        self.slot().stream()?.poll_read(cx, buffer)
    }
}

impl AsyncWrite for Socket {
    fn poll_write(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        self.slot().stream()?.poll_write(cx, bytes)
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        self.slot().stream()?.poll_write_vectored(cx, slices)
    }

    fn is_write_vectored(&self) -> bool {
        true
    }

    /// hyper calls this once its own buffer is empty.
    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let mut slot = self.slot();
        let flushed = slot.stream()?.poll_flush(cx);
        if flushed.is_ready()
            && let Drain::Awaited(waker) = &slot.drain
        {
            waker.wake_by_ref();
            slot.drain = Drain::Done;
        }
        flushed
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.slot().stream()?.poll_shutdown(cx)
    }
}

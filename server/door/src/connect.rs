//! The way to a host.

use std::future::Future;
use std::io;

use tokio::io::{AsyncRead, AsyncWrite};

/// Finds or starts a host.
pub trait Connect {
    type Reader: AsyncRead + Unpin;
    type Writer: AsyncWrite + Unpin;

    fn connect(&mut self) -> impl Future<Output = io::Result<(Self::Reader, Self::Writer)>>;
}

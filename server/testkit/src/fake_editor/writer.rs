//! The editor's side of the stream to the server.

use std::time::Duration;

use serde_json::Value;
use tokio::io::{AsyncWrite, AsyncWriteExt};
use tokio::sync::Mutex;

use super::frames::encode_frame;
use crate::deadline::within;

/// Whole messages only: two senders never mix their bytes.
pub(super) struct Writer {
    /// `None` once the editor has closed its side.
    stream: Mutex<Option<Box<dyn AsyncWrite + Send + Unpin>>>,
    deadline: std::sync::Mutex<Duration>,
}

impl Writer {
    pub(super) fn new(stream: impl AsyncWrite + Send + Unpin + 'static, limit: Duration) -> Self {
        Self {
            stream: Mutex::new(Some(Box::new(stream))),
            deadline: std::sync::Mutex::new(limit),
        }
    }

    pub(super) fn set_deadline(&self, limit: Duration) {
        *self.deadline.lock().expect("never held over a panic") = limit;
    }

    pub(super) async fn send(&self, message: &Value) {
        self.try_send(&encode_frame(message))
            .await
            .unwrap_or_else(|error| panic!("the server does not take {message}: {error}"));
    }

    /// An error is a server that closed its side.
    pub(super) async fn try_send(&self, bytes: &[u8]) -> std::io::Result<()> {
        let limit = *self.deadline.lock().expect("never held over a panic");
        let write = async {
            let mut stream = self.stream.lock().await;
            let Some(stream) = stream.as_mut() else {
                return Err(std::io::Error::other("the editor closed its side"));
            };
            stream.write_all(bytes).await?;
            stream.flush().await
        };
        within(limit, write, || {
            format!(
                "the server reads no input; {} bytes wait to be written",
                bytes.len()
            )
        })
        .await
    }

    /// Lets the server see the end of its input.
    pub(super) async fn close(&self) {
        let stream = self.stream.lock().await.take();
        if let Some(mut stream) = stream {
            // Half of a split pipe stays open until it is shut down, a child's stdin until it is
            // dropped; a server that is gone already has seen the end anyway.
            let _already_gone = stream.shutdown().await;
        }
    }
}

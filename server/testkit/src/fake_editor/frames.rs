//! `Content-Length` frames, read strictly: a server that writes a stray line to stdout is found
//! out here.

use serde_json::Value;
use tokio::io::{AsyncBufRead, AsyncBufReadExt, AsyncReadExt};

/// What is wrong with the bytes a server sent.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FrameError {
    #[error("the header line {line:?} is not `Content-Length` or `Content-Type`")]
    Header { line: String },
    #[error("a frame without `Content-Length`")]
    NoLength,
    #[error("the stream ended inside a frame")]
    Truncated,
    #[error("a body that is not JSON ({reason}): {body:?}")]
    Json { reason: String, body: String },
    #[error("the stream could not be read: {0}")]
    Io(String),
}

/// The bytes of one frame.
pub fn encode_frame(message: &Value) -> Vec<u8> {
    let body = message.to_string();
    format!("Content-Length: {}\r\n\r\n{body}", body.len()).into_bytes()
}

/// Reads one frame; `None` is a clean end between two frames.
pub async fn read_frame(
    stream: &mut (impl AsyncBufRead + Unpin),
) -> Result<Option<Value>, FrameError> {
    let Some(length) = read_header(stream).await? else {
        return Ok(None);
    };
    let mut body = vec![0; length];
    stream
        .read_exact(&mut body)
        .await
        .map_err(|_| FrameError::Truncated)?;
    serde_json::from_slice(&body)
        .map(Some)
        .map_err(|error| FrameError::Json {
            reason: error.to_string(),
            body: String::from_utf8_lossy(&body).into_owned(),
        })
}

async fn read_header(
    stream: &mut (impl AsyncBufRead + Unpin),
) -> Result<Option<usize>, FrameError> {
    let mut length = None;
    let mut first = true;
    loop {
        let mut line = Vec::new();
        stream
            .read_until(b'\n', &mut line)
            .await
            .map_err(|error| FrameError::Io(error.to_string()))?;
        if line.is_empty() && first {
            return Ok(None);
        }
        first = false;
        let line = String::from_utf8_lossy(&line).into_owned();
        let Some(header) = line.strip_suffix("\r\n") else {
            return Err(if line.ends_with('\n') {
                FrameError::Header { line }
            } else {
                FrameError::Truncated
            });
        };
        match header.split_once(':') {
            None if header.is_empty() => return length.ok_or(FrameError::NoLength).map(Some),
            Some((name, value)) if name.eq_ignore_ascii_case("Content-Length") => {
                let value = value.trim().parse();
                length = Some(value.map_err(|_| FrameError::Header { line: line.clone() })?);
            }
            Some((name, _)) if name.eq_ignore_ascii_case("Content-Type") => {}
            _ => return Err(FrameError::Header { line }),
        }
    }
}

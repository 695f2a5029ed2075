//! The first line each side says when a door meets the host.

use std::collections::BTreeMap;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use pollux_mcp::serve::HttpDoor;
use pollux_workspace::DoorContext;
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use tokio::io::{AsyncBufRead, AsyncBufReadExt, AsyncReadExt, AsyncWrite, AsyncWriteExt};

/// An environment of this size is no accident either.
const LINE_LIMIT: u64 = 4 * 1024 * 1024;

/// What a door says.
#[derive(Serialize, Deserialize)]
pub(crate) struct Hello {
    pub(crate) kind: DoorKind,
    pub(crate) folder: PathBuf,
    pub(crate) environment: Arc<BTreeMap<String, String>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum DoorKind {
    /// The language server protocol follows.
    Lsp,
    /// Wants to know how the host is, and leaves.
    Doctor,
    /// The Model Context Protocol follows.
    Mcp,
    /// Wants a port for it, for as long as it stays.
    McpHttp,
    /// The Agent Client Protocol follows.
    Acp,
    /// Hands over an edit of a folder whose record this host has.
    ForeignEdits,
}

/// What a door that wants a port is told.
#[derive(Serialize, Deserialize)]
pub(crate) struct Port {
    pub(crate) url: String,
    pub(crate) token: String,
}

impl Port {
    pub(crate) fn of(door: &HttpDoor) -> Self {
        Self {
            url: door.url(),
            token: door.token().unwrap_or_default().to_owned(),
        }
    }
}

impl Hello {
    pub(crate) fn new(kind: DoorKind, context: DoorContext) -> Self {
        Self {
            kind,
            folder: context.folder,
            environment: context.environment,
        }
    }

    pub(crate) fn into_context(self) -> DoorContext {
        DoorContext {
            folder: self.folder,
            environment: self.environment,
        }
    }
}

pub(crate) async fn say<T: Serialize>(
    writer: &mut (impl AsyncWrite + Unpin),
    message: &T,
) -> io::Result<()> {
    let mut line = serde_json::to_vec(message)?;
    line.push(b'\n');
    writer.write_all(&line).await
}

pub(crate) async fn hear<T: DeserializeOwned>(
    reader: &mut (impl AsyncBufRead + Unpin),
) -> io::Result<T> {
    let mut line = Vec::new();
    reader.take(LINE_LIMIT).read_until(b'\n', &mut line).await?;
    if line.last() != Some(&b'\n') {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    Ok(serde_json::from_slice(&line)?)
}

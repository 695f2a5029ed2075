//! Files and folders that somebody may want to name in a prompt.

use std::path::PathBuf;

use tokio_util::sync::CancellationToken;

use crate::SessionRequest;

/// What somebody has typed behind an `@`.
#[derive(Clone, Debug)]
pub struct MentionQuery {
    /// The folder, and whose settings say what is ignored there.
    pub request: SessionRequest,
    pub letters: String,
    /// Absolute: files that come first.
    pub open: Vec<PathBuf>,
    pub limit: usize,
    /// Cancelled when nobody waits any more.
    pub cancel: CancellationToken,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mention {
    /// Relative to the folder, with forward slashes.
    pub path: String,
    pub kind: MentionKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MentionKind {
    File,
    Folder,
}

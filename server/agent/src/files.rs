use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use futures_util::future::BoxFuture;
use pollux_search::UnsavedText;
use pollux_text::Unencodable;
use tokio_util::sync::CancellationToken;

use crate::WorkspacePath;
use crate::api::{CallId, TurnId};

/// Larger files are not read: the twin's limit.
pub const MAX_FILE_BYTES: u64 = 20 * 1024 * 1024;

/// The files of one workspace, as the tools see them.
///
/// An implementation decides what a file's text is: the unsaved buffer where a file is open in an editor, the
/// disk otherwise. Text is exact: every line ending stays in it. The charset and a byte order mark are the file's and
/// not the text's; a write keeps them.
pub trait Files: Send + Sync {
    /// The text of a file. A link that leads out of the workspace is [`FileError::OutsideWorkspace`].
    fn read<'a>(&'a self, path: &'a WorkspacePath) -> BoxFuture<'a, Result<String, FileError>>;

    /// The bytes of a file that may be no text, such as an image. One with more than `limit` is
    /// [`FileError::TooLarge`].
    fn read_bytes<'a>(
        &'a self,
        path: &'a WorkspacePath,
        limit: u64,
    ) -> BoxFuture<'a, Result<Vec<u8>, FileError>>;

    /// The texts of open files that may differ from the disk, by their absolute paths. Asked for with every search,
    /// so nothing is copied here.
    fn unsaved(&self) -> BoxFuture<'_, Vec<(PathBuf, Arc<dyn UnsavedText>)>> {
        Box::pin(async { Vec::new() })
    }

    /// Makes of `base` what `text` says, whole or not at all. Where the file no longer holds `base`, an implementation merges the
    /// edit into what it holds and tells of the lines where that was not possible, or leaves all as it is and answers
    /// [`FileError::Changed`]. Called only with text that a person or a policy has agreed to; the
    /// session does not drop the future before it ends, even when the turn is cancelled.
    fn write<'a>(
        &'a self,
        path: &'a WorkspacePath,
        base: &'a str,
        text: &'a str,
        origin: &'a EditOrigin,
    ) -> BoxFuture<'a, Result<Written, FileError>>;

    /// Makes a new file, whole or not at all, and the folders that lead to it. Where there is a file by now, it stays
    /// as it is, and the answer is [`FileError::Exists`]. Called under the same rules as [`Self::write`].
    fn create<'a>(
        &'a self,
        path: &'a WorkspacePath,
        text: &'a str,
        origin: &'a EditOrigin,
    ) -> BoxFuture<'a, Result<Written, FileError>>;
}

/// Where an edit comes from.
#[derive(Clone, Debug)]
pub struct EditOrigin {
    pub turn: TurnId,
    pub call: CallId,
    pub standing: Standing,
    /// Ends with the turn. A write that has to wait for somebody who types waits no longer.
    pub cancel: CancellationToken,
}

/// What is left to decide about an edit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// A person has looked at every hunk, or has said that they will not.
    Kept,
    /// It is made at once, and the person looks at it when they like.
    Pending,
}

/// What became of an edit.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Written {
    /// The lines that the person had changed meanwhile. Theirs are in the file; the agent's are shown beside them.
    pub conflicts: Vec<EditConflict>,
}

/// Lines that two sides have changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EditConflict {
    /// Of the file as it is now, counted from 1.
    pub line: usize,
    /// What the file holds.
    pub mine: String,
    /// What the edit would have put there.
    pub theirs: String,
}

/// Why a file could not be read or written.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    #[error("there is no such file")]
    NotFound,
    #[error("it is a folder, not a file")]
    IsFolder,
    #[error("it leads out of the workspace")]
    OutsideWorkspace,
    #[error("it has {bytes} bytes, and {limit} is the limit")]
    TooLarge { bytes: u64, limit: u64 },
    #[error("it is not text")]
    NotText,
    #[error("the file changed since it was read, so nothing was written")]
    Changed,
    #[error("there is a file by that name, so nothing was written")]
    Exists,
    /// The file is open, and the editor does not take the edit.
    #[error("the editor did not take the edit, so nothing was written")]
    NotTaken,
    #[error("the turn was stopped before the editor had taken the edit, so nothing was written")]
    Stopped,
    /// The text says which character, on which line, and in which charset.
    #[error(transparent)]
    Unencodable(#[from] Unencodable),
    #[error("it cannot be read: {source}")]
    Unreadable { source: io::Error },
    #[error("it cannot be written: {source}")]
    Unwritable { source: io::Error },
    /// What cannot be reviewed or undone later is not done.
    #[error("the change cannot be recorded for review, so nothing was changed: {source}")]
    NotRecorded { source: io::Error },
}

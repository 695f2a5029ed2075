//! The one door to the disk for everything that is put in front of a model.

use std::io;
use std::path::{Path, PathBuf};

use futures_util::future::BoxFuture;

/// Reads files for a prompt. Paths are absolute.
///
/// An implementation decides what a file's bytes are: the unsaved buffer where a file is open in an editor, the
/// disk otherwise. It never waits for a pipe or a device: those are [`FileKind::Other`] and are not read.
pub trait Reading: Send + Sync {
    /// The first `limit` bytes of a file, and how many there are.
    fn head<'a>(
        &'a self,
        path: &'a Path,
        limit: usize,
    ) -> BoxFuture<'a, Result<FileHead, ReadError>>;

    /// At most `limit` entries of a folder, in any order. Links are not followed.
    fn list<'a>(
        &'a self,
        folder: &'a Path,
        limit: usize,
    ) -> BoxFuture<'a, Result<Vec<Entry>, ReadError>>;

    /// What stands at a path, every link followed.
    fn look<'a>(&'a self, path: &'a Path) -> BoxFuture<'a, Result<Found, ReadError>>;
}

/// The beginning of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileHead {
    pub bytes: Vec<u8>,
    /// How long the whole file is.
    pub total: u64,
}

impl FileHead {
    pub(super) fn is_whole(&self) -> bool {
        self.bytes.len() as u64 >= self.total
    }
}

/// One entry of a folder.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Entry {
    pub name: String,
    pub kind: EntryKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum EntryKind {
    File,
    Folder,
    /// A link, wherever it leads.
    Link,
}

/// What stands at a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    pub kind: FileKind,
    pub bytes: u64,
    pub identity: FileIdentity,
    pub real_path: PathBuf,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileKind {
    File,
    Folder,
    /// A pipe, a socket, a device: reading it might never end.
    Other,
}

/// Two paths with one identity are one file.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum FileIdentity {
    Inode {
        device: u64,
        inode: u64,
    },
    /// Where the system has no inodes: the real path.
    Path(PathBuf),
}

/// Why something could not be read.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    #[error("there is no such file")]
    NotFound,
    #[error("it is not a file")]
    NotAFile,
    #[error("it is not a folder")]
    NotAFolder,
    #[error("it cannot be read: {source}")]
    Unreadable { source: io::Error },
}

/// Whether a file may be shown to a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Visibility {
    Visible,
    Ignored,
}

/// Answers what the ignore files say about a path. Given as data, because reading them is someone else's work.
pub type IgnoreRule<'a> = &'a (dyn Fn(&Path, EntryKind) -> Visibility + Send + Sync);

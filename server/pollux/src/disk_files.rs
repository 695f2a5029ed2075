//! The workspace's files on disk.

mod attended;
mod exact;
#[cfg(all(debug_assertions, unix))]
mod killed;
mod replace;
mod reviewed;
#[cfg(test)]
#[cfg(unix)]
mod tests;

use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use pollux_agent::{EditOrigin, FileError, Files, MAX_FILE_BYTES, WorkspacePath, Written};
use pollux_text::{Bom, decode, encode_edit};

pub(super) use attended::AttendedDisk;
#[cfg(all(debug_assertions, unix))]
pub(super) use killed::{KilledDisk, ORDER};
use replace::{create_atomically, write_atomically};
pub(super) use reviewed::ReviewedDisk;

/// Reads and writes below one folder. Exact: what is not changed by an edit keeps its bytes, and a file keeps
/// its charset, its mode and stays behind the link that leads to it.
///
/// A write replaces the file by a rename, so other hard links to it keep the old text.
pub(super) struct DiskFiles {
    root: PathBuf,
    /// Folders outside the root that may be used as well.
    places: Vec<PathBuf>,
}

impl DiskFiles {
    /// The root must be absolute and without links.
    pub(super) fn new(root: PathBuf) -> Self {
        Self {
            root,
            places: Vec::new(),
        }
    }

    /// With further folders, absolute and without links as far as they exist.
    pub(super) fn and_in(mut self, places: Vec<PathBuf>) -> Self {
        self.places = places;
        self
    }

    /// The folder that a path belongs to.
    pub(super) fn home_of(&self, path: &Path) -> PathBuf {
        let outside = self.places.iter().find(|place| path.starts_with(place));
        outside.unwrap_or(&self.root).clone()
    }
}

impl Files for DiskFiles {
    fn read<'a>(&'a self, path: &'a WorkspacePath) -> BoxFuture<'a, Result<String, FileError>> {
        let (root, path) = (self.home_of(path.as_path()), path.clone());
        let reading = off_the_runtime(move || {
            let target = resolve(&root, &path)?;
            let bytes = read_bytes(&target, MAX_FILE_BYTES)?;
            let decoded = decode(&bytes).map_err(|_| FileError::NotText)?;
            Ok(decoded.text)
        });
        reading
            .map(|read| read.unwrap_or_else(|source| Err(FileError::Unreadable { source })))
            .boxed()
    }

    fn read_bytes<'a>(
        &'a self,
        path: &'a WorkspacePath,
        limit: u64,
    ) -> BoxFuture<'a, Result<Vec<u8>, FileError>> {
        let (root, path) = (self.home_of(path.as_path()), path.clone());
        let reading = off_the_runtime(move || read_bytes(&resolve(&root, &path)?, limit));
        reading
            .map(|read| read.unwrap_or_else(|source| Err(FileError::Unreadable { source })))
            .boxed()
    }

    fn write<'a>(
        &'a self,
        path: &'a WorkspacePath,
        base: &'a str,
        text: &'a str,
        _: &'a EditOrigin,
    ) -> BoxFuture<'a, Result<Written, FileError>> {
        let (root, path) = (self.home_of(path.as_path()), path.clone());
        let (base, text) = (base.to_owned(), text.to_owned());
        let writing = off_the_runtime(move || {
            let target = resolve(&root, &path)?;
            let bytes = edited(&read_bytes(&target, MAX_FILE_BYTES)?, &base, &text)?;
            write_atomically(&target, &bytes).map_err(|source| FileError::Unwritable { source })?;
            Ok(Written::default())
        });
        writing
            .map(|written| written.unwrap_or_else(|source| Err(FileError::Unwritable { source })))
            .boxed()
    }

    fn create<'a>(
        &'a self,
        path: &'a WorkspacePath,
        text: &'a str,
        _: &'a EditOrigin,
    ) -> BoxFuture<'a, Result<Written, FileError>> {
        let (root, path, text) = (self.home_of(path.as_path()), path.clone(), text.to_owned());
        let writing = off_the_runtime(move || {
            let target = resolve_new(&root, &path)?;
            create(&target, &text)?;
            Ok(Written::default())
        });
        writing
            .map(|written| written.unwrap_or_else(|source| Err(FileError::Unwritable { source })))
            .boxed()
    }
}

fn create(target: &Path, text: &str) -> Result<(), FileError> {
    create_atomically(target, text.as_bytes()).map_err(|source| match source.kind() {
        io::ErrorKind::AlreadyExists => FileError::Exists,
        _ => FileError::Unwritable { source },
    })
}

/// The bytes of a file whose text was `base` and becomes `text`.
fn edited(bytes: &[u8], base: &str, text: &str) -> Result<Vec<u8>, FileError> {
    // By content and not by time: a clock cannot tell what a person typed.
    let decoded = decode(bytes).map_err(|_| FileError::Changed)?;
    let (base, text) = match decoded.bom {
        Bom::Present => (without_mark(base), without_mark(text)),
        Bom::Absent => (base, text),
    };
    if decoded.text != base {
        return Err(FileError::Changed);
    }
    Ok(encode_edit(bytes, &decoded, text)?)
}

/// An editor may count a byte order mark to the text.
fn without_mark(text: &str) -> &str {
    text.strip_prefix('\u{feff}').unwrap_or(text)
}

/// Runs blocking work on a thread for it. The outer error is a panic in that work.
async fn off_the_runtime<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> io::Result<T> {
    tokio::task::spawn_blocking(work)
        .await
        .map_err(io::Error::other)
}

/// The real file behind a path, with every link followed. It must lie inside the workspace and not in a folder
/// that is closed to tools, whatever the links are called.
fn resolve(root: &Path, path: &WorkspacePath) -> Result<PathBuf, FileError> {
    let target = fs::canonicalize(root.join(path.as_path())).map_err(unreadable)?;
    inside(root, target)
}

/// Where a new file will be, with every link on the way followed. A link that leads nowhere counts as a file: making
/// what it leads to is not what was asked for.
fn resolve_new(root: &Path, path: &WorkspacePath) -> Result<PathBuf, FileError> {
    let whole = root.join(path.as_path());
    let mut existing = whole.as_path();
    while fs::symlink_metadata(existing).is_err() {
        existing = existing.parent().ok_or(FileError::NotFound)?;
    }
    if existing == whole {
        return match fs::metadata(existing) {
            Ok(found) if found.is_dir() => Err(FileError::IsFolder),
            _ => Err(FileError::Exists),
        };
    }
    let missing = whole.strip_prefix(existing).unwrap_or(&whole);
    let folder =
        fs::canonicalize(existing).and_then(|folder| match fs::metadata(&folder)?.is_dir() {
            true => Ok(folder),
            false => Err(io::ErrorKind::NotADirectory.into()),
        });
    let folder = folder.map_err(|source| FileError::Unwritable { source })?;
    inside(root, folder.join(missing))
}

fn inside(root: &Path, target: PathBuf) -> Result<PathBuf, FileError> {
    let spelled = target.to_str().ok_or(FileError::OutsideWorkspace)?;
    if !target.starts_with(root) || WorkspacePath::new(root, spelled).is_err() {
        return Err(FileError::OutsideWorkspace);
    }
    Ok(target)
}

fn read_bytes(target: &Path, limit: u64) -> Result<Vec<u8>, FileError> {
    let metadata = fs::metadata(target).map_err(unreadable)?;
    if metadata.is_dir() {
        return Err(FileError::IsFolder);
    }
    // Reading a pipe or a device might never end.
    if !metadata.is_file() {
        return Err(FileError::NotText);
    }
    let mut bytes = Vec::new();
    // The file may grow while it is read; the limit holds all the same.
    let read = exact::open(target)
        .and_then(|file| file.take(limit.saturating_add(1)).read_to_end(&mut bytes));
    read.map_err(unreadable)?;
    if bytes.len() as u64 > limit {
        return Err(FileError::TooLarge {
            bytes: metadata.len(),
            limit,
        });
    }
    Ok(bytes)
}

fn unreadable(source: io::Error) -> FileError {
    match source.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => FileError::NotFound,
        _ => FileError::Unreadable { source },
    }
}

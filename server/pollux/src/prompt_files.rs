//! What a prompt reads, from the disk.

#[cfg(test)]
#[cfg(unix)]
mod tests;

use std::fs::{self, File, Metadata};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use pollux_agent::prompt::{
    Entry, EntryKind, FileHead, FileIdentity, FileKind, Found, ReadError, Reading,
};
use pollux_settings::is_foreign;

/// The disk as it is, without the editors' unsaved texts.
pub(crate) struct DiskReading;

impl Reading for DiskReading {
    fn head<'a>(
        &'a self,
        path: &'a Path,
        limit: usize,
    ) -> BoxFuture<'a, Result<FileHead, ReadError>> {
        let path = path.to_owned();
        off_the_runtime(move || read_head(&path, limit))
    }

    fn list<'a>(
        &'a self,
        folder: &'a Path,
        limit: usize,
    ) -> BoxFuture<'a, Result<Vec<Entry>, ReadError>> {
        let folder = folder.to_owned();
        off_the_runtime(move || list_folder(&folder, limit))
    }

    fn look<'a>(&'a self, path: &'a Path) -> BoxFuture<'a, Result<Found, ReadError>> {
        let path = path.to_owned();
        off_the_runtime(move || look_at(&path))
    }
}

/// The disk for instructions: outside the workspace, which is trusted as a whole, nothing of another user counts.
pub(crate) struct OwnFilesReading {
    pub(crate) root: PathBuf,
}

impl Reading for OwnFilesReading {
    fn head<'a>(
        &'a self,
        path: &'a Path,
        limit: usize,
    ) -> BoxFuture<'a, Result<FileHead, ReadError>> {
        let is_trusted = path.starts_with(&self.root);
        let path = path.to_owned();
        off_the_runtime(move || {
            if !is_trusted && is_foreign(&path) {
                tracing::warn!(path = %path.display(), "instructions are left out: they belong to another user");
                return Err(ReadError::NotFound);
            }
            read_head(&path, limit)
        })
    }

    fn list<'a>(
        &'a self,
        folder: &'a Path,
        limit: usize,
    ) -> BoxFuture<'a, Result<Vec<Entry>, ReadError>> {
        DiskReading.list(folder, limit)
    }

    fn look<'a>(&'a self, path: &'a Path) -> BoxFuture<'a, Result<Found, ReadError>> {
        DiskReading.look(path)
    }
}

/// Runs blocking work on a thread for it. A panic there is an unreadable file here.
fn off_the_runtime<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, ReadError> + Send + 'static,
) -> BoxFuture<'static, Result<T, ReadError>> {
    tokio::task::spawn_blocking(work)
        .map(|done| {
            done.unwrap_or_else(|panic| {
                let source = io::Error::other(panic);
                Err(ReadError::Unreadable { source })
            })
        })
        .boxed()
}

fn read_head(path: &Path, limit: usize) -> Result<FileHead, ReadError> {
    // Asked before the file is opened: opening a pipe may wait for its other end.
    let metadata = fs::metadata(path).map_err(unreadable)?;
    if !metadata.is_file() {
        return Err(ReadError::NotAFile);
    }
    let mut bytes = Vec::new();
    let file = File::open(path).map_err(unreadable)?;
    // One byte more than wanted tells that there is more, even where files report no length, as in `/proc`.
    let wanted = (limit as u64).saturating_add(1);
    file.take(wanted)
        .read_to_end(&mut bytes)
        .map_err(unreadable)?;
    let total = metadata.len().max(bytes.len() as u64);
    let whole = bytes.len() <= limit;
    bytes.truncate(limit);
    Ok(FileHead {
        // A file that shrank since it was asked for its length is whole all the same.
        total: if whole { bytes.len() as u64 } else { total },
        bytes,
    })
}

/// Names that are not Unicode are left out: nobody could refer to them.
fn list_folder(folder: &Path, limit: usize) -> Result<Vec<Entry>, ReadError> {
    let mut entries = Vec::new();
    for entry in fs::read_dir(folder).map_err(unreadable)? {
        if entries.len() == limit {
            break;
        }
        let Ok(entry) = entry else {
            continue;
        };
        let (Ok(name), Ok(kind)) = (entry.file_name().into_string(), entry.file_type()) else {
            continue;
        };
        let kind = match kind {
            kind if kind.is_symlink() => EntryKind::Link,
            kind if kind.is_dir() => EntryKind::Folder,
            _ => EntryKind::File,
        };
        entries.push(Entry { name, kind });
    }
    Ok(entries)
}

fn look_at(path: &Path) -> Result<Found, ReadError> {
    let real_path = fs::canonicalize(path).map_err(unreadable)?;
    let metadata = fs::metadata(&real_path).map_err(unreadable)?;
    let kind = match () {
        () if metadata.is_file() => FileKind::File,
        () if metadata.is_dir() => FileKind::Folder,
        () => FileKind::Other,
    };
    Ok(Found {
        kind,
        bytes: metadata.len(),
        identity: identity(&metadata, &real_path),
        real_path,
    })
}

#[cfg(unix)]
fn identity(metadata: &Metadata, _: &Path) -> FileIdentity {
    use std::os::unix::fs::MetadataExt;

    FileIdentity::Inode {
        device: metadata.dev(),
        inode: metadata.ino(),
    }
}

#[cfg(not(unix))]
fn identity(_: &Metadata, real_path: &Path) -> FileIdentity {
    FileIdentity::Path(real_path.to_owned())
}

fn unreadable(source: io::Error) -> ReadError {
    match source.kind() {
        // A path that cannot exist does not.
        io::ErrorKind::NotFound | io::ErrorKind::InvalidFilename | io::ErrorKind::InvalidInput => {
            ReadError::NotFound
        }
        io::ErrorKind::IsADirectory => ReadError::NotAFile,
        // Both for `file/below` and for a file that was to be listed; the first is far more common in a walk.
        io::ErrorKind::NotADirectory => ReadError::NotFound,
        _ => ReadError::Unreadable { source },
    }
}

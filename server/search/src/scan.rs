//! Every file of a tree by what the system says of it, without a look into any. Two scans tell what has changed.

#[cfg(test)]
mod tests;

use std::fs::Metadata;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::walk::{FileKind, Found, Place, Visitor, walk};
use crate::{Excludes, Stopped, Tree};

/// What changes when a file does. Times are in nanoseconds since 1970.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stamp {
    pub kind: StampKind,
    pub size: u64,
    pub modified: i64,
    /// When anything about the file was changed; nobody can set this back.
    pub changed: i64,
    pub inode: u64,
    /// The permission bits.
    pub mode: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StampKind {
    File,
    /// Not followed.
    Link,
}

/// All files of a tree that are not ignored, in no order.
#[derive(Debug, Default)]
pub struct Scan {
    /// Absolute paths.
    pub files: Vec<(PathBuf, Stamp)>,
    /// Why it is not all of them.
    pub stopped: Option<ScanStopped>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScanStopped {
    Early(Stopped),
    /// There are more files than were wanted.
    TooMany,
}

/// Stamps the files below a folder. Ends early when there are more than `most`.
pub fn scan(tree: &Tree<'_>, start: &Path, excludes: &Excludes, most: usize) -> Scan {
    let count = AtomicUsize::new(0);
    let stamper = || Stamper {
        files: Vec::new(),
        count: &count,
        most,
    };
    let (stampers, stopped) = walk(tree, start, excludes, stamper);
    let mut files = Vec::with_capacity(stampers.iter().map(|it| it.files.len()).sum());
    for stamper in stampers {
        files.extend(stamper.files);
    }
    let is_over = count.into_inner() > most;
    Scan {
        files,
        stopped: match stopped {
            Some(stopped) => Some(ScanStopped::Early(stopped)),
            None => is_over.then_some(ScanStopped::TooMany),
        },
    }
}

impl Stamp {
    /// What a file is now. A link is not followed; what is no file has no stamp.
    pub fn of(metadata: &Metadata) -> Option<Self> {
        let kind = match metadata.file_type() {
            kind if kind.is_file() => StampKind::File,
            kind if kind.is_symlink() => StampKind::Link,
            _ => return None,
        };
        Some(Self::new(kind, metadata))
    }

    #[cfg(unix)]
    fn new(kind: StampKind, metadata: &Metadata) -> Self {
        use std::os::unix::fs::MetadataExt;
        let nanoseconds =
            |seconds: i64, rest: i64| seconds.saturating_mul(1_000_000_000).saturating_add(rest);
        Self {
            kind,
            size: metadata.len(),
            modified: nanoseconds(metadata.mtime(), metadata.mtime_nsec()),
            changed: nanoseconds(metadata.ctime(), metadata.ctime_nsec()),
            inode: metadata.ino(),
            mode: metadata.mode() & 0o7777,
        }
    }

    #[cfg(not(unix))]
    fn new(kind: StampKind, metadata: &Metadata) -> Self {
        let modified = metadata
            .modified()
            .ok()
            .and_then(|time| time.duration_since(std::time::UNIX_EPOCH).ok())
            .and_then(|since| i64::try_from(since.as_nanos()).ok())
            .unwrap_or_default();
        Self {
            kind,
            size: metadata.len(),
            modified,
            changed: modified,
            inode: 0,
            mode: match metadata.permissions().readonly() {
                true => 0o444,
                false => 0o644,
            },
        }
    }
}

struct Stamper<'a> {
    files: Vec<(PathBuf, Stamp)>,
    count: &'a AtomicUsize,
    most: usize,
}

impl Visitor for Stamper<'_> {
    fn enters(&mut self, _: Place<'_>) -> bool {
        self.count.load(Ordering::Relaxed) <= self.most
    }

    fn file(&mut self, file: Found<'_>) {
        // Gone since its folder was read.
        let Ok(metadata) = file.entry.metadata() else {
            return;
        };
        let kind = match file.kind {
            FileKind::Regular => StampKind::File,
            FileKind::Link => StampKind::Link,
        };
        if self.count.fetch_add(1, Ordering::Relaxed) < self.most {
            let stamp = Stamp::new(kind, &metadata);
            self.files.push((file.place.path.to_path_buf(), stamp));
        }
    }
}

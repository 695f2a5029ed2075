//! The look before a command: every file, and where its content can be had should it change.

use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use pollux_search::{
    Cancel, Excludes, IgnoreRules, Overlay, RuleFiles, Scan, Stamp, StampKind, Tree, scan,
};

use super::copies;
use super::index::{self, Oid, Tracked};
use super::limits::Limits;
use super::repository::{self, Repository};

/// Clocks of file systems stand still for so many nanoseconds: what was changed just now may change again unnoticed.
pub(super) const STILL: i64 = 20_000_000;

/// Every file as it is before a command.
pub(super) struct Before {
    pub(super) files: HashMap<OsString, File>,
    /// When the look began, in nanoseconds since 1970.
    pub(super) at: i64,
    /// The work tree of git that the workspace is in.
    pub(super) repository: Option<PathBuf>,
}

pub(super) struct File {
    pub(super) stamp: Stamp,
    pub(super) held: Held,
    pub(super) seen: Seen,
}

/// Whether the look after the command has found the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Seen {
    NotYet,
    Again,
}

/// Where a content can be had.
pub(super) enum Held {
    Editor(Arc<str>),
    Copy(Arc<[u8]>),
    Link(PathBuf),
    Git(Oid),
    Nowhere(Why),
}

/// Why a content is not kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Why {
    TooLarge,
    TooMuch,
    Unreadable,
}

impl Why {
    pub(super) fn words(self) -> &'static str {
        match self {
            Self::TooLarge => "it is too large to be kept",
            Self::TooMuch => "there is too much that git does not have",
            Self::Unreadable => "it could not be read before",
        }
    }
}

/// What a look needs to know.
pub(super) struct Looking<'a> {
    /// Without links.
    pub(super) root: &'a Path,
    pub(super) rules: &'a RuleFiles,
    pub(super) limits: Limits,
    pub(super) threads: usize,
}

impl Looking<'_> {
    pub(super) fn scan(&self) -> Scan {
        let rules = IgnoreRules::new(self.root, self.rules);
        let tree = Tree {
            rules: &rules,
            overlay: &Overlay::default(),
            cancel: Cancel::never().until(Instant::now() + self.limits.patience),
            threads: self.threads,
        };
        scan(&tree, self.root, &Excludes::nothing(), self.limits.scanned)
    }

    /// Nothing when there is more than can be looked at.
    pub(super) fn before(&self, known: Vec<(PathBuf, Arc<str>)>) -> Option<Before> {
        let at = nanoseconds(SystemTime::now());
        let scan = self.scan();
        if scan.stopped.is_some() {
            return None;
        }
        let mut files: HashMap<OsString, File> = scan
            .files
            .into_iter()
            .map(|(path, stamp)| {
                let file = File {
                    stamp,
                    held: Held::Nowhere(Why::TooMuch),
                    seen: Seen::NotYet,
                };
                (path.into_os_string(), file)
            })
            .collect();
        let repository = repository::find(self.root);
        if let Some(repository) = &repository {
            find_in_git(repository, &mut files);
        }
        for (path, text) in known {
            if let Some(file) = files.get_mut(path.as_os_str()) {
                file.held = Held::Editor(text);
            }
        }
        self.copy_the_rest(&mut files);
        Some(Before {
            files,
            at,
            repository: repository.map(|found| found.root),
        })
    }

    /// Copies what nobody else has: the newest first, because that is what is being worked on.
    fn copy_the_rest(&self, files: &mut HashMap<OsString, File>) {
        let mut rest: Vec<(&OsString, &mut File)> = files
            .iter_mut()
            .filter(|(_, file)| matches!(file.held, Held::Nowhere(_)))
            .collect();
        rest.sort_unstable_by_key(|(_, file)| std::cmp::Reverse(file.stamp.modified));
        let mut budget = self.limits.copies;
        let mut wanted = Vec::new();
        for (path, file) in rest {
            if file.stamp.kind == StampKind::File && file.stamp.size > self.limits.copied_file {
                file.held = Held::Nowhere(Why::TooLarge);
            } else if budget.take(file.stamp.size) {
                wanted.push((path, file));
            }
        }
        let places: Vec<(&OsString, Stamp)> = wanted
            .iter()
            .map(|(path, file)| (*path, file.stamp))
            .collect();
        let copies = copies::in_parallel(&places, self.threads, |(path, stamp)| {
            copy(Path::new(path), stamp, self.limits.copied_file)
        });
        for (place, held) in copies {
            if let Some((_, file)) = wanted.get_mut(place) {
                file.held = held;
            }
        }
    }
}

impl Before {
    /// Whether a file that looks the same need not be the same.
    pub(super) fn is_hot(&self, stamp: &Stamp) -> bool {
        self.is_since(stamp.changed)
    }

    /// Whether something may have happened after the look.
    pub(super) fn is_since(&self, time: i64) -> bool {
        time >= self.at.saturating_sub(STILL)
    }
}

fn copy(path: &Path, stamp: &Stamp, longest: u64) -> Held {
    let held = match stamp.kind {
        StampKind::File => copies::read(path, longest).map(Held::Copy),
        StampKind::Link => fs::read_link(path).map(Held::Link),
    };
    held.unwrap_or(Held::Nowhere(Why::Unreadable))
}

/// Marks the files of which git has exactly what is on the disk.
fn find_in_git(repository: &Repository, files: &mut HashMap<OsString, File>) {
    let Some((bytes, written)) = read_index(repository) else {
        return;
    };
    let mut path = PathTo::new(&repository.root);
    let read = index::read(&bytes, repository.format, |tracked| {
        if let Some(file) = files.get_mut(path.join(tracked.name))
            && is_clean(&tracked, &file.stamp, written)
        {
            file.held = Held::Git(tracked.oid);
        }
    });
    if let Err(why) = read {
        tracing::debug!(?why, "git's index is of no use; copies are taken instead");
        for file in files.values_mut() {
            file.held = Held::Nowhere(Why::TooMuch);
        }
    }
}

/// The index and when it was written: before, so that one that is replaced meanwhile counts as older than it is.
fn read_index(repository: &Repository) -> Option<(Vec<u8>, i64)> {
    let written = Stamp::of(&fs::metadata(&repository.index).ok()?)?.modified;
    Some((fs::read(&repository.index).ok()?, written))
}

/// Whether a file is as git saw it when it noted the object's name.
fn is_clean(tracked: &Tracked<'_>, stamp: &Stamp, index_written: i64) -> bool {
    const SECOND: i64 = 1_000_000_000;
    let (kind, mode) = (tracked.mode & 0o170_000, tracked.mode & 0o777);
    let is_file = kind == 0o100_000 && stamp.kind == StampKind::File;
    let seconds = i64::from(tracked.modified.seconds);
    let is_time = match tracked.modified.nanoseconds {
        0 => stamp.modified.div_euclid(SECOND) == seconds,
        nanoseconds => stamp.modified == seconds * SECOND + i64::from(nanoseconds),
    };
    // What was changed when the index was being written may have changed after git had read it.
    let is_settled = match tracked.modified.nanoseconds {
        0 => seconds < index_written.div_euclid(SECOND),
        _ => stamp.modified < index_written,
    };
    is_file
        && tracked.stage == 0
        && is_time
        && is_settled
        && u64::from(tracked.size) == stamp.size & u64::from(u32::MAX)
        && (tracked.inode == 0 || u64::from(tracked.inode) == stamp.inode & u64::from(u32::MAX))
        && (mode & 0o100 != 0) == (stamp.mode & 0o100 != 0)
}

/// Paths below a folder, made in one place: there may be hundreds of thousands.
struct PathTo {
    bytes: Vec<u8>,
    folder: usize,
    path: OsString,
}

impl PathTo {
    fn new(folder: &Path) -> Self {
        let mut bytes = folder.as_os_str().as_encoded_bytes().to_vec();
        if bytes.last() != Some(&b'/') {
            bytes.push(b'/');
        }
        Self {
            folder: bytes.len(),
            bytes,
            path: OsString::new(),
        }
    }

    #[cfg(unix)]
    fn join(&mut self, name: &[u8]) -> &OsStr {
        use std::os::unix::ffi::OsStrExt;
        self.bytes.truncate(self.folder);
        self.bytes.extend_from_slice(name);
        self.path.clear();
        self.path.push(OsStr::from_bytes(&self.bytes));
        &self.path
    }

    #[cfg(not(unix))]
    fn join(&mut self, name: &[u8]) -> &OsStr {
        self.bytes.truncate(self.folder);
        self.bytes.extend_from_slice(name);
        let path = crate::undo::from_bytes(&self.bytes);
        // As the walk spells it.
        self.path = Path::new(&path).components().collect::<PathBuf>().into();
        &self.path
    }
}

pub(super) fn nanoseconds(time: SystemTime) -> i64 {
    let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_nanos()).unwrap_or(i64::MAX)
}

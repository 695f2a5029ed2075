//! What a list of sessions needs to know of each file, kept for as long as the file does not change.
//!
//! A list is asked for often, and a session may have many megabytes. A process that lives long gives its projects an
//! index, and then a file is read once for each of its versions.

use std::collections::HashMap;
use std::fs::Metadata;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};

use crate::id::SessionId;
use crate::list::{LeftOutReason, SessionInfo};

/// Files that are remembered at most. The projects that were not listed last are forgotten first.
const MOST_FILES: usize = 10_000;

/// A file that was written to this recently may change again without its time changing.
const SETTLED: Duration = Duration::from_millis(50);

/// The summaries of session files, by path.
#[derive(Debug, Default)]
pub struct SessionIndex {
    /// Held for a map operation at a time, never while a file is read.
    files: Mutex<HashMap<PathBuf, Indexed>>,
}

#[derive(Debug)]
struct Indexed {
    stamp: Stamp,
    summary: FileSummary,
}

/// What a session file is.
#[derive(Clone, Debug)]
pub(crate) enum FileSummary {
    Session(SessionInfo),
    Corrupt,
    NothingToResume(SessionId),
    Subagent(SessionId),
}

/// What changes when a file does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stamp {
    length: u64,
    modified: SystemTime,
    identity: Identity,
}

/// Which file it is, and when anything about it changed last, where the system tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Identity {
    inode: u64,
    changed: SystemTime,
}

impl Stamp {
    /// `None` if the file may change without a sign of it.
    pub(crate) fn of(path: &Path, now: SystemTime) -> Option<Self> {
        let found = path.metadata().ok()?;
        let identity = identity(&found);
        let modified = found.modified().ok()?;
        let age = |time: SystemTime| {
            let past = now.duration_since(time);
            past.unwrap_or_else(|future| future.duration())
        };
        let is_settled = age(modified) > SETTLED && age(identity.changed) > SETTLED;
        is_settled.then_some(Self {
            length: found.len(),
            modified,
            identity,
        })
    }
}

#[cfg(unix)]
fn identity(found: &Metadata) -> Identity {
    use std::os::unix::fs::MetadataExt;
    let seconds = u64::try_from(found.ctime()).unwrap_or_default();
    let nanoseconds = u32::try_from(found.ctime_nsec()).unwrap_or_default();
    Identity {
        inode: found.ino(),
        changed: SystemTime::UNIX_EPOCH + Duration::new(seconds, nanoseconds),
    }
}

#[cfg(not(unix))]
fn identity(_: &Metadata) -> Identity {
    Identity {
        inode: 0,
        changed: SystemTime::UNIX_EPOCH,
    }
}

impl SessionIndex {
    pub(crate) fn get(&self, path: &Path, stamp: &Stamp) -> Option<FileSummary> {
        let files = self.lock();
        let indexed = files.get(path).filter(|indexed| indexed.stamp == *stamp)?;
        Some(indexed.summary.clone())
    }

    pub(crate) fn put(&self, path: &Path, stamp: Stamp, summary: FileSummary) {
        let mut files = self.lock();
        files.insert(path.to_path_buf(), Indexed { stamp, summary });
    }

    /// Forgets the files of a folder that are gone, and other folders where there are too many files. `listed` is sorted.
    pub(crate) fn keep(&self, folder: &Path, listed: &[PathBuf]) {
        let mut files = self.lock();
        let is_in = |path: &PathBuf| path.parent() == Some(folder);
        files.retain(|path, _| !is_in(path) || listed.binary_search(path).is_ok());
        if files.len() > MOST_FILES {
            files.retain(|path, _| is_in(path));
        }
        let surplus = files.len().saturating_sub(MOST_FILES);
        let surplus: Vec<PathBuf> = files.keys().take(surplus).cloned().collect();
        for path in surplus {
            files.remove(&path);
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<PathBuf, Indexed>> {
        self.files.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl FileSummary {
    pub(crate) fn of(
        read: &Result<SessionInfo, (Option<SessionId>, LeftOutReason)>,
    ) -> Option<Self> {
        match read {
            Ok(info) => Some(Self::Session(info.clone())),
            Err((None, LeftOutReason::Corrupt)) => Some(Self::Corrupt),
            Err((Some(id), LeftOutReason::NothingToResume)) => {
                Some(Self::NothingToResume(id.clone()))
            }
            Err((Some(id), LeftOutReason::Subagent)) => Some(Self::Subagent(id.clone())),
            // What cannot be read now may be readable the next time.
            Err(_) => None,
        }
    }

    pub(crate) fn into_result(self) -> Result<SessionInfo, (Option<SessionId>, LeftOutReason)> {
        match self {
            Self::Session(info) => Ok(info),
            Self::Corrupt => Err((None, LeftOutReason::Corrupt)),
            Self::NothingToResume(id) => Err((Some(id), LeftOutReason::NothingToResume)),
            Self::Subagent(id) => Err((Some(id), LeftOutReason::Subagent)),
        }
    }
}

#[cfg(test)]
mod tests;

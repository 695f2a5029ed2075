//! A lock that the twin takes too: a folder named like the file with `.lock` behind it.
//!
//! Making a folder either succeeds or finds that another process was first, on every file system.

use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// The twin refreshes its locks more often than this, so an older one was left by a process that died.
const STALE_AFTER: Duration = Duration::from_secs(10);

/// How long to try.
#[derive(Debug, Clone, Copy)]
pub struct Patience {
    pub attempts: u32,
    pub pause: Duration,
}

impl Patience {
    /// The longest that a writer may keep its caller waiting: about a second.
    pub const USUAL: Self = Self {
        attempts: 11,
        pause: Duration::from_millis(100),
    };
}

/// Held until dropped.
#[derive(Debug)]
pub struct FileLock {
    path: PathBuf,
}

/// `Ok(None)` means that somebody else holds the lock.
pub fn lock_file(file: &Path, patience: Patience) -> io::Result<Option<FileLock>> {
    let mut path = file.as_os_str().to_owned();
    path.push(".lock");
    let path = PathBuf::from(path);
    for attempt in 1..=patience.attempts {
        match std::fs::create_dir(&path) {
            Ok(()) => return Ok(Some(FileLock { path })),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
        if is_stale(&path) {
            // If this fails, another process was faster, and the next attempt meets its lock.
            let _removed_by_us = std::fs::remove_dir(&path);
        } else if attempt < patience.attempts {
            pause(patience.pause);
        }
    }
    Ok(None)
}

fn is_stale(path: &Path) -> bool {
    std::fs::metadata(path)
        .and_then(|metadata| metadata.modified())
        .ok()
        .and_then(|modified| SystemTime::now().duration_since(modified).ok())
        .is_some_and(|age| age > STALE_AFTER)
}

#[expect(
    clippy::disallowed_methods,
    reason = "another process gives its lock back without an event to wait for"
)]
fn pause(duration: Duration) {
    std::thread::sleep(duration);
}

impl Drop for FileLock {
    fn drop(&mut self) {
        // A lock that stays behind becomes stale, and the next writer removes it.
        let _best_effort = std::fs::remove_dir(&self.path);
    }
}

#[cfg(test)]
mod tests;

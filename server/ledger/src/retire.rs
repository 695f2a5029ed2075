//! Records that nobody needs any more.

#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use crate::error::LedgerError;
use crate::ledger::{LOG, added_up};
use crate::lock::Lock;
use crate::log::{self, Understood};

const GONE: &str = ".gone-";

/// What became of the old records.
#[derive(Debug, Default)]
pub struct Retired {
    pub removed: Vec<PathBuf>,
    /// What could not be removed. The rest was.
    pub failed: Vec<LedgerError>,
}

/// Removes the records of workspaces in which nothing is pending and nothing has happened for so long.
pub fn retire(base: &Path, now: SystemTime, age: Duration) -> Retired {
    let mut retired = Retired::default();
    // No folder, no records.
    let Ok(entries) = std::fs::read_dir(base) else {
        return retired;
    };
    for entry in entries.flatten() {
        let folder = entry.path();
        let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
        let was_begun = entry.file_name().to_string_lossy().starts_with(GONE);
        let removed = match (is_folder, was_begun) {
            (false, _) => continue,
            (true, true) => std::fs::remove_dir_all(&folder).map_err(LedgerError::io(&folder)),
            (true, false) => match is_old(&folder, now, age) {
                true => remove(base, &folder, now, age),
                false => continue,
            },
        };
        match removed {
            Ok(()) if folder.exists() => {}
            Ok(()) => retired.removed.push(folder),
            Err(LedgerError::InUse { .. }) => {}
            Err(error) => retired.failed.push(error),
        }
    }
    retired
}

fn remove(base: &Path, folder: &Path, now: SystemTime, age: Duration) -> Result<(), LedgerError> {
    let lock = Lock::take(folder)?;
    let lines = log::read(&folder.join(LOG))?;
    let (record, _) = added_up(&lines, folder)?;
    let is_needed = record.pending().next().is_some()
        || record.open().next().is_some()
        || record.comments().next().is_some()
        || lines.understood == Understood::NotAll;
    // Its owner may have come back before we had the lock.
    if is_needed || !is_old(folder, now, age) {
        return Ok(());
    }
    // Whoever opens the record now begins a new one, and meets no half of this.
    let name = folder.file_name().unwrap_or_default().to_string_lossy();
    let gone = base.join(format!("{GONE}{name}"));
    std::fs::rename(folder, &gone).map_err(LedgerError::io(folder))?;
    drop(lock);
    std::fs::remove_dir_all(&gone).map_err(LedgerError::io(&gone))
}

/// A folder without a log is one that is being made, or was left by somebody who was killed while making it.
fn is_old(folder: &Path, now: SystemTime, age: Duration) -> bool {
    let changed = std::fs::metadata(folder.join(LOG))
        .or_else(|_| std::fs::metadata(folder))
        .and_then(|metadata| metadata.modified());
    changed.is_ok_and(|changed| now.duration_since(changed).is_ok_and(|passed| passed > age))
}

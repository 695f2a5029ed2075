//! Writing one trust rule, the only thing this crate ever writes.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use super::lock::{self, Patience};
use super::{TrustLevel, edit, rules};
use crate::json;
use crate::paths;
use crate::problem::Problem;
use crate::source;

#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RecordTrustError {
    /// The file would have to be overwritten to be repaired, and it is the user's.
    #[error("trust is not recorded while the file of rules is broken")]
    BrokenRules(#[source] Problem),
    #[error("another program is writing {}", path.display())]
    Busy { path: PathBuf },
    #[error("{} is not an absolute path that JSON can hold", folder.display())]
    UnsuitableFolder { folder: PathBuf },
    #[error("cannot write {}", path.display())]
    Io {
        path: PathBuf,
        #[source]
        source: io::Error,
    },
}

impl RecordTrustError {
    pub fn is_retryable(&self) -> bool {
        matches!(self, Self::Busy { .. })
    }
}

/// Adds or changes the rule for `folder` in the file of trust rules, and nothing else in that file.
///
/// Blocks for up to about a second while another program writes the file.
pub fn record_trust(
    trusted_folders: &Path,
    folder: &Path,
    level: TrustLevel,
) -> Result<(), RecordTrustError> {
    record(trusted_folders, folder, level, Patience::USUAL)
}

fn record(
    trusted_folders: &Path,
    folder: &Path,
    level: TrustLevel,
    patience: Patience,
) -> Result<(), RecordTrustError> {
    let folder = paths::real(folder);
    let unsuitable = || RecordTrustError::UnsuitableFolder {
        folder: folder.clone(),
    };
    let key = folder.to_str().ok_or_else(unsuitable)?;
    if !folder.is_absolute() {
        return Err(unsuitable());
    }
    // Whoever keeps the file elsewhere and links to it wants the link to stay.
    let file = paths::real(trusted_folders);
    let failed = |source: io::Error| RecordTrustError::Io {
        path: file.clone(),
        source,
    };
    if let Some(parent) = file.parent() {
        create_private_folder(parent).map_err(failed)?;
    }
    let Some(_lock) = lock::acquire(&file, patience).map_err(failed)? else {
        return Err(RecordTrustError::Busy { path: file });
    };
    let text = match source::read(&file).map_err(RecordTrustError::BrokenRules)? {
        None => edit::new_text(key, level.as_str()),
        Some(source) => {
            let document = json::parse(source).map_err(RecordTrustError::BrokenRules)?;
            rules::validate(&document).map_err(RecordTrustError::BrokenRules)?;
            edit::set(&document, key, level.as_str(), |member| {
                rules::names(&member.name, &folder)
            })
        }
    };
    replace(&file, text.as_bytes()).map_err(failed)
}

/// Readers see the old file or the new one, never half of one, also after a crash.
fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let temporary = temporary_name(path);
    let written = create_private_file(&temporary).and_then(|mut file| {
        file.write_all(bytes)?;
        file.sync_all()?;
        std::fs::rename(&temporary, path)
    });
    if written.is_err() {
        // The first error is the one to report.
        let _best_effort = std::fs::remove_file(&temporary);
    }
    written
}

fn temporary_name(path: &Path) -> PathBuf {
    static COUNTER: AtomicU64 = AtomicU64::new(0);
    let count = COUNTER.fetch_add(1, Ordering::Relaxed);
    let mut name = path.as_os_str().to_owned();
    name.push(format!(".{}-{count}.tmp", std::process::id()));
    PathBuf::from(name)
}

fn create_private_file(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        options.mode(0o600);
    }
    options.open(path)
}

fn create_private_folder(path: &Path) -> io::Result<()> {
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::DirBuilderExt;
        builder.mode(0o700);
    }
    builder.create(path)
}

#[cfg(test)]
mod tests;

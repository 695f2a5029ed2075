//! Writing one trust rule, the only thing this crate ever writes.

use std::io;
use std::path::{Path, PathBuf};

use super::{TrustLevel, edit, rules};
use crate::json;
use crate::paths;
use crate::problem::Problem;
use crate::shared_file::{Durability, Patience, create_private_folder, lock_file, replace_file};
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
    let Some(_lock) = lock_file(&file, patience).map_err(failed)? else {
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
    replace_file(&file, text.as_bytes(), Durability::PowerCut).map_err(failed)
}

#[cfg(test)]
mod tests;

//! The disk as the reviews of a room use it.

#[cfg(test)]
#[cfg(unix)]
mod tests;

use std::fs;
use std::path::PathBuf;

use pollux_agent::{FileError, MAX_FILE_BYTES, WorkspacePath};
use pollux_text::decode;
use pollux_workspace::{Disk, Location, Replaced};

use super::replace::{self, write_atomically};
use super::{create, edited, read_bytes, resolve, resolve_new, without_mark};

/// A folder with more files is not searched to its end.
const MOST_BESIDE: usize = 1_000;
const BYTE_ORDER_MARK: u64 = 3;

pub(crate) struct ReviewedDisk;

impl Disk for ReviewedDisk {
    fn read(&self, at: &Location) -> Result<Option<String>, FileError> {
        let target = match target(at) {
            Err(FileError::NotFound) => return Ok(None),
            target => target?,
        };
        let bytes = read_bytes(&target, MAX_FILE_BYTES)?;
        let decoded = decode(&bytes).map_err(|_| FileError::NotText)?;
        Ok(Some(decoded.text))
    }

    fn replace(
        &self,
        at: &Location,
        before: Option<&str>,
        after: Option<&str>,
    ) -> Result<Replaced, FileError> {
        let found = self.read(at)?;
        if found.as_deref() != before.map(without_mark) {
            return Ok(Replaced::Differs(found));
        }
        let unwritable = |source| FileError::Unwritable { source };
        match (before, after) {
            (None, None) => {}
            (None, Some(text)) => match create(&resolve_new(&at.root, &path(at)?)?, text) {
                // Somebody was quicker.
                Err(FileError::Exists) => return Ok(Replaced::Differs(self.read(at)?)),
                created => created?,
            },
            (Some(_), None) => fs::remove_file(target(at)?).map_err(unwritable)?,
            (Some(before), Some(after)) => {
                let target = target(at)?;
                let bytes = match edited(&read_bytes(&target, MAX_FILE_BYTES)?, before, after) {
                    Err(FileError::Changed) => return Ok(Replaced::Differs(self.read(at)?)),
                    bytes => bytes?,
                };
                write_atomically(&target, &bytes).map_err(unwritable)?;
            }
        }
        Ok(Replaced::Done)
    }

    fn clean_up(&self, at: &Location) {
        if let Ok(path) = path(at)
            && let Some(folder) = at.root.join(path.as_path()).parent()
        {
            replace::clean_up(folder);
        }
    }

    fn find_moved(&self, at: &Location, text: &str, candidates: &[PathBuf]) -> Option<PathBuf> {
        let folder = at.path.parent()?;
        let beside = fs::read_dir(folder).ok()?.flatten().take(MOST_BESIDE);
        let mut places: Vec<PathBuf> = beside.map(|entry| entry.path()).collect();
        for candidate in candidates {
            if candidate.starts_with(&at.root) && !places.contains(candidate) {
                places.push(candidate.clone());
            }
        }
        let holds_it = |path: &PathBuf| {
            let metadata = fs::symlink_metadata(path);
            let length = text.len() as u64;
            // In another charset it may be shorter or longer; such a file is not followed.
            let may_hold = metadata.is_ok_and(|found| {
                found.is_file() && (length..=length + BYTE_ORDER_MARK).contains(&found.len())
            });
            let there = Location {
                root: at.root.clone(),
                path: path.clone(),
            };
            may_hold
                && self
                    .read(&there)
                    .is_ok_and(|found| found.as_deref() == Some(text))
        };
        let mut found = places.into_iter().filter(holds_it);
        // Of two copies nobody knows which it is.
        found.next().filter(|_| found.next().is_none())
    }

    fn rename(&self, from: &Location, to: &Location) -> Result<(), FileError> {
        let (old, new) = (target(from)?, resolve_new(&to.root, &path(to)?)?);
        let unwritable = |source: std::io::Error| match source.kind() {
            std::io::ErrorKind::AlreadyExists => FileError::Exists,
            _ => FileError::Unwritable { source },
        };
        if let Some(folder) = new.parent() {
            fs::create_dir_all(folder).map_err(unwritable)?;
        }
        match fs::hard_link(&old, &new) {
            Ok(()) => fs::remove_file(&old),
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => Err(error),
            // Not every file system has these. It was not there a moment ago.
            Err(_) => fs::rename(&old, &new),
        }
        .map_err(unwritable)
    }
}

pub(super) fn target(at: &Location) -> Result<PathBuf, FileError> {
    resolve(&at.root, &path(at)?)
}

/// The path below its root.
pub(super) fn path(at: &Location) -> Result<WorkspacePath, FileError> {
    let spelled = at.path.to_str().ok_or(FileError::OutsideWorkspace)?;
    WorkspacePath::new(&at.root, spelled).map_err(|_| FileError::OutsideWorkspace)
}

//! What an older twin recorded under the hash of a folder, copied to where the folder's name is now.
//!
//! The old folder stays. The copy is made aside and moved in when it is complete, so that a killed process
//! leaves a folder that still counts as empty.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use pollux_settings::{MARKER, create_private_folder};

use crate::error::SessionError;
use crate::project::{entries, root_hash};

const UNFINISHED: &str = ".copying";

/// Whether there is something to copy, and nobody has recorded anything under the new name yet.
pub(super) fn is_awaited(base: &Path, slug: &str, root: &Path) -> bool {
    let old = base.join(root_hash(root));
    is_folder(&old) && holds_nothing(&base.join(slug))
}

pub(super) fn copy(base: &Path, slug: &str, root: &Path) -> Result<(), SessionError> {
    if !is_awaited(base, slug, root) {
        return Ok(());
    }
    let old = base.join(root_hash(root));
    let new = base.join(slug);
    let aside = new.join(UNFINISHED);
    if is_folder(&aside) {
        std::fs::remove_dir_all(&aside).map_err(SessionError::io(&aside))?;
    }
    copy_folder(&old, &aside)?;
    for entry in entries(&aside)?.into_iter().flatten().flatten() {
        if entry.file_name() == MARKER {
            continue;
        }
        let target = new.join(entry.file_name());
        std::fs::rename(entry.path(), &target).map_err(SessionError::io(&target))?;
    }
    std::fs::remove_dir_all(&aside).map_err(SessionError::io(&aside))
}

/// Links are left where they are: what they lead to is not the project's.
fn copy_folder(from: &Path, to: &Path) -> Result<(), SessionError> {
    let mut pending: Vec<(PathBuf, PathBuf)> = vec![(from.to_path_buf(), to.to_path_buf())];
    while let Some((from, to)) = pending.pop() {
        create_private_folder(&to).map_err(SessionError::io(&to))?;
        for entry in entries(&from)?.into_iter().flatten() {
            let entry = entry.map_err(SessionError::io(&from))?;
            let kind = entry.file_type().map_err(SessionError::io(&entry.path()))?;
            let target = to.join(entry.file_name());
            if kind.is_dir() {
                pending.push((entry.path(), target));
            } else if kind.is_file() {
                std::fs::copy(entry.path(), &target).map_err(SessionError::io(&target))?;
            }
        }
    }
    Ok(())
}

fn holds_nothing(folder: &Path) -> bool {
    let ignored = [OsStr::new(MARKER), OsStr::new(UNFINISHED)];
    std::fs::read_dir(folder).is_ok_and(|entries| {
        entries
            .flatten()
            .all(|entry| ignored.contains(&entry.file_name().as_os_str()))
    })
}

fn is_folder(path: &Path) -> bool {
    std::fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_dir())
}

//! Puts files, links and folders back, each of them whole or not at all.

use std::fs;
use std::io::{self, Seek};
use std::path::Path;

use anyhow::{Context, Result, bail};

use super::{Change, Restored};
use crate::undo::manifest::State;
use crate::undo::platform;
use crate::undo::store::{Store, hash};
use crate::undo::survey::{Found, is_gone};

/// Goes on after a failure: the other files are worth as much.
pub(super) fn write(store: &Store, id: &str, changes: &[Change<'_>], outcome: &mut Restored) {
    // From the inside out, so that a folder is removed after what is in it.
    for change in changes.iter().rev() {
        let removed = match change.wanted {
            State::Absent => remove(&change.path),
            State::NoFolder => match fs::remove_dir(&change.path) {
                // Somebody has put something else into it.
                Err(error) if error.kind() == io::ErrorKind::DirectoryNotEmpty => continue,
                removed => removed,
            },
            State::File { .. } | State::Link { .. } | State::Folder { .. } => continue,
        };
        match removed {
            Ok(()) => outcome.removed.push(change.path.clone()),
            Err(error) => outcome.fail(&change.path, &error.into()),
        }
    }
    for change in changes {
        if matches!(change.wanted, State::Absent | State::NoFolder) {
            continue;
        }
        match put(store, id, change) {
            Ok(()) => outcome.restored.push(change.path.clone()),
            Err(error) => outcome.fail(&change.path, &error),
        }
    }
    // Last: a folder may be closed to writing.
    for change in changes.iter().rev() {
        if let State::Folder { mode } = change.wanted
            && let Err(error) = platform::set_mode(&change.path, *mode)
        {
            outcome.fail(&change.path, &error.into());
        }
    }
}

/// Removes whatever is there, which was kept a moment ago.
pub(super) fn remove(path: &Path) -> io::Result<()> {
    let removed = match fs::symlink_metadata(path) {
        Ok(found) if found.is_dir() => fs::remove_dir_all(path),
        Ok(_) => fs::remove_file(path),
        Err(error) => Err(error),
    };
    match removed {
        Err(error) if !is_gone(&error) => Err(error),
        _ => Ok(()),
    }
}

fn put(store: &Store, id: &str, change: &Change<'_>) -> Result<()> {
    let path = &change.path;
    let folder = path.parent().context("it has no folder")?;
    fs::create_dir_all(folder)?;
    let is_folder = matches!(change.present, Some(Found::Folder { .. }));
    let wants_folder = matches!(change.wanted, State::Folder { .. });
    if is_folder != wants_folder {
        remove(path)?;
    }
    match change.wanted {
        State::File {
            blob,
            mode,
            modified,
            hash: kept,
            ..
        } => {
            let mut source = store.blob(id, *blob)?;
            let mut temporary = tempfile::Builder::new()
                .prefix(".pollux-")
                .tempfile_in(folder)?;
            io::copy(&mut source, temporary.as_file_mut())?;
            temporary.rewind()?;
            if hash(&mut temporary.reopen()?)? != *kept {
                bail!("the kept copy is damaged");
            }
            platform::set_mode(temporary.path(), *mode)?;
            if let Some(modified) = modified {
                platform::set_modified(temporary.as_file(), *modified)?;
            }
            temporary.persist(path)?;
        }
        State::Link { target } => {
            let target = target.to_path();
            let link = tempfile::Builder::new()
                .prefix(".pollux-")
                .make_in(folder, |place| platform::make_link(&target, place))?;
            // Renaming replaces a file or a link at once.
            link.into_temp_path().persist(path)?;
        }
        State::Folder { .. } => match fs::create_dir(path) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error.into()),
            _ => {}
        },
        State::Absent | State::NoFolder => {}
    }
    Ok(())
}

//! Deleting a session and everything that was kept for it.
//!
//! Nothing outside the project's folder is ever removed: names come from sanitised ids, and a link is never
//! followed, neither at the end of a path nor on the way.

use std::fs::FileType;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use crate::append::is_recorded_to;
use crate::error::SessionError;
use crate::id::{SessionId, file_segment};
use crate::project::{Project, entries, file_name};
use crate::read::read_session_id;
use crate::resume::{SessionRef, find_session};
use crate::underway::is_underway;

/// Folders of the project that no session owns, whatever it calls itself.
const SHARED: [&str; 5] = ["chats", "logs", "tool-outputs", "checkpoints", "memory"];

/// What was deleted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Deleted {
    pub id: SessionId,
    pub paths: Vec<PathBuf>,
}

/// Deletes a session that the list shows, unless it is `current` or somebody records to it.
pub fn delete_session(
    project: &Project,
    reference: &SessionRef,
    current: Option<&SessionId>,
) -> Result<Deleted, SessionError> {
    let info = match find_session(project, reference) {
        Ok(info) => info,
        Err(error) => return delete_unrecorded(project, reference).ok_or(error),
    };
    if current == Some(&info.id) {
        return Err(SessionError::Current { id: info.id });
    }
    if is_recorded_to(&info.path) {
        return Err(SessionError::InUse { path: info.path });
    }
    let paths = delete_everything_of(project, &info.id, &info.path)?;
    Ok(Deleted { id: info.id, paths })
}

/// A session that never got as far as a record has nothing but its folder.
fn delete_unrecorded(project: &Project, reference: &SessionRef) -> Option<Deleted> {
    let SessionRef::Id(id) = reference else {
        return None;
    };
    // A name that had to be made safe may be that of another session.
    let segment = id.file_segment().filter(|segment| segment == id.as_str())?;
    if !is_underway(project, id) {
        return None;
    }
    let paths = remove_artifacts(project, &segment).ok()?;
    Some(Deleted {
        id: id.clone(),
        paths,
    })
}

/// `path` is where the session was found, whatever the file is called.
pub(crate) fn delete_everything_of(
    project: &Project,
    id: &SessionId,
    path: &Path,
) -> Result<Vec<PathBuf>, SessionError> {
    let mut removed = Vec::from_iter(remove_chat(project, path)?);
    // Eight characters are not a session's whole name; a file that says it is another's stays.
    for path in project.files_mentioning(id)? {
        if read_session_id(&path).is_ok_and(|found| found == *id) {
            removed.extend(remove_chat(project, &path)?);
        }
    }
    let Some(segment) = id.file_segment() else {
        return Ok(removed);
    };
    if !is_shared(&segment) {
        for agent in subagents(project, &segment)? {
            removed.extend(remove_artifacts(project, &agent)?);
        }
        removed.extend(remove(project, &["chats", &segment], Expected::Folder)?);
        removed.extend(remove_artifacts(project, &segment)?);
    }
    Ok(removed)
}

/// Removes one file of a session, and nothing of what else the session has.
pub(crate) fn remove_chat(project: &Project, path: &Path) -> Result<Option<PathBuf>, SessionError> {
    match file_name(path) {
        Some(name) => remove(project, &["chats", name], Expected::File),
        None => Ok(None),
    }
}

/// Removes something in a folder of the project, by its names.
pub(crate) fn remove(
    project: &Project,
    names: &[&str],
    expected: Expected,
) -> Result<Option<PathBuf>, SessionError> {
    let mut path = project.folder.clone();
    let Some((last, folders)) = names.split_last() else {
        return Ok(None);
    };
    for name in folders {
        path.push(name);
        match kind(&path)? {
            None => return Ok(None),
            Some(kind) if kind.is_symlink() => return Err(SessionError::Outside { path }),
            Some(_) => {}
        }
    }
    path.push(last);
    let removed = match (kind(&path)?, expected) {
        (None, _) => return Ok(None),
        // The link is in our folder; what it leads to is not.
        (Some(kind), _) if kind.is_symlink() => std::fs::remove_file(&path),
        (Some(kind), Expected::Folder) if kind.is_dir() => std::fs::remove_dir_all(&path),
        (Some(kind), Expected::File) if kind.is_file() => std::fs::remove_file(&path),
        (Some(_), _) => return Ok(None),
    };
    match removed {
        Ok(()) => Ok(Some(path)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(source) => Err(SessionError::io(&path)(source)),
    }
}

/// What a name must be to be removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Expected {
    File,
    Folder,
}

pub(crate) fn remove_artifacts(
    project: &Project,
    segment: &str,
) -> Result<Vec<PathBuf>, SessionError> {
    if is_shared(segment) {
        return Ok(Vec::new());
    }
    let log = format!("session-{segment}.jsonl");
    let outputs = format!("session-{segment}");
    Ok([
        remove(project, &["logs", &log], Expected::File)?,
        remove(project, &["tool-outputs", &outputs], Expected::Folder)?,
        remove(project, &[segment], Expected::Folder)?,
    ]
    .into_iter()
    .flatten()
    .collect())
}

/// The agents that the session started, by the names of their files.
fn subagents(project: &Project, segment: &str) -> Result<Vec<String>, SessionError> {
    let folder = project.chats().join(segment);
    if kind(&folder)?.is_none_or(|kind| !kind.is_dir()) {
        return Ok(Vec::new());
    }
    Ok(entries(&folder)?
        .into_iter()
        .flatten()
        .flatten()
        .filter_map(|entry| entry.file_name().into_string().ok())
        .filter_map(|name| name.strip_suffix(".jsonl").and_then(file_segment))
        .collect())
}

fn is_shared(segment: &str) -> bool {
    SHARED
        .iter()
        .any(|shared| shared.eq_ignore_ascii_case(segment))
}

/// Of the name itself, and not of what a link leads to.
fn kind(path: &Path) -> Result<Option<FileType>, SessionError> {
    match path.symlink_metadata() {
        Ok(metadata) => Ok(Some(metadata.file_type())),
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            Ok(None)
        }
        Err(source) => Err(SessionError::io(path)(source)),
    }
}

#[cfg(test)]
mod tests;

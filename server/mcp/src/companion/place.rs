//! Where a file that an agent names lies, and whether that is any of the room's business.

#[cfg(test)]
mod tests;

use std::fs;
use std::path::{Component, Path, PathBuf};

use pollux_agent::{FileError, PathError, WorkspacePath};
use pollux_workspace::{Disk, DocumentKey, Location};

/// A file of the room.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    pub(crate) at: Location,
    pub(crate) path: WorkspacePath,
    pub(crate) key: DocumentKey,
}

/// Why an edit is not shown. The words go to the agent, the person and the log.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Refused {
    #[error("the path is not absolute")]
    Relative,
    #[error("the path has `..` in it")]
    Climbs,
    #[error("it is not in a folder that is open in the editor")]
    Outside,
    #[error(transparent)]
    Path(#[from] PathError),
    #[error(transparent)]
    File(#[from] FileError),
    #[error("too many edits wait for a decision already")]
    TooMany,
    #[error("the workspace has been closed")]
    Closed,
}

impl Place {
    /// Finds the file of a path as the agent spells it. Looks at the disk.
    pub(crate) fn find(roots: &[PathBuf], spelled: &str) -> Result<Self, Refused> {
        let path = Path::new(spelled);
        if !path.is_absolute() {
            return Err(Refused::Relative);
        }
        if path.components().any(|part| part == Component::ParentDir) {
            return Err(Refused::Climbs);
        }
        let inside = |path: &Path| roots.iter().filter(|root| path.starts_with(root)).max();
        let (root, path) = match inside(path) {
            Some(root) => (root, path.to_owned()),
            // The agent may have come to the folder by another way than the editor.
            None => {
                let path = without_links(path).ok_or(Refused::Outside)?;
                (inside(&path).ok_or(Refused::Outside)?, path)
            }
        };
        let within = WorkspacePath::new(root, path.to_str().ok_or(Refused::Outside)?)?;
        let path = root.join(within.as_path());
        Ok(Self {
            at: Location {
                root: root.clone(),
                path: path.clone(),
            },
            path: within,
            key: DocumentKey::File(path),
        })
    }

    /// The text of the file, or nothing where there is none. A link that leads out of the workspace is refused, and so
    /// is a new file in a folder that lies outside.
    pub(crate) fn read(&self, disk: &dyn Disk) -> Result<Option<String>, Refused> {
        let text = disk.read(&self.at)?;
        if text.is_none() && !self.is_free() {
            return Err(Refused::Outside);
        }
        Ok(text)
    }

    /// Whether a file could be made there: its nearest folder lies inside, and it is not a link that leads nowhere.
    fn is_free(&self) -> bool {
        let is_link = fs::symlink_metadata(&self.at.path).is_ok();
        let folder = self.at.path.parent().and_then(without_links);
        !is_link && folder.is_some_and(|folder| folder.starts_with(&self.at.root))
    }
}

/// The path with every link on the way followed, as far as it exists.
fn without_links(path: &Path) -> Option<PathBuf> {
    let mut existing = path;
    while fs::symlink_metadata(existing).is_err() {
        existing = existing.parent()?;
    }
    let missing = path.strip_prefix(existing).ok()?;
    Some(fs::canonicalize(existing).ok()?.join(missing))
}

//! The proof that a path stays inside the workspace.

#[cfg(test)]
mod tests;

use std::fmt;
use std::path::{Component, Path, PathBuf};

use pollux_search::closed_segment;

/// A path inside the workspace, relative to its root.
///
/// Holds by spelling alone: no `..`, not absolute, not empty. Whether a link leads out of the workspace is for
/// [`Files`](crate::Files) to check, because only it may look at the disk.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct WorkspacePath(PathBuf);

/// Why a path was refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PathError {
    #[error("the path is empty")]
    Empty,
    #[error("the path holds a control character")]
    ControlCharacter,
    #[error("this looks like a line of a log and not like a path")]
    LogFragment,
    #[error("the path leads out of the workspace; send one relative to its root, without `..`")]
    OutsideWorkspace,
    #[error("files in `{name}` are not open to tools")]
    Closed { name: String },
}

impl WorkspacePath {
    /// Checks a path as a model spells it: relative to the root, or absolute and inside it.
    pub fn new(root: &Path, spelled: &str) -> Result<Self, PathError> {
        if spelled.chars().any(char::is_control) {
            return Err(PathError::ControlCharacter);
        }
        if is_log_fragment(spelled) {
            return Err(PathError::LogFragment);
        }
        let path = Path::new(spelled);
        let path = path.strip_prefix(root).unwrap_or(path);
        let mut relative = PathBuf::new();
        for component in path.components() {
            match component {
                Component::Normal(name) => {
                    if closed_segment(Path::new(name)).is_some() {
                        let name = name.to_string_lossy().into_owned();
                        return Err(PathError::Closed { name });
                    }
                    relative.push(name);
                }
                Component::CurDir => {}
                Component::ParentDir | Component::RootDir | Component::Prefix(_) => {
                    return Err(PathError::OutsideWorkspace);
                }
            }
        }
        if relative.as_os_str().is_empty() {
            return Err(PathError::Empty);
        }
        Ok(Self(relative))
    }

    /// As [`WorkspacePath::new`], or inside one of the further places that a session may use. Such a path stays
    /// absolute, so that joining it to the root gives it back.
    pub fn within(root: &Path, places: &[PathBuf], spelled: &str) -> Result<Self, PathError> {
        let outside = match Self::new(root, spelled) {
            Err(PathError::OutsideWorkspace) => Path::new(spelled),
            other => return other,
        };
        let climbs = outside
            .components()
            .any(|part| part == Component::ParentDir);
        match !climbs && places.iter().any(|place| outside.starts_with(place)) {
            true => Ok(Self(outside.to_owned())),
            false => Err(PathError::OutsideWorkspace),
        }
    }

    /// The path relative to the workspace root.
    pub fn as_path(&self) -> &Path {
        &self.0
    }
}

impl fmt::Display for WorkspacePath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.display().fmt(f)
    }
}

/// Models copy lines of a test's output where a path belongs; looking for those helps nobody.
fn is_log_fragment(spelled: &str) -> bool {
    const BEGINNINGS: [&str; 5] = [
        "AssertionError:",
        "FAIL ",
        "✓ ",
        "× ",
        "TestingLibraryElementError:",
    ];
    let is_fragment = |part: &str| BEGINNINGS.iter().any(|begin| part.starts_with(begin));
    let is_long = spelled.chars().count() > 20;
    spelled.split('/').any(is_fragment)
        || (is_long && (spelled.contains('"') || spelled.contains("...")))
}

//! Texts that are in an editor and not, or not like that, on the disk.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Unsaved texts by their absolute path. What is in here is read instead of the file; a path that is not on the disk
/// counts as a file of its folder.
#[derive(Clone, Debug, Default)]
pub struct Overlay(HashMap<PathBuf, Arc<str>>);

impl Overlay {
    pub fn text(&self, path: &Path) -> Option<&Arc<str>> {
        // Usually nothing is unsaved, and hashing every path of a large tree is not free.
        if self.0.is_empty() {
            return None;
        }
        self.0.get(path)
    }

    /// What exists in editors only, below a folder.
    pub(crate) fn only_here_below(
        &self,
        folder: &Path,
    ) -> impl Iterator<Item = (&Path, &Arc<str>)> {
        self.0
            .iter()
            .filter(move |(path, _)| path.starts_with(folder) && path.as_path() != folder)
            .filter(|(path, _)| path.symlink_metadata().is_err())
            .map(|(path, text)| (path.as_path(), text))
    }
}

impl FromIterator<(PathBuf, Arc<str>)> for Overlay {
    fn from_iter<Texts: IntoIterator<Item = (PathBuf, Arc<str>)>>(texts: Texts) -> Self {
        Self(texts.into_iter().collect())
    }
}

//! Texts that are in an editor and not, or not like that, on the disk.

use std::collections::HashMap;
use std::fmt;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A text that an editor holds. Whoever has it as a rope hands out the rope: most searches look at few of them.
pub trait UnsavedText: Send + Sync {
    /// In bytes.
    fn length(&self) -> u64;

    /// From the beginning.
    fn reader(&self) -> Box<dyn Read + '_>;
}

impl UnsavedText for String {
    fn length(&self) -> u64 {
        self.len() as u64
    }

    fn reader(&self) -> Box<dyn Read + '_> {
        Box::new(self.as_bytes())
    }
}

/// Unsaved texts by their absolute path. What is in here is read instead of the file; a path that is not on the disk
/// counts as a file of its folder.
#[derive(Clone, Default)]
pub struct Overlay(HashMap<PathBuf, Arc<dyn UnsavedText>>);

impl Overlay {
    pub fn text(&self, path: &Path) -> Option<&dyn UnsavedText> {
        // Usually nothing is unsaved, and hashing every path of a large tree is not free.
        if self.0.is_empty() {
            return None;
        }
        self.0.get(path).map(|text| &**text)
    }

    /// What exists in editors only, below a folder.
    pub(crate) fn only_here_below(
        &self,
        folder: &Path,
    ) -> impl Iterator<Item = (&Path, &dyn UnsavedText)> {
        self.0
            .iter()
            .filter(move |(path, _)| path.starts_with(folder) && path.as_path() != folder)
            .filter(|(path, _)| path.symlink_metadata().is_err())
            .map(|(path, text)| (path.as_path(), &**text))
    }
}

impl fmt::Debug for Overlay {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.0.keys()).finish()
    }
}

impl FromIterator<(PathBuf, Arc<dyn UnsavedText>)> for Overlay {
    fn from_iter<Texts>(texts: Texts) -> Self
    where
        Texts: IntoIterator<Item = (PathBuf, Arc<dyn UnsavedText>)>,
    {
        Self(texts.into_iter().collect())
    }
}

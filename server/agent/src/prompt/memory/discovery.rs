//! Which folders are asked for memory files: from a folder upward to the project's boundary, never downward.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::MemorySettings;
use crate::prompt::place::normal;
use crate::prompt::reading::Reading;

/// Folders between a file and the boundary; no project is deeper.
const MAX_DEPTH: usize = 128;

pub(super) struct Boundary<'a> {
    reading: &'a dyn Reading,
    settings: &'a MemorySettings,
}

impl<'a> Boundary<'a> {
    pub(super) fn new(reading: &'a dyn Reading, settings: &'a MemorySettings) -> Self {
        Self { reading, settings }
    }

    /// The folders from each root up to its boundary, outer ones first.
    pub(super) async fn folders_of_roots(&self) -> Vec<PathBuf> {
        let mut folders = BTreeSet::new();
        for root in &self.settings.roots {
            let top = project_root(self.reading, &self.settings.boundary_markers, root).await;
            folders.extend(self.between(root, &top));
        }
        // Sorted by path, so a folder stands before everything in it.
        folders.into_iter().collect()
    }

    /// The folders from a file up to the boundary of the root that holds it. A path outside every root has none:
    /// nobody said that it may be trusted.
    pub(super) async fn folders_around(&self, path: &Path) -> Vec<PathBuf> {
        // `root/../elsewhere` begins with the root and is not in it.
        let Some(path) = normal(path) else {
            return Vec::new();
        };
        let roots = self.settings.roots.iter();
        let holding = roots.filter(|root| path.starts_with(root));
        let Some(root) = holding.max_by_key(|root| root.components().count()) else {
            return Vec::new();
        };
        let top = project_root(self.reading, &self.settings.boundary_markers, root).await;
        // The path may be a folder itself; a file with a memory file below it does not exist.
        let mut folders = self.between(&path, &top);
        folders.sort();
        folders
    }

    /// Never the person's own folder, which is loaded as global memory.
    fn between(&self, bottom: &Path, top: &Path) -> Vec<PathBuf> {
        let folders = bottom.ancestors().take(MAX_DEPTH);
        let folders = folders.take_while(|folder| folder.starts_with(top));
        let folders = folders.filter(|folder| !folder.starts_with(&self.settings.global_folder));
        folders.map(Path::to_owned).collect()
    }
}

/// The nearest folder upward that holds a marker, or the folder itself when there is none.
pub(super) async fn project_root(
    reading: &dyn Reading,
    markers: &[String],
    folder: &Path,
) -> PathBuf {
    for candidate in folder.ancestors().take(MAX_DEPTH) {
        for marker in markers.iter().filter(|marker| !marker.is_empty()) {
            if reading.look(&candidate.join(marker)).await.is_ok() {
                return candidate.to_owned();
            }
        }
    }
    folder.to_owned()
}

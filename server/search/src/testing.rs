//! A project on the disk, and unsaved texts, to search in.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use tempfile::TempDir;

use crate::{Cancel, IgnoreRules, Overlay, RuleFiles, Tree, UnsavedText};

pub(crate) struct Project {
    folder: TempDir,
    unsaved: Vec<(PathBuf, Arc<dyn UnsavedText>)>,
}

impl Project {
    /// Every path with its text; a path that ends in a slash is a folder.
    pub(crate) fn new(files: &[(&str, &str)]) -> Self {
        let project = Self {
            folder: TempDir::new().unwrap(),
            unsaved: Vec::new(),
        };
        for (path, text) in files {
            project.write(path, text);
        }
        project
    }

    /// One that is a git repository.
    pub(crate) fn repository(files: &[(&str, &str)]) -> Self {
        let project = Self::new(files);
        project.write(".git/HEAD", "ref: refs/heads/main\n");
        project
    }

    pub(crate) fn root(&self) -> PathBuf {
        self.folder.path().canonicalize().unwrap()
    }

    pub(crate) fn write(&self, path: &str, text: impl AsRef<[u8]>) {
        let full = self.root().join(path);
        if path.ends_with('/') {
            return fs::create_dir_all(full).unwrap();
        }
        fs::create_dir_all(full.parent().unwrap()).unwrap();
        fs::write(full, text).unwrap();
    }

    pub(crate) fn link(&self, path: &str, target: impl AsRef<Path>) {
        std::os::unix::fs::symlink(target, self.root().join(path)).unwrap();
    }

    /// A text that an editor holds.
    pub(crate) fn type_into(&mut self, path: &str, text: &str) {
        let text = Arc::new(text.to_owned());
        self.unsaved.push((self.root().join(path), text));
    }

    pub(crate) fn touch(&self, path: &str, time: SystemTime) {
        let file = File::options().write(true).open(self.root().join(path));
        file.unwrap().set_modified(time).unwrap();
    }

    pub(crate) fn rules(&self, files: &RuleFiles) -> IgnoreRules {
        IgnoreRules::new(&self.root(), files)
    }

    pub(crate) fn with_tree<T>(&self, files: &RuleFiles, ask: impl FnOnce(&Tree<'_>) -> T) -> T {
        self.with_cancel(files, Cancel::never(), ask)
    }

    pub(crate) fn with_cancel<T>(
        &self,
        files: &RuleFiles,
        cancel: Cancel<'_>,
        ask: impl FnOnce(&Tree<'_>) -> T,
    ) -> T {
        ask(&Tree {
            rules: &self.rules(files),
            overlay: &self.unsaved.iter().cloned().collect::<Overlay>(),
            cancel,
            threads: 3,
        })
    }

    /// Paths below the root, one in a line.
    pub(crate) fn shown<'a>(&self, paths: impl IntoIterator<Item = &'a PathBuf>) -> String {
        let root = self.root();
        let below = |path: &PathBuf| format!("{}\n", path.strip_prefix(&root).unwrap().display());
        paths.into_iter().map(below).collect()
    }
}

/// A moment that is not today.
pub(crate) fn now() -> SystemTime {
    SystemTime::UNIX_EPOCH + Duration::from_secs(1_700_000_000)
}

pub(crate) fn hours(count: u64) -> Duration {
    Duration::from_secs(count * 3600)
}

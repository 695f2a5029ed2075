//! Git's ignore files from a folder up to the top of its repository.

use std::path::Path;
use std::sync::Arc;

use ignore::Match;
use ignore::gitignore::Gitignore;

use super::patterns;
use super::repository::{self, Holds};

/// The nearest file is asked first. Folders without such files share the chain of the folder above.
#[derive(Clone, Debug, Default)]
pub(super) struct Chain {
    /// Outside of every repository, ignore files of git mean nothing.
    is_in_repository: bool,
    nearest: Option<Arc<Link>>,
}

#[derive(Debug)]
struct Link {
    patterns: Gitignore,
    next: Option<Arc<Link>>,
}

impl Chain {
    /// The chain for the entries of a folder of this chain's folder.
    pub(super) fn enter(&self, path: &Path, holds: Holds) -> Self {
        let mut chain = if holds.repository {
            // A repository in a repository does not know the outer one.
            let outset = Self {
                is_in_repository: true,
                nearest: None,
            };
            match repository::exclude_file(path) {
                Some(file) => outset.with(path, &file),
                None => outset,
            }
        } else {
            self.clone()
        };
        if holds.ignore_file && chain.is_in_repository {
            chain = chain.with(path, &path.join(".gitignore"));
        }
        chain
    }

    pub(super) fn ignores(&self, path: &Path, is_folder: bool) -> bool {
        let mut link = self.nearest.as_deref();
        while let Some(Link { patterns, next }) = link {
            match patterns.matched(path, is_folder) {
                Match::Ignore(_) => return true,
                Match::Whitelist(_) => return false,
                Match::None => link = next.as_deref(),
            }
        }
        false
    }

    fn with(self, folder: &Path, file: &Path) -> Self {
        let patterns = patterns::read(folder, &[file.to_path_buf()]);
        if patterns.is_empty() {
            return self;
        }
        let next = self.nearest;
        Self {
            nearest: Some(Arc::new(Link { patterns, next })),
            ..self
        }
    }
}

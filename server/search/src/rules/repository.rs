//! Where git's own files lie.

use std::fs;
use std::path::{Path, PathBuf};

use super::chain::Chain;

/// Which of git's files a folder holds.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Holds {
    /// `.git`, so a repository starts here.
    pub(crate) repository: bool,
    /// `.gitignore`
    pub(crate) ignore_file: bool,
}

/// Looks at the disk; a walk knows without looking.
pub(super) fn found_in(folder: &Path) -> Holds {
    Holds {
        repository: folder.join(".git").exists(),
        ignore_file: folder.join(".gitignore").exists(),
    }
}

/// The chain of the folders above a project, if it lies inside a repository.
pub(super) fn above(root: &Path) -> Chain {
    let mut folders: Vec<&Path> = Vec::new();
    for folder in root.ancestors().skip(1) {
        folders.push(folder);
        if folder.join(".git").exists() {
            break;
        }
    }
    folders
        .into_iter()
        .rev()
        .fold(Chain::default(), |chain, folder| {
            chain.enter(folder, found_in(folder))
        })
}

/// `info/exclude` of the repository that starts in a folder. In a worktree `.git` is a file that names another folder,
/// and that one names the folder all worktrees share.
pub(super) fn exclude_file(folder: &Path) -> Option<PathBuf> {
    let git = folder.join(".git");
    let git = if git.is_dir() {
        git
    } else {
        let text = fs::read_to_string(&git).ok()?;
        let named = text.lines().next()?.strip_prefix("gitdir:")?.trim();
        folder.join(named)
    };
    let shared = match fs::read_to_string(git.join("commondir")) {
        Ok(named) => git.join(named.trim()),
        Err(_) => git,
    };
    Some(shared.join("info").join("exclude"))
}

//! What comes back from git itself: files that had no changes, the index, stashes.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use pollux_settings::create_private_file;

use super::files::remove;
use super::{Restored, Restoring};
use crate::undo::git::Git;
use crate::undo::manifest::{Repository, Stash, State};

/// One repository, and what is to be done in it.
pub(super) struct GitSide {
    git: Git,
    kept: Repository,
    head: Option<String>,
    /// A copy of the index that was kept, which git may write to.
    index: Option<(tempfile::TempDir, PathBuf)>,
    /// Files that were as in the index, and are not any more.
    changed: BTreeSet<PathBuf>,
    /// Files that came with another commit.
    new: BTreeSet<PathBuf>,
    stashes: Vec<Stash>,
}

impl GitSide {
    /// Nothing if the repository is gone.
    pub(super) async fn look(
        restoring: &Restoring<'_>,
        id: &str,
        kept: &Repository,
        known: &BTreeMap<PathBuf, &State>,
    ) -> Result<Option<Self>> {
        let root = kept.root.to_path();
        let found = Git::find(&root, restoring.environment).await;
        let Some(git) = found.filter(|git| git.root() == root) else {
            return Ok(None);
        };
        let mut side = Self {
            head: git.head().await,
            git,
            kept: kept.clone(),
            index: None,
            changed: BTreeSet::new(),
            new: BTreeSet::new(),
            stashes: Vec::new(),
        };
        if let Some(blob) = kept.index {
            let folder = tempfile::tempdir()?;
            let index = folder.path().join("index");
            let mut copy = create_private_file(&index)?;
            io::copy(&mut restoring.store.blob(id, blob)?, &mut copy)?;
            side.compare(&index, known).await?;
            side.index = Some((folder, index));
        }
        if !kept.stashes.is_empty() {
            let present = side.git.stashes().await?;
            let is_gone =
                |stash: &&Stash| !present.iter().any(|other| other.commit == stash.commit);
            side.stashes = kept.stashes.iter().filter(is_gone).cloned().collect();
        }
        Ok(Some(side))
    }

    async fn compare(&mut self, index: &Path, known: &BTreeMap<PathBuf, &State>) -> Result<()> {
        let within: Vec<PathBuf> = self.kept.within.iter().map(|path| path.to_path()).collect();
        let is_meant = |path: &PathBuf| {
            !known.contains_key(path)
                && (within.is_empty() || within.iter().any(|part| path.starts_with(part)))
        };
        let changed = self.git.unlike(index).await?;
        self.changed = changed.into_iter().filter(is_meant).collect();
        if self.head.is_some() && self.head != self.kept.head {
            let before: BTreeSet<PathBuf> =
                self.git.tracked(Some(index)).await?.into_iter().collect();
            // Git has these in a commit, as they are.
            let differing: BTreeSet<PathBuf> = self.git.unlike_head().await?.into_iter().collect();
            let now = self.git.tracked(None).await?.into_iter();
            self.new = now
                .filter(is_meant)
                .filter(|path| !before.contains(path) && !differing.contains(path))
                .collect();
        }
        Ok(())
    }

    pub(super) fn touched(&self) -> impl Iterator<Item = &PathBuf> {
        self.changed.iter().chain(&self.new)
    }

    pub(super) async fn apply(&self, outcome: &mut Restored) {
        for path in &self.new {
            match remove(path) {
                Ok(()) => outcome.removed.push(path.clone()),
                Err(error) => outcome.fail(path, &error.into()),
            }
            self.remove_empty_folders(path);
        }
        if let Some((_, index)) = &self.index {
            let paths: Vec<PathBuf> = self.changed.iter().cloned().collect();
            if !paths.is_empty() {
                match self.git.check_out(index, &paths).await {
                    Ok(()) => outcome.restored.extend(paths),
                    Err(error) => outcome.fail(self.git.root(), &error),
                }
            }
            if let Err(error) = self.restore_index(index).await {
                outcome
                    .notes
                    .push(format!("Git's index was left as it is: {error:#}."));
            }
        }
        // The oldest first, so that the newest is on top again.
        for stash in self.stashes.iter().rev() {
            match self.git.put_stash_back(stash).await {
                Ok(()) => outcome.stashes += 1,
                Err(error) => outcome.fail(self.git.root(), &error),
            }
        }
        outcome.notes.extend(self.moved_head());
    }

    /// Git keeps no empty folders, so one that becomes empty was made by it.
    fn remove_empty_folders(&self, path: &Path) {
        let above = path.ancestors().skip(1);
        for folder in above.take_while(|folder| *folder != self.git.root()) {
            if fs::remove_dir(folder).is_err() {
                break;
            }
        }
    }

    /// What was staged is staged again, unless that would lose what is staged now.
    async fn restore_index(&self, kept: &Path) -> Result<()> {
        if self.head != self.kept.head || self.git.has_staged().await {
            return Ok(());
        }
        let Some(index) = self.git.index().await else {
            return Ok(());
        };
        let lock = index.with_extension("lock");
        let mut file = create_private_file(&lock)
            .with_context(|| format!("{} cannot be made", lock.display()))?;
        let written = fs::File::open(kept)
            .and_then(|mut kept| io::copy(&mut kept, &mut file))
            .and_then(|_| file.set_permissions(fs::metadata(&index)?.permissions()))
            .and_then(|()| fs::rename(&lock, &index));
        if written.is_err() {
            // The first error is the one to tell.
            let _best_effort = fs::remove_file(&lock);
        }
        Ok(written?)
    }

    fn moved_head(&self) -> Option<String> {
        let (before, now) = (self.kept.head.as_deref()?, self.head.as_deref()?);
        if before == now || self.kept.index.is_none() {
            return None;
        }
        let short = |commit: &str| commit.get(..12).unwrap_or(commit).to_owned();
        let branch = self.kept.branch.as_deref();
        let branch = branch.map(|branch| format!(" on {branch}"));
        Some(format!(
            "The commit was {}{} and is {} now; `git reset --soft {}` goes back to it.",
            short(before),
            branch.unwrap_or_default(),
            short(now),
            short(before),
        ))
    }
}

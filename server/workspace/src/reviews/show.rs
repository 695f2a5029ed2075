//! The reviews as readers see them. Made when somebody looks, not when something moves: nobody reads after every
//! keystroke.

use std::sync::Arc;

use pollux_text::{HunkId, HunkKind};
use tokio::sync::watch;

use super::book::Book;
use super::file::ReviewedFile;
use super::origins::Origins;
use crate::{DocumentKey, FileReview, HunkName, HunkState, ReviewError, Reviews, ShownHunk};

impl Book {
    /// Wakes whoever follows when something has moved.
    pub(crate) fn follow(&self) -> watch::Receiver<u64> {
        self.moved.subscribe()
    }

    pub(crate) fn shown(&mut self) -> Arc<Reviews> {
        if self.stale.is_empty() {
            return Arc::clone(&self.shown);
        }
        let mut moved = Vec::new();
        for key in std::mem::take(&mut self.stale) {
            let view = self.view(&key);
            moved.push((key, view));
        }
        let shown = Arc::make_mut(&mut self.shown);
        for (key, view) in moved {
            match view {
                Some(view) => shown.files.insert(key, view),
                None => shown.files.remove(&key),
            };
        }
        shown.rejected = self.rejected.shown();
        shown.undo = self
            .history
            .last_decision()
            .map(|done| Arc::clone(&done.words));
        shown.redo = self
            .history
            .last_undone()
            .map(|done| Arc::clone(&done.words));
        Arc::clone(&self.shown)
    }

    /// The file as it is shown, if anything of it is.
    pub(super) fn view(&mut self, key: &DocumentKey) -> Option<Arc<FileReview>> {
        let next = self.number();
        let file = self.files.get_mut(key)?;
        if let Some(view) = &file.shown.view {
            return Some(Arc::clone(view));
        }
        let hunks = hunks(file, &self.origins);
        let is_shown = !hunks.is_empty() || file.presence.base != file.presence.now;
        let of = Some(file.review.revision());
        if file.shown.of != of {
            file.shown.of = of;
            file.shown.revision = next;
        }
        let view = Arc::new(FileReview {
            path: file.path.clone(),
            kind: file.presence.kind(),
            revision: file.shown.revision,
            hunks,
        });
        file.shown.view = Some(Arc::clone(&view));
        is_shown.then_some(view)
    }

    /// The hunk of a name that is still good.
    pub(super) fn named(
        &mut self,
        key: &DocumentKey,
        name: HunkName,
    ) -> Result<HunkId, ReviewError> {
        let view = self.view(key).ok_or(ReviewError::NothingPending)?;
        if view.revision != name.revision {
            return Err(ReviewError::Stale);
        }
        let file = self.files.get(key).ok_or(ReviewError::NothingPending)?;
        let mut hunks = file.review.hunks();
        let hunk = hunks.nth(name.index).ok_or(ReviewError::Stale)?;
        Ok(hunk.id())
    }
}

fn hunks(file: &ReviewedFile, origins: &Origins) -> Vec<ShownHunk> {
    let shown = file.review.hunks().map(|hunk| {
        let state = match hunk.kind() {
            HunkKind::Change => HunkState::Pending,
            HunkKind::Edited => HunkState::Edited,
            HunkKind::Conflict => HunkState::Conflict,
        };
        let (removed, added) = match hunk.kind() {
            HunkKind::Conflict => (hunk.current_text(), hunk.their_text().unwrap_or_default()),
            HunkKind::Change | HunkKind::Edited => (hunk.base_text(), hunk.current_text()),
        };
        ShownHunk {
            state,
            lines: hunk.current_lines(),
            removed: removed.into(),
            added: added.into(),
            origin: origins.get(hunk.origin().0).cloned(),
            comments: Vec::new(),
        }
    });
    shown.collect()
}

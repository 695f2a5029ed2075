//! The reviews as readers see them. Made when somebody looks, not when something moves: nobody reads after every
//! keystroke.

use std::path::PathBuf;
use std::sync::Arc;

use pollux_agent::prompt::HunkDecision;
use pollux_text::HunkKind;
use tokio::sync::watch;

use super::book::Book;
use super::file::{Presence, ReviewedFile};
use super::origins::Origins;
use super::proposals::Named;
use crate::{
    CommentSent, DocumentKey, FileReview, HunkName, HunkState, Origin, ReviewError, Reviews,
    SessionId, ShownHunk,
};

impl Book {
    /// Wakes whoever follows when something has moved.
    pub(crate) fn follow(&self) -> watch::Receiver<u64> {
        self.moved.subscribe()
    }

    pub(crate) fn shown(&mut self) -> Arc<Reviews> {
        if !std::mem::take(&mut self.has_moved) {
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
        shown.answered = self.comments.answered();
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
        let file = self.files.get(key);
        let path = self.path_of(key)?;
        let shown = self.shown_files.entry(key.clone()).or_default();
        if let Some(view) = &shown.view {
            return Some(Arc::clone(view));
        }
        let text = file.map(|file| file.review.current());
        let mut all = file
            .map(|file| hunks(file, &self.origins))
            .unwrap_or_default();
        if file.is_some_and(ReviewedFile::is_bare) {
            let maker = self.history.maker(key);
            let origin = maker.and_then(|maker| self.origins.get(maker).cloned());
            all.push((Named::File, bare(origin)));
        }
        if let Some(proposed) = self.proposal_moves.get(key)
            && *proposed > 0
        {
            let text = text
                .or_else(|| shown.open.clone())
                .map(|text| text.to_string());
            all.extend(self.proposals.shown(key, text.as_deref()));
            all.sort_by_key(|(_, hunk)| hunk.lines.start);
        }
        let mut comments = Vec::new();
        for comment in self.comments.of(key) {
            let nearest = all
                .iter_mut()
                .min_by_key(|(_, hunk)| distance(&hunk.lines, comment.line));
            match (nearest, comment.sent) {
                (Some((_, hunk)), _) => hunk.comments.push(comment.clone()),
                // The hunk is decided, but nobody has been told what was written about it.
                (None, CommentSent::NotYet) => comments.push(comment.clone()),
                (None, CommentSent::Yes) => {}
            }
        }
        let presence = file.map_or(Presence::FILE, |file| file.presence);
        let is_shown = !all.is_empty() || !comments.is_empty() || presence.base != presence.now;
        let of = Some((
            file.map_or(0, |file| file.review.revision()),
            self.proposal_moves.get(key).copied().unwrap_or_default(),
        ));
        if shown.of != of {
            shown.of = of;
            shown.revision = next;
        }
        let (names, hunks) = all.into_iter().unzip();
        let view = Arc::new(FileReview {
            path,
            kind: presence.kind(),
            revision: shown.revision,
            hunks,
            comments,
        });
        shown.names = names;
        if !is_shown {
            return None;
        }
        shown.view = Some(Arc::clone(&view));
        Some(view)
    }

    /// The hunk of a name that is still good.
    pub(super) fn named(
        &mut self,
        key: &DocumentKey,
        name: HunkName,
    ) -> Result<Named, ReviewError> {
        let view = self.view(key).ok_or(ReviewError::NothingPending)?;
        if view.revision != name.revision {
            return Err(ReviewError::Stale);
        }
        let shown = self.shown_files.get(key);
        let named = shown.and_then(|shown| shown.names.get(name.index));
        named.cloned().ok_or(ReviewError::Stale)
    }

    /// What people have decided about a session's edits since this was last asked.
    pub(crate) fn take_decisions(&mut self, session: &SessionId) -> Vec<HunkDecision> {
        self.decided.take(session)
    }

    /// The file as people name it.
    pub(super) fn path_of(&self, key: &DocumentKey) -> Option<PathBuf> {
        let reviewed = self.files.get(key).map(|file| file.path.clone());
        reviewed
            .or_else(|| self.proposals.path_of(key))
            .or_else(|| self.comments.path_of(key))
    }
}

/// How far a line is from a hunk.
fn distance(lines: &std::ops::Range<usize>, line: usize) -> usize {
    match line {
        line if line < lines.start => lines.start - line,
        line if line >= lines.end => line - lines.end.saturating_sub(1).max(lines.start),
        _ => 0,
    }
}

fn hunks(file: &ReviewedFile, origins: &Origins) -> Vec<(Named, ShownHunk)> {
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
        let shown = ShownHunk {
            state,
            lines: hunk.current_lines(),
            removed: removed.into(),
            added: added.into(),
            origin: origins.get(hunk.origin().0).cloned(),
            comments: Vec::new(),
        };
        (Named::Hunk(hunk.id()), shown)
    });
    shown.collect()
}

/// An empty file that comes or goes is shown as a hunk without lines, so that it can be decided about like any other.
fn bare(origin: Option<Origin>) -> ShownHunk {
    ShownHunk {
        state: HunkState::Pending,
        lines: 0..0,
        removed: "".into(),
        added: "".into(),
        origin,
        comments: Vec::new(),
    }
}

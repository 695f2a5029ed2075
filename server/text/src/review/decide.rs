//! What a person decides about hunks.

use std::ops::Range;

use ropey::Rope;

use super::region::Draft;
use super::{HunkId, Origin, Review};
use crate::merge::{PieceKind, merge3};
use crate::{Splice, rope};

/// Why nothing was decided. Nothing has changed then.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum HunkError {
    #[error("the hunks have changed meanwhile")]
    Stale,
    #[error("both sides changed these lines: one of them has to be chosen")]
    Unsettled,
    #[error("nobody else wants these lines")]
    NoConflict,
}

/// How a conflict ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// The text stays as it is.
    Mine,
    /// The text becomes what the other side wants.
    Theirs,
}

/// What came of turning hunks down.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rejected {
    /// What to do to the text as it was before.
    pub splices: Vec<Splice>,
    /// The changes that are gone, in the order of the file, so that they can be shown and applied again.
    pub hunks: Vec<RejectedHunk>,
}

impl Rejected {
    fn in_order(mut self) -> Self {
        self.splices.reverse();
        self.hunks.reverse();
        self
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RejectedHunk {
    pub id: HunkId,
    pub origin: Origin,
    /// Its first line in the text as it was before.
    pub line: usize,
    /// What stands there instead.
    pub removed: String,
    /// What the agent wrote or wanted to.
    pub added: String,
}

/// How much of a hunk is turned down that is a conflict on top of a change.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Depth {
    /// What the agent wants beside it.
    Wish,
    Everything,
}

impl Review {
    /// The hunk is no longer pending: the base becomes what stands there.
    pub fn keep(&mut self, id: HunkId) -> Result<(), HunkError> {
        let draft = self.regions.seek_id(id).ok_or(HunkError::Stale)?;
        if draft.theirs.is_some() {
            return Err(HunkError::Unsettled);
        }
        self.take_out(id, |review, draft| {
            let text = review.current_text(draft.current.clone());
            rope::replace(&mut review.base, draft.base, &text);
            (Vec::new(), ())
        })
    }

    /// Keeps every hunk. Conflicts stay, because somebody has to choose; what they stand on is kept.
    pub fn keep_all(&mut self) {
        if self.is_empty() {
            return;
        }
        self.revision += 1;
        let mut conflicts: Vec<Draft> = Vec::new();
        self.regions.seek(|_| false);
        for mut draft in self.open(|_| true).drafts() {
            if draft.theirs.is_some() {
                draft.agent = None;
                draft.base = draft.current.clone();
                conflicts.push(draft);
            }
        }
        self.base = self.current.clone();
        let opened = self.open(|_| true);
        self.close(opened, conflicts);
    }

    /// Keeps the hunks of one origin, except conflicts.
    pub fn keep_origin(&mut self, origin: Origin) {
        for id in self.ids_of(origin) {
            // Those that cannot be kept have to be settled.
            let _kept_or_unsettled = self.keep(id);
        }
    }

    /// What the agent did here goes, and what a person did stays. Where both did something, the hunk becomes a conflict. Of
    /// a conflict, only what the agent wants is turned down.
    pub fn reject(&mut self, id: HunkId) -> Result<Rejected, HunkError> {
        let mut rejected = Rejected::default();
        self.reject_one(id, Depth::Wish, &mut rejected)?;
        Ok(rejected.in_order())
    }

    /// Rejects every hunk, conflicts and what they stand on included.
    pub fn reject_all(&mut self) -> Rejected {
        let ids: Vec<HunkId> = self.hunks().map(|hunk| hunk.id()).collect();
        self.reject_many(ids)
    }

    pub fn reject_origin(&mut self, origin: Origin) -> Rejected {
        let ids = self.ids_of(origin);
        self.reject_many(ids)
    }

    /// Ends a conflict. What was chosen counts as decided.
    pub fn settle(&mut self, id: HunkId, side: Side) -> Result<Vec<Splice>, HunkError> {
        let draft = self.regions.seek_id(id).ok_or(HunkError::Stale)?;
        if draft.theirs.is_none() {
            return Err(HunkError::NoConflict);
        }
        self.take_out(id, |review, mut draft| match (side, draft.theirs.take()) {
            (Side::Theirs, Some(theirs)) => {
                let text = theirs.to_string();
                let splices = review.replace_current(draft.current, &text);
                rope::replace(&mut review.base, draft.base, &text);
                (Vec::new(), splices)
            }
            (Side::Mine, Some(theirs)) => (review.without_wish(draft, &theirs), Vec::new()),
            (_, None) => (vec![draft], Vec::new()),
        })
    }

    fn ids_of(&self, origin: Origin) -> Vec<HunkId> {
        let hunks = self.hunks().filter(|hunk| hunk.origin() == origin);
        hunks.map(|hunk| hunk.id()).collect()
    }

    fn reject_many(&mut self, ids: Vec<HunkId>) -> Rejected {
        let mut rejected = Rejected::default();
        // From the end, so that all splices count in the text as it was before.
        for id in ids.into_iter().rev() {
            let _none_is_stale = self.reject_one(id, Depth::Everything, &mut rejected);
        }
        rejected.in_order()
    }

    /// Adds to what was rejected behind it, the last first.
    fn reject_one(
        &mut self,
        id: HunkId,
        depth: Depth,
        rejected: &mut Rejected,
    ) -> Result<(), HunkError> {
        self.take_out(id, |review, mut draft| {
            let told = |review: &Self, draft: &Draft, removed, added| RejectedHunk {
                id,
                origin: draft.origin,
                line: rope::lines_before(&review.current, draft.current.start),
                removed,
                added,
            };
            let wish = match depth {
                Depth::Wish => draft.theirs.take(),
                Depth::Everything => draft
                    .theirs
                    .take_if(|_| review.is_unchanged(&draft.base, &draft.current)),
            };
            if let Some(wish) = wish {
                let removed = review.current_text(draft.current.clone());
                let hunk = told(review, &draft, removed, wish.to_string());
                rejected.hunks.push(hunk);
                return (review.without_wish(draft, &wish), ());
            }
            if let Some(wish) = draft.theirs.take() {
                let removed = review.current_text(draft.current.clone());
                rejected
                    .hunks
                    .push(told(review, &draft, removed, wish.to_string()));
            }
            let base = review.base_text(draft.base.clone());
            let agent = match &draft.agent {
                Some(agent) => agent.to_string(),
                None => review.current_text(draft.current.clone()),
            };
            let hunk = told(review, &draft, base.clone(), agent.clone());
            rejected.hunks.push(hunk);
            let (drafts, splices) = review.without_agent(draft, &agent, &base);
            rejected.splices.extend(splices.into_iter().rev());
            (drafts, ())
        })
    }

    /// Takes what the agent did out of a stretch of text. What a person did becomes base, except where both did
    /// something: there the base, and the conflict, still have what was there first.
    fn without_agent(
        &mut self,
        draft: Draft,
        agent: &str,
        base: &str,
    ) -> (Vec<Draft>, Vec<Splice>) {
        if draft.agent.is_none() {
            return (Vec::new(), self.replace_current(draft.current, base));
        }
        let current = self.current_text(draft.current.clone());
        let merged = merge3(agent, &current, base);
        let (mut new_base, mut new_current) = (String::new(), String::new());
        let mut drafts: Vec<Draft> = Vec::new();
        for piece in merged.pieces() {
            let text = merged.text_of(piece);
            let wanted = match piece.kind {
                PieceKind::Conflict => merged.their_text(piece),
                _ => text,
            };
            let (base_start, current_start) = (new_base.len(), new_current.len());
            new_base.push_str(wanted);
            new_current.push_str(text);
            if piece.kind == PieceKind::Conflict {
                drafts.push(Draft {
                    base: shifted(&(base_start..new_base.len()), draft.base.start),
                    current: shifted(&(current_start..new_current.len()), draft.current.start),
                    agent: agent.get(piece.ancestor.clone()).map(Rope::from_str),
                    theirs: Some(Rope::from_str(wanted)),
                    id: if drafts.is_empty() {
                        draft.id
                    } else {
                        self.fresh_id()
                    },
                    origin: draft.origin,
                });
            }
        }
        rope::replace(&mut self.base, draft.base, &new_base);
        let splices = self.replace_current(draft.current, &new_current);
        (drafts, splices)
    }

    /// What is left of a conflict whose other side was turned down. When a person's edit stood against the base, there is
    /// nothing more to decide.
    fn without_wish(&mut self, draft: Draft, theirs: &Rope) -> Vec<Draft> {
        if draft.agent.is_none() || *theirs != rope::slice(&self.base, draft.base.clone()) {
            return vec![draft];
        }
        let text = self.current_text(draft.current);
        rope::replace(&mut self.base, draft.base, &text);
        Vec::new()
    }

    /// Takes out a region, changes the texts in its place, and puts back what is left of it.
    fn take_out<T>(
        &mut self,
        id: HunkId,
        change: impl FnOnce(&mut Self, Draft) -> (Vec<Draft>, T),
    ) -> Result<T, HunkError> {
        self.regions.seek_id(id).ok_or(HunkError::Stale)?;
        let mut opened = self.open(|draft| draft.id == id);
        let draft = opened.drafts().pop().ok_or(HunkError::Stale)?;
        self.revision += 1;
        let (drafts, result) = change(self, draft);
        self.close(opened, drafts);
        Ok(result)
    }

    /// What has to be done, line by line, to make this stretch of the current text another one.
    fn replace_current(&mut self, range: Range<usize>, text: &str) -> Vec<Splice> {
        let before = self.current_text(range.clone());
        let mut splices = Splice::between(&before, text);
        for splice in &mut splices {
            splice.range = shifted(&splice.range, range.start);
        }
        rope::replace(&mut self.current, range, text);
        splices
    }
}

fn shifted(range: &Range<usize>, by: usize) -> Range<usize> {
    range.start + by..range.end + by
}

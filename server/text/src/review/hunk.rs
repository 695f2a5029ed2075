//! A pending hunk, as it is shown.

use std::ops::Range;

use super::region::{At, Region};
use super::{HunkId, Origin, Review};
use crate::rope;

/// What a hunk is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HunkKind {
    /// As the agent wrote it.
    Change,
    /// Written by the agent and edited by a person since.
    Edited,
    /// The text is a person's, and the agent wants another.
    Conflict,
}

/// One hunk of a review. Its texts are copied only when they are asked for.
#[derive(Clone, Copy)]
pub struct ReviewHunk<'review> {
    review: &'review Review,
    start: At,
    region: &'review Region,
}

impl<'review> ReviewHunk<'review> {
    pub(super) fn new(review: &'review Review, (start, region): (At, &'review Region)) -> Self {
        Self {
            review,
            start,
            region,
        }
    }

    pub fn id(&self) -> HunkId {
        self.region.id
    }

    pub fn origin(&self) -> Origin {
        self.region.origin
    }

    pub fn kind(&self) -> HunkKind {
        if self.region.theirs.is_some() {
            HunkKind::Conflict
        } else if self.region.agent.is_some() {
            HunkKind::Edited
        } else {
            HunkKind::Change
        }
    }

    /// Lines of the base, half-open, counted from 0.
    pub fn base_lines(&self) -> Range<usize> {
        self.start.base_line..self.start.base_line + self.region.base.lines
    }

    /// Lines of the current text.
    pub fn current_lines(&self) -> Range<usize> {
        self.start.current_line..self.start.current_line + self.region.current.lines
    }

    pub fn base_bytes(&self) -> Range<usize> {
        self.start.base..self.start.base + self.region.base.bytes
    }

    pub fn current_bytes(&self) -> Range<usize> {
        self.start.current..self.start.current + self.region.current.bytes
    }

    pub fn base_text(&self) -> String {
        self.review.base_text(self.base_bytes())
    }

    pub fn current_text(&self) -> String {
        self.review.current_text(self.current_bytes())
    }

    /// What the agent wrote, when a person has edited it since.
    pub fn agent_text(&self) -> Option<String> {
        self.region.agent.as_ref().map(ToString::to_string)
    }

    /// What the other side of a conflict wants.
    pub fn their_text(&self) -> Option<String> {
        self.region.theirs.as_ref().map(ToString::to_string)
    }

    /// Whether there is a change below a conflict, which stays when the conflict is settled with "mine".
    pub fn is_changed(&self) -> bool {
        rope::slice(&self.review.base, self.base_bytes())
            != rope::slice(&self.review.current, self.current_bytes())
    }
}

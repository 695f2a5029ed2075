//! What the agent changed in one file and nobody has decided about yet.
//!
//! A review holds two texts, the base and the current one, and the regions in which they differ. Outside the regions both
//! are equal, and a region begins and ends between lines in both. Everything else follows from that: a person's edit
//! outside the regions is made to both texts, *keep* moves the base, *reject* moves the current text. After an edit only
//! the regions it touches are looked at again.
//!
//! What a person typed is never taken away here: where the agent wants the same lines, a region remembers what the agent
//! wants beside them, and the person decides.

mod agent;
mod decide;
mod hunk;
mod landed;
mod mend;
mod person;
mod region;
mod restore;
mod trim;

#[cfg(test)]
mod tests;

use std::fmt;
use std::ops::Range;

use ropey::Rope;

use crate::{Buffer, rope};
use region::{Draft, Regions};

pub use agent::{AgentEdited, BecameBase};
pub use decide::{HunkError, Rejected, RejectedHunk, Side};
pub use hunk::{HunkKind, ReviewHunk};
pub use landed::{Landed, landed};
pub use restore::Texts;

/// The pending changes of one file.
///
/// Cheap to clone: the texts are shared, and only the list of regions is copied.
#[derive(Clone)]
pub struct Review {
    base: Rope,
    current: Rope,
    regions: Regions,
    revision: u64,
    next_id: u64,
}

/// A hunk, as long as it is there. Shifts and edits by a person do not change it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct HunkId(u64);

/// Whose change a hunk is: a number of the caller's choice.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Origin(pub u64);

impl Review {
    /// A text in which nothing is pending.
    pub fn new(text: impl Into<Buffer>) -> Self {
        let text = text.into().to_rope();
        Self {
            base: text.clone(),
            current: text,
            regions: Regions::default(),
            revision: 0,
            next_id: 0,
        }
    }

    /// The text that rejecting everything goes back to, apart from what a person has edited.
    pub fn base(&self) -> Buffer {
        self.base.clone().into()
    }

    pub fn current(&self) -> Buffer {
        self.current.clone().into()
    }

    /// Moves when hunks come, go or change their content; not when they are merely shifted.
    pub fn revision(&self) -> u64 {
        self.revision
    }

    /// Takes the place of another review of the same file, from which it was once taken: names of hunks that the other has given
    /// out mean nothing here.
    pub fn succeed(&mut self, other: &Self) {
        self.revision = self.revision.max(other.revision) + 1;
        self.next_id = self.next_id.max(other.next_id);
    }

    /// How many hunks there are.
    pub fn len(&self) -> usize {
        self.regions.len()
    }

    /// Whether nothing is pending.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The hunks in the order of the file.
    pub fn hunks(&self) -> impl Iterator<Item = ReviewHunk<'_>> {
        self.regions
            .placed()
            .map(|placed| ReviewHunk::new(self, placed))
    }

    pub fn hunk(&self, id: HunkId) -> Option<ReviewHunk<'_>> {
        self.hunks().find(|hunk| hunk.id() == id)
    }

    /// The hunk that had this index at that revision.
    pub fn resolve(&self, revision: u64, index: usize) -> Result<HunkId, HunkError> {
        if revision != self.revision {
            return Err(HunkError::Stale);
        }
        let id = self
            .regions
            .placed()
            .nth(index)
            .map(|(_, region)| region.id);
        id.ok_or(HunkError::Stale)
    }

    fn fresh_id(&mut self) -> HunkId {
        self.next_id += 1;
        HunkId(self.next_id)
    }

    /// The offset in the base of an offset that lies in the gap behind the cursor.
    fn base_offset(&self, offset: usize) -> usize {
        let at = self.regions.at();
        at.base + (offset - at.current)
    }

    fn base_text(&self, range: Range<usize>) -> String {
        rope::slice(&self.base, range).to_string()
    }

    fn current_text(&self, range: Range<usize>) -> String {
        rope::slice(&self.current, range).to_string()
    }

    /// A stretch of the current text, with what `side` says in place of each region for which it says anything, and
    /// `extra` in its place, which overlaps none of those.
    fn overlay<'a>(
        &self,
        stretch: Range<usize>,
        drafts: &'a [Draft],
        side: impl Fn(&'a Draft) -> Option<&'a Rope>,
        extra: Option<(&Range<usize>, &str)>,
    ) -> Rope {
        let mut replacements: Vec<(Range<usize>, String)> = drafts
            .iter()
            .filter_map(|draft| Some((draft.current.clone(), side(draft)?.to_string())))
            .collect();
        if let Some((range, text)) = extra {
            let before = |(other, _): &(Range<usize>, String)| {
                (other.start, other.end) <= (range.start, range.end)
            };
            let place = replacements.partition_point(before);
            replacements.insert(place, (range.clone(), text.to_owned()));
        }
        let mut made = rope::part(&self.current, stretch.clone());
        for (range, text) in replacements.iter().rev() {
            let range = range.start - stretch.start..range.end - stretch.start;
            rope::replace(&mut made, range, text);
        }
        made
    }
}

/// The texts may hold secrets and may be large: they stay out of logs.
impl fmt::Debug for Review {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Review")
            .field("revision", &self.revision)
            .field("hunks", &self.len())
            .finish_non_exhaustive()
    }
}

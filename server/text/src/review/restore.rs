//! A review as whole texts, and back.

use std::ops::Range;

use ropey::Rope;

use super::region::{Draft, Regions};
use super::{Origin, Review};
use crate::diff::hunks;

/// Everything a review knows, as whole texts: what is equal to `current` needs no room in a record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Texts {
    pub base: String,
    pub current: String,
    /// The current text, with what the agent wrote wherever a person has edited it.
    pub agent: String,
    /// The current text, with what the agent wants wherever there is a conflict.
    pub theirs: String,
}

impl Review {
    /// The texts to record.
    pub fn texts(&self) -> Texts {
        let whole = 0..self.current.len_bytes();
        let drafts: Vec<Draft> = self.regions.drafts().collect();
        let side = |text: Rope| text.to_string();
        Texts {
            base: self.base.to_string(),
            current: self.current.to_string(),
            agent: side(self.overlay(whole.clone(), &drafts, |draft| draft.agent.as_ref(), None)),
            theirs: side(self.overlay(whole, &drafts, |draft| draft.theirs.as_ref(), None)),
        }
    }

    /// A review from its record. The hunks are found anew, and all are of this origin.
    pub fn restore(texts: &Texts, origin: Origin) -> Self {
        let mut review = Self::new("");
        review.reset(texts, origin);
        review
    }

    /// The same where it is known what stretches of the current text, in bytes and in order, are of other origins.
    pub fn restore_with(texts: &Texts, origin: Origin, known: &[(Range<usize>, Origin)]) -> Self {
        let mut review = Self::new("");
        review.become_texts(texts, origin, known);
        review
    }

    /// Makes this the review of other texts, as when a decision is undone. Names of hunks go stale; a hunk where one was
    /// before keeps its origin.
    pub fn reset(&mut self, texts: &Texts, origin: Origin) {
        let old: Vec<(Range<usize>, Origin)> = if self.current == *texts.current.as_str() {
            let hunks = self.hunks();
            hunks
                .map(|hunk| (hunk.current_bytes(), hunk.origin()))
                .collect()
        } else {
            Vec::new()
        };
        self.become_texts(texts, origin, &old);
    }

    fn become_texts(&mut self, texts: &Texts, origin: Origin, known: &[(Range<usize>, Origin)]) {
        self.revision += 1;
        self.regions = Regions::default();
        if self.current != *texts.current.as_str() {
            self.current = Rope::from_str(&texts.current);
        }
        if self.base != *texts.base.as_str() {
            self.base = Rope::from_str(&texts.base);
        }
        let drafts = self.compared(texts, origin, known);
        let opened = self.open(|_| true);
        self.close(opened, drafts);
    }

    fn compared(
        &mut self,
        texts: &Texts,
        origin: Origin,
        old: &[(Range<usize>, Origin)],
    ) -> Vec<Draft> {
        let sides = [&texts.base, &texts.agent, &texts.theirs];
        let mut compared = sides.map(|side| Compared::new(side, &texts.current));
        let mut stretches: Vec<Range<usize>> = Vec::new();
        let mut all: Vec<Range<usize>> = compared.iter().flat_map(Compared::ranges).collect();
        all.sort_by_key(|range| (range.start, range.end));
        for range in all {
            match stretches.last_mut() {
                Some(last) if range.start <= last.end => last.end = last.end.max(range.end),
                _ => stretches.push(range),
            }
        }
        let mut old = old.iter().peekable();
        let mut drafts = Vec::with_capacity(stretches.len());
        for stretch in stretches {
            let [base, agent, theirs] = compared.each_mut().map(|side| side.next(&stretch));
            while old
                .next_if(|(range, _)| range.end < stretch.start)
                .is_some()
            {}
            let before = old.peek().filter(|(range, _)| range.start <= stretch.end);
            let side = |text: &str, range: Range<usize>| {
                Some(Rope::from_str(text.get(range).unwrap_or_default()))
            };
            drafts.push(Draft {
                base,
                current: stretch,
                agent: side(&texts.agent, agent),
                theirs: side(&texts.theirs, theirs),
                id: self.fresh_id(),
                origin: before.map_or(origin, |(_, origin)| *origin),
            });
        }
        drafts
    }
}

/// Where one text differs from the current one.
struct Compared {
    /// Bytes of the current text, and of the other.
    hunks: Vec<(Range<usize>, Range<usize>)>,
    taken: usize,
    /// The other's end of the last stretch, and the current one's.
    ends: (usize, usize),
}

impl Compared {
    fn new(other: &str, current: &str) -> Self {
        let hunks = hunks(other, current);
        let pairs = hunks
            .iter()
            .map(|hunk| (hunk.current_bytes(), hunk.base_bytes()));
        Self {
            hunks: pairs.collect(),
            taken: 0,
            ends: (0, 0),
        }
    }

    fn ranges(&self) -> impl Iterator<Item = Range<usize>> {
        self.hunks.iter().map(|(current, _)| current.clone())
    }

    /// The other text's bytes of a stretch of the current one, which cuts no hunk and lies behind the last.
    fn next(&mut self, stretch: &Range<usize>) -> Range<usize> {
        let start = self.ends.0 + (stretch.start - self.ends.1);
        let mut end = start + stretch.len();
        while let Some((current, other)) = self.hunks.get(self.taken) {
            if current.end > stretch.end {
                break;
            }
            end = other.end + (stretch.end - current.end);
            self.taken += 1;
        }
        self.ends = (end, stretch.end);
        start..end
    }
}

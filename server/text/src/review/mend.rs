//! Opening the list of regions for an operation and closing it again.
//!
//! Closing is where the law of regions is kept, whatever the operation did: a region begins and ends between lines in both
//! texts, has equal text between it and its neighbours, and holds a difference.

use std::collections::VecDeque;
use std::ops::Range;

use ropey::Rope;

use super::Review;
use super::region::{Draft, Extent, Region, Taken};
use crate::rope;

/// What is needed to put the regions behind an operation in their place again.
pub(super) struct Opened {
    taken: Taken,
    base_bytes: usize,
    current_bytes: usize,
}

impl Opened {
    pub(super) fn drafts(&mut self) -> Vec<Draft> {
        std::mem::take(&mut self.taken.drafts)
    }
}

impl Review {
    /// Takes out the regions behind the cursor that an operation is about. The texts may then be changed between the
    /// cursor and the first region that was not taken.
    pub(super) fn open(&mut self, is_touched: impl Fn(&Draft) -> bool) -> Opened {
        Opened {
            taken: self.regions.take_while(is_touched),
            base_bytes: self.base.len_bytes(),
            current_bytes: self.current.len_bytes(),
        }
    }

    /// Puts the drafts in the place of what was taken out.
    pub(super) fn close(&mut self, mut opened: Opened, drafts: Vec<Draft>) {
        let mut todo = VecDeque::from(drafts);
        self.join_neighbours(&mut opened, &mut todo);
        while let Some(mut draft) = todo.pop_front() {
            if self.touches_before(&draft)
                && let Some(previous) = self.regions.take_before()
            {
                todo.push_front(self.joined(previous, draft));
                continue;
            }
            if self.grow_start(&mut draft) || self.grow_end(&mut draft, &opened, &todo) {
                todo.push_front(draft);
                continue;
            }
            if draft.current.end >= self.limit(&opened, &todo)
                && let Some(next) = self.pop_next(&mut opened, &mut todo)
            {
                todo.push_front(self.joined(draft, next));
                continue;
            }
            if let Some(draft) = self.tidied(draft) {
                self.push(draft);
            }
        }
        if let Some(next) = self.next(&opened) {
            let gap = self.gap_to(next.current.start);
            self.regions.set_gap(gap);
        }
    }

    /// An edit between two regions can take away what kept them apart.
    fn join_neighbours(&mut self, opened: &mut Opened, todo: &mut VecDeque<Draft>) {
        let next_start = self.next(opened).map(|next| next.current.start);
        let touch = self.regions.has_before() && next_start == Some(self.regions.at().current);
        if !touch {
            return;
        }
        self.revision += 1;
        if let Some(next) = self.take_next(opened) {
            todo.push_back(next);
        }
    }

    fn push(&mut self, draft: Draft) {
        let lines = |text: &Rope, range: &Range<usize>| {
            rope::lines_before(text, range.end) - rope::lines_before(text, range.start)
        };
        let region = Region {
            gap: self.gap_to(draft.current.start),
            base: Extent {
                bytes: draft.base.len(),
                lines: lines(&self.base, &draft.base),
            },
            current: Extent {
                bytes: draft.current.len(),
                lines: lines(&self.current, &draft.current),
            },
            agent: draft.agent,
            theirs: draft.theirs,
            id: draft.id,
            origin: draft.origin,
        };
        self.regions.push(region);
    }

    fn gap_to(&self, start: usize) -> Extent {
        let at = self.regions.at();
        Extent {
            bytes: start - at.current,
            lines: rope::lines_before(&self.current, start) - at.current_line,
        }
    }

    /// The first region that was not taken, where it is now.
    fn next(&self, opened: &Opened) -> Option<Draft> {
        let mut draft = self.regions.next_of(&opened.taken)?;
        let moved = |range: &Range<usize>, then: usize, now: usize| {
            range.start + now - then..range.end + now - then
        };
        draft.base = moved(&draft.base, opened.base_bytes, self.base.len_bytes());
        draft.current = moved(
            &draft.current,
            opened.current_bytes,
            self.current.len_bytes(),
        );
        Some(draft)
    }

    fn take_next(&mut self, opened: &mut Opened) -> Option<Draft> {
        let next = self.next(opened)?;
        self.regions.take_next(&mut opened.taken);
        Some(next)
    }

    fn pop_next(&mut self, opened: &mut Opened, todo: &mut VecDeque<Draft>) -> Option<Draft> {
        todo.pop_front().or_else(|| self.take_next(opened))
    }

    /// Where the next region begins in the current text, or the text ends.
    fn limit(&self, opened: &Opened, todo: &VecDeque<Draft>) -> usize {
        if let Some(next) = todo.front() {
            return next.current.start;
        }
        let next = self.next(opened);
        next.map_or(self.current.len_bytes(), |next| next.current.start)
    }

    fn touches_before(&self, draft: &Draft) -> bool {
        self.regions.has_before() && draft.current.start <= self.regions.at().current
    }

    fn starts_well(&self, draft: &Draft) -> bool {
        rope::is_line_start(rope::around(&self.base, draft.base.start))
            && rope::is_line_start(rope::around(&self.current, draft.current.start))
    }

    fn ends_well(&self, draft: &Draft) -> bool {
        if draft.current.end == self.current.len_bytes() && draft.base.end == self.base.len_bytes()
        {
            return true;
        }
        rope::is_line_start(rope::around(&self.base, draft.base.end))
            && rope::is_line_start(rope::around(&self.current, draft.current.end))
    }

    /// Takes in the rest of the line before the draft, when it does not begin with a line.
    fn grow_start(&self, draft: &mut Draft) -> bool {
        let at = self.regions.at().current;
        if self.starts_well(draft) || draft.current.start <= at {
            return false;
        }
        let start = rope::line_before(&self.current, draft.current.start).max(at);
        let by = draft.current.start - start;
        let taken_in = self.current_text(start..draft.current.start);
        draft.current.start -= by;
        draft.base.start -= by;
        for side in [&mut draft.agent, &mut draft.theirs].into_iter().flatten() {
            side.insert(0, &taken_in);
        }
        true
    }

    fn grow_end(&self, draft: &mut Draft, opened: &Opened, todo: &VecDeque<Draft>) -> bool {
        let limit = self.limit(opened, todo);
        if self.ends_well(draft) || draft.current.end >= limit {
            return false;
        }
        let end = rope::line_after(&self.current, draft.current.end).min(limit);
        let taken_in = self.current_text(draft.current.end..end);
        draft.base.end += end - draft.current.end;
        draft.current.end = end;
        for side in [&mut draft.agent, &mut draft.theirs].into_iter().flatten() {
            side.insert(side.len_chars(), &taken_in);
        }
        true
    }

    /// One draft of two, with the equal text between them.
    fn joined(&self, first: Draft, second: Draft) -> Draft {
        let between = first.current.end..second.current.start.max(first.current.end);
        let joined_side = |one: &Option<Rope>, other: &Option<Rope>| {
            if one.is_none() && other.is_none() {
                return None;
            }
            let own = |side: &Option<Rope>, range: &Range<usize>| match side {
                Some(text) => text.clone(),
                None => rope::part(&self.current, range.clone()),
            };
            let mut text = own(one, &first.current);
            text.append(rope::part(&self.current, between.clone()));
            text.append(own(other, &second.current));
            Some(text)
        };
        Draft {
            agent: joined_side(&first.agent, &second.agent),
            theirs: joined_side(&first.theirs, &second.theirs),
            base: first.base.start..second.base.end,
            current: first.current.start..second.current.end,
            id: first.id,
            origin: first.origin.max(second.origin),
        }
    }

    /// The draft without what says nothing; nothing when that is all of it.
    fn tidied(&self, mut draft: Draft) -> Option<Draft> {
        let current = rope::slice(&self.current, draft.current.clone());
        let is_same = rope::slice(&self.base, draft.base.clone()) == current;
        draft.theirs = draft.theirs.filter(|text| *text != current);
        // A person who undid what the agent wrote has decided.
        draft.agent = draft.agent.filter(|text| !is_same && *text != current);
        if is_same && draft.theirs.is_none() {
            return None;
        }
        self.trim(&mut draft);
        Some(draft)
    }
}

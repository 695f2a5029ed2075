//! What a person does to the text, and whatever else changed it that was not the agent.

use std::ops::Range;

use ropey::Rope;

use super::Review;
use super::region::Draft;
use crate::{Splice, rope};

impl Review {
    /// A person replaced these bytes of the current text.
    pub fn splice(&mut self, range: Range<usize>, text: &str) {
        let end = rope::floor(&self.current, range.end);
        let range = rope::floor(&self.current, range.start).min(end)..end;
        if self.is_coarse(&range, text) {
            self.splice_by_line(&range, text);
        } else {
            self.splice_one(&range, text);
        }
    }

    /// The file became this, in one step: it was written from outside, or an editor sent the whole text.
    pub fn absorb(&mut self, text: &str) {
        if self.current == text {
            return;
        }
        for splice in Splice::between(&self.current.to_string(), text)
            .iter()
            .rev()
        {
            self.splice_one(&splice.range, &splice.text);
        }
    }

    /// A formatter replaces a whole text to change three lines of it. The hunks between should not notice.
    fn is_coarse(&mut self, range: &Range<usize>, text: &str) -> bool {
        let breaks = |byte: &u8| matches!(byte, b'\n' | b'\r');
        if range.is_empty() || !text.as_bytes().iter().any(breaks) {
            return false;
        }
        self.regions.seek(|draft| draft.current.end < range.start);
        let touched = self.regions.first_after();
        touched.is_some_and(|draft| draft.current.start <= range.end)
    }

    fn splice_by_line(&mut self, range: &Range<usize>, text: &str) {
        let start = rope::line_before(&self.current, range.start + 1).min(range.start);
        let end = rope::line_after(&self.current, range.end);
        let before = self.current_text(start..end);
        let head = self.current_text(start..range.start);
        let tail = self.current_text(range.end..end);
        let after = [&head, text, &tail].concat();
        for splice in Splice::between(&before, &after).iter().rev() {
            let range = splice.range.start + start..splice.range.end + start;
            self.splice_one(&range, &splice.text);
        }
    }

    fn splice_one(&mut self, range: &Range<usize>, text: &str) {
        if range.is_empty() && text.is_empty() {
            return;
        }
        let edit = PersonEdit::new(self, range, text);
        self.regions.seek(|draft| edit.leaves_before(draft));
        let mut opened = self.open(|draft| !edit.leaves_behind(draft));
        drop(edit);
        let taken = opened.drafts();

        let (Some(first), Some(last)) = (taken.first(), taken.last()) else {
            // Nobody's but the person's: as if it had always been so.
            let base = self.base_offset(range.start);
            rope::replace(&mut self.base, base..base + range.len(), text);
            rope::replace(&mut self.current, range.clone(), text);
            self.close(opened, Vec::new());
            return;
        };
        self.revision += 1;
        let window = first.current.start.min(range.start)..last.current.end.max(range.end);
        let before = first.current.start - window.start;
        let behind = window.end - last.current.end;
        let base = first.base.start - before..last.base.end + behind;
        let grown = |end: usize| end + text.len() - range.len();

        let is_only_wanted = taken.iter().all(|draft| self.is_only_wanted(draft));
        let has = |side: fn(&Draft) -> bool| taken.iter().any(side);
        let agent = (!is_only_wanted)
            .then(|| self.overlay(window.clone(), &taken, |draft| draft.agent.as_ref(), None));
        let theirs = has(|draft| draft.theirs.is_some())
            .then(|| self.overlay(window.clone(), &taken, |draft| draft.theirs.as_ref(), None));
        let base = if is_only_wanted {
            // Both texts are the same here, and the person's edit is nobody else's business.
            let start = base.start + (range.start - window.start);
            rope::replace(&mut self.base, start..start + range.len(), text);
            base.start..grown(base.end)
        } else {
            base
        };
        rope::replace(&mut self.current, range.clone(), text);
        let draft = Draft {
            base,
            current: window.start..grown(window.end),
            agent,
            theirs,
            id: first.id,
            origin: last.origin,
        };
        self.close(opened, vec![draft]);
    }

    /// Whether base and current are the same here, and the agent merely wants something else.
    pub(super) fn is_only_wanted(&self, draft: &Draft) -> bool {
        draft.theirs.is_some() && self.is_unchanged(&draft.base, &draft.current)
    }

    pub(super) fn is_unchanged(&self, base: &Range<usize>, current: &Range<usize>) -> bool {
        base.len() == current.len()
            && rope::slice(&self.base, base.clone()) == rope::slice(&self.current, current.clone())
    }
}

/// An edit, with the bytes that will stand at its two ends.
struct PersonEdit {
    base: Rope,
    current: Rope,
    range: Range<usize>,
    /// Behind whatever comes before the range.
    first: Option<u8>,
    /// Before whatever comes behind it.
    last: Option<u8>,
}

impl PersonEdit {
    fn new(review: &Review, range: &Range<usize>, text: &str) -> Self {
        let before = rope::around(&review.current, range.start).0;
        let behind = rope::around(&review.current, range.end).1;
        Self {
            base: review.base.clone(),
            current: review.current.clone(),
            range: range.clone(),
            first: text.as_bytes().first().copied().or(behind),
            last: text.as_bytes().last().copied().or(before),
        }
    }

    /// Whether a region lies before the edit and still ends with a line afterwards.
    fn leaves_before(&self, draft: &Draft) -> bool {
        if draft.current.end != self.range.start {
            return draft.current.end < self.range.start;
        }
        let ends = |text, end| rope::is_line_start((rope::around(text, end).0, self.first));
        ends(&self.base, draft.base.end) && ends(&self.current, draft.current.end)
    }

    /// Whether a region lies behind the edit and still begins with a line afterwards.
    fn leaves_behind(&self, draft: &Draft) -> bool {
        if draft.current.start != self.range.end {
            return draft.current.start > self.range.end;
        }
        let begins = |text, start| rope::is_line_start((self.last, rope::around(text, start).1));
        begins(&self.base, draft.base.start) && begins(&self.current, draft.current.start)
    }
}

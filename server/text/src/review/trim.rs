//! Whole lines that all sides of a region have in common at its ends belong to the text around it.

use ropey::iter::Bytes;
use ropey::{Rope, RopeSlice};

use super::Review;
use super::region::Draft;
use crate::rope;

impl Review {
    pub(super) fn trim(&self, draft: &mut Draft) {
        let head = {
            let sides = self.sides(draft);
            common_head(&sides)
        };
        draft.base.start += head;
        draft.current.start += head;
        for side in [&mut draft.agent, &mut draft.theirs].into_iter().flatten() {
            rope::replace(side, 0..head, "");
        }
        let tail = {
            let sides = self.sides(draft);
            common_tail(&sides)
        };
        draft.base.end -= tail;
        draft.current.end -= tail;
        for side in [&mut draft.agent, &mut draft.theirs].into_iter().flatten() {
            let length = side.len_bytes();
            rope::replace(side, length - tail..length, "");
        }
    }

    fn sides<'a>(&'a self, draft: &'a Draft) -> Vec<RopeSlice<'a>> {
        let own = [&draft.agent, &draft.theirs].into_iter().flatten();
        let whole = |text: &'a Rope| text.slice(..);
        let mut sides = vec![
            rope::slice(&self.base, draft.base.clone()),
            rope::slice(&self.current, draft.current.clone()),
        ];
        sides.extend(own.map(whole));
        sides
    }
}

/// Bytes of whole lines that all sides begin with.
fn common_head(sides: &[RopeSlice<'_>]) -> usize {
    let Some((first, others)) = sides.split_first() else {
        return 0;
    };
    let equal_to = |other: &RopeSlice<'_>| {
        let pairs = first.bytes().zip(other.bytes());
        pairs.take_while(|(one, another)| one == another).count()
    };
    let mut head = others.iter().map(equal_to).min().unwrap_or_default();
    while head > 0 && !all_begin_line(sides, |_| head) {
        head = first.line_to_byte(first.byte_to_line(head - 1));
    }
    head
}

fn reversed<'a>(side: &RopeSlice<'a>) -> Bytes<'a> {
    side.bytes_at(side.len_bytes()).reversed()
}

/// Bytes of whole lines that all sides end with.
fn common_tail(sides: &[RopeSlice<'_>]) -> usize {
    let Some((first, others)) = sides.split_first() else {
        return 0;
    };
    let equal_to = |other: &RopeSlice<'_>| {
        let pairs = reversed(first).zip(reversed(other));
        pairs.take_while(|(one, another)| one == another).count()
    };
    let mut tail = others.iter().map(equal_to).min().unwrap_or_default();
    let length = first.len_bytes();
    while tail > 0 && !all_begin_line(sides, |side| side.len_bytes() - tail) {
        let next = first.byte_to_line(length - tail) + 1;
        let start = if next < first.len_lines() {
            first.line_to_byte(next)
        } else {
            length
        };
        tail = length - start;
    }
    tail
}

fn all_begin_line(sides: &[RopeSlice<'_>], place: impl Fn(&RopeSlice<'_>) -> usize) -> bool {
    sides.iter().all(|side| {
        let offset = place(side);
        let before = offset.checked_sub(1).and_then(|at| side.get_byte(at));
        rope::is_line_start((before, side.get_byte(offset)))
    })
}

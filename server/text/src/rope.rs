//! Ropes by byte offset, and where their lines begin. No offset makes these panic: one beyond the text means its end,
//! and one inside a character means the character's start.

use std::ops::Range;

use ropey::{Rope, RopeSlice};

/// The nearest offset at or before this one that does not split a character.
pub(crate) fn floor(rope: &Rope, offset: usize) -> usize {
    rope.char_to_byte(char_at(rope, offset))
}

pub(crate) fn slice(rope: &Rope, range: Range<usize>) -> RopeSlice<'_> {
    let start = char_at(rope, range.start);
    let end = char_at(rope, range.end).max(start);
    rope.slice(start..end)
}

/// A rope of its own, which shares what it can.
pub(crate) fn part(rope: &Rope, range: Range<usize>) -> Rope {
    Rope::from(slice(rope, range))
}

pub(crate) fn replace(rope: &mut Rope, range: Range<usize>, text: &str) {
    let start = char_at(rope, range.start);
    let end = char_at(rope, range.end).max(start);
    if start < end {
        rope.remove(start..end);
    }
    if !text.is_empty() {
        rope.insert(start, text);
    }
}

/// The byte before an offset, and the one at it.
pub(crate) fn around(rope: &Rope, offset: usize) -> (Option<u8>, Option<u8>) {
    let before = offset.checked_sub(1).and_then(|at| rope.get_byte(at));
    (before, rope.get_byte(offset))
}

/// Whether a line begins between these two bytes.
pub(crate) fn is_line_start(around: (Option<u8>, Option<u8>)) -> bool {
    match around {
        (None | Some(b'\n'), _) => true,
        (Some(b'\r'), after) => after != Some(b'\n'),
        (Some(_), _) => false,
    }
}

/// Where the line begins that the byte before the offset belongs to.
pub(crate) fn line_before(rope: &Rope, offset: usize) -> usize {
    let inside = offset.min(rope.len_bytes()).saturating_sub(1);
    rope.line_to_byte(rope.byte_to_line(inside))
}

/// Where the line ends that the byte at the offset belongs to.
pub(crate) fn line_after(rope: &Rope, offset: usize) -> usize {
    let inside = offset.min(rope.len_bytes());
    let next = rope.byte_to_line(inside) + 1;
    if next < rope.len_lines() {
        rope.line_to_byte(next)
    } else {
        rope.len_bytes()
    }
}

/// How many lines begin before an offset that is itself the start of a line, or the end of the text.
pub(crate) fn lines_before(rope: &Rope, offset: usize) -> usize {
    let line = rope.byte_to_line(offset.min(rope.len_bytes()));
    line + usize::from(!is_line_start(around(rope, offset)))
}

fn char_at(rope: &Rope, offset: usize) -> usize {
    rope.byte_to_char(offset.min(rope.len_bytes()))
}

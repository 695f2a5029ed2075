//! Line diff of two texts: the hunks, the words that changed inside them, and the text that results from
//! keeping some of them.
//!
//! A line includes its terminator (LF, CRLF or CR, as the language server protocol counts them), so a changed
//! line ending and a missing final newline are differences like any other, and no byte outside a hunk can
//! change. The result depends on nothing but the two texts: there is no deadline, because a hunk is named by its
//! index and the same texts must always give the same hunks.

mod words;

#[cfg(test)]
mod tests;

use std::ops::Range;

use similar::algorithms::{Capture, Compact, Replace, histogram};
use similar::{DiffOp, DiffTag, DiffableStr};

pub use words::WordChanges;

/// One run of lines that differs. Neighbouring hunks have at least one equal line between them.
///
/// Holds ranges, not text: the two texts it was made from stay the only copies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hunk {
    base_lines: Range<usize>,
    current_lines: Range<usize>,
    base_bytes: Range<usize>,
    current_bytes: Range<usize>,
}

impl Hunk {
    /// The lines of the base that this hunk replaces: half-open, counted from 0, empty for an insertion.
    pub fn base_lines(&self) -> Range<usize> {
        self.base_lines.clone()
    }

    /// The lines of the current text that replace them: empty for a deletion.
    pub fn current_lines(&self) -> Range<usize> {
        self.current_lines.clone()
    }

    /// The same lines of the base, as bytes.
    pub fn base_bytes(&self) -> Range<usize> {
        self.base_bytes.clone()
    }

    /// The same lines of the current text, as bytes.
    pub fn current_bytes(&self) -> Range<usize> {
        self.current_bytes.clone()
    }

    /// The text that goes. `base` is the text the hunk was made from; any other text gives an arbitrary slice.
    pub fn base_text<'text>(&self, base: &'text str) -> &'text str {
        base.get(self.base_bytes()).unwrap_or_default()
    }

    /// The text that comes. `current` is the text the hunk was made from.
    pub fn current_text<'text>(&self, current: &'text str) -> &'text str {
        current.get(self.current_bytes()).unwrap_or_default()
    }

    /// The words that changed inside this hunk, for marking them within their lines.
    pub fn word_changes(&self, base: &str, current: &str) -> WordChanges {
        words::compare(
            self.base_text(base),
            self.base_bytes.start,
            self.current_text(current),
            self.current_bytes.start,
        )
    }
}

/// What a person decided about one hunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    Keep,
    Reject,
}

/// The hunks that turn `base` into `current`, in order.
pub fn hunks(base: &str, current: &str) -> Vec<Hunk> {
    let base = lines(base);
    let current = lines(current);
    let operations = operations(&base, &current);
    let mut base_side = Side::new(base);
    let mut current_side = Side::new(current);
    let mut found: Vec<Hunk> = Vec::new();
    let mut touches_previous = false;
    for op in operations {
        let (tag, base_range, current_range) = op.as_tag_tuple();
        let base_bytes = base_side.advance(base_range.len());
        let current_bytes = current_side.advance(current_range.len());
        if tag == DiffTag::Equal {
            touches_previous = touches_previous && base_range.is_empty();
            continue;
        }
        match found.last_mut() {
            // The differ is free to say "delete, then insert" where it means "replace".
            Some(previous) if touches_previous => {
                previous.base_lines.end = base_range.end;
                previous.current_lines.end = current_range.end;
                previous.base_bytes.end = base_bytes.end;
                previous.current_bytes.end = current_bytes.end;
            }
            _ => found.push(Hunk {
                base_lines: base_range,
                current_lines: current_range,
                base_bytes,
                current_bytes,
            }),
        }
        touches_previous = true;
    }
    found
}

/// `base` with exactly the kept hunks of `hunks(base, current)` applied.
///
/// A hunk without a decision counts as rejected: nothing that nobody looked at gets into a file.
pub fn keep_only(base: &str, current: &str, decisions: &[Decision]) -> String {
    let mut text = String::with_capacity(base.len().max(current.len()));
    let mut copied_to = 0;
    for (hunk, decision) in hunks(base, current).iter().zip(decisions) {
        match decision {
            Decision::Reject => {}
            Decision::Keep => {
                let untouched = base.get(copied_to..hunk.base_bytes.start);
                text.push_str(untouched.unwrap_or_default());
                text.push_str(hunk.current_text(current));
                copied_to = hunk.base_bytes.end;
            }
        }
    }
    text.push_str(base.get(copied_to..).unwrap_or_default());
    text
}

/// The lines of a text with their terminators: the lines that the ranges of a [`Hunk`] count.
pub fn lines(text: &str) -> Vec<&str> {
    text.tokenize_lines()
}

/// Histogram anchors on rare lines, which keeps a moved brace from tearing a function apart. It is called directly:
/// where an algorithm is named by a value, all six of them are compiled in.
fn operations(base: &[&str], current: &[&str]) -> Vec<DiffOp> {
    let mut found = Compact::new(Replace::new(Capture::new()), base, current);
    let Ok(()) = histogram::diff(&mut found, base, 0..base.len(), current, 0..current.len());
    found.into_inner().into_inner().into_ops()
}

/// Walks one text line by line in step with the diff, to turn line counts into byte ranges.
struct Side<'text> {
    lines: std::vec::IntoIter<&'text str>,
    offset: usize,
}

impl<'text> Side<'text> {
    fn new(lines: Vec<&'text str>) -> Self {
        Self {
            lines: lines.into_iter(),
            offset: 0,
        }
    }

    /// The bytes of the next `count` lines.
    fn advance(&mut self, count: usize) -> Range<usize> {
        let start = self.offset;
        self.offset += self.lines.by_ref().take(count).map(str::len).sum::<usize>();
        start..self.offset
    }
}

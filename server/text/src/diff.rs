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

use imara_diff::{Algorithm, Diff, InternedInput, TokenSource};
use memchr::memchr2_iter;

pub use words::WordChanges;

/// Up to so many lines of both texts together, rare lines are looked for to hold on to, which keeps a moved brace from
/// tearing a function apart. The time for that grows with the lines times the hunks.
const MOST_LINES_FOR_HISTOGRAM: usize = 8_000;

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
    let (base_lines, current_lines) = (lines(base), lines(current));
    let algorithm = if base_lines.len() + current_lines.len() > MOST_LINES_FOR_HISTOGRAM {
        Algorithm::Myers
    } else {
        Algorithm::Histogram
    };
    let input = InternedInput::new(Tokens(&base_lines), Tokens(&current_lines));
    let mut diff = Diff::compute(algorithm, &input);
    diff.postprocess_lines(&input);
    let mut base_side = Side::new(&base_lines);
    let mut current_side = Side::new(&current_lines);
    let ranges = |hunk: imara_diff::Hunk| Hunk {
        base_lines: usize_range(&hunk.before),
        current_lines: usize_range(&hunk.after),
        base_bytes: base_side.bytes(&usize_range(&hunk.before)),
        current_bytes: current_side.bytes(&usize_range(&hunk.after)),
    };
    diff.hunks().map(ranges).collect()
}

fn usize_range(range: &Range<u32>) -> Range<usize> {
    range.start as usize..range.end as usize
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
    let bytes = text.as_bytes();
    let mut lines = Vec::new();
    let mut start = 0;
    for at in memchr2_iter(b'\r', b'\n', bytes) {
        // The carriage return of a pair ends nothing.
        if bytes.get(at) == Some(&b'\n') || bytes.get(at + 1) != Some(&b'\n') {
            lines.extend(text.get(start..=at));
            start = at + 1;
        }
    }
    lines.extend(text.get(start..).filter(|rest| !rest.is_empty()));
    lines
}

/// Lines that are split already, as the differ takes them.
struct Tokens<'lines, 'text>(&'lines [&'text str]);

impl<'lines, 'text> TokenSource for Tokens<'lines, 'text> {
    type Token = &'text str;
    type Tokenizer = std::iter::Copied<std::slice::Iter<'lines, &'text str>>;

    fn tokenize(&self) -> Self::Tokenizer {
        self.0.iter().copied()
    }

    fn estimate_tokens(&self) -> u32 {
        u32::try_from(self.0.len()).unwrap_or(u32::MAX)
    }
}

/// Walks one text line by line in step with the diff, to turn line counts into byte ranges.
struct Side<'lines, 'text> {
    lines: &'lines [&'text str],
    line: usize,
    offset: usize,
}

impl<'lines, 'text> Side<'lines, 'text> {
    fn new(lines: &'lines [&'text str]) -> Self {
        Self {
            lines,
            line: 0,
            offset: 0,
        }
    }

    /// The bytes of some lines, which lie behind those that were asked for before.
    fn bytes(&mut self, lines: &Range<usize>) -> Range<usize> {
        let start = self.advance(lines.start);
        start..self.advance(lines.end)
    }

    fn advance(&mut self, to: usize) -> usize {
        let passed = self.lines.get(self.line..to).unwrap_or_default();
        self.offset += passed.iter().map(|line| line.len()).sum::<usize>();
        self.line = to;
        self.offset
    }
}

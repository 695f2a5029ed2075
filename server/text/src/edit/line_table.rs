//! The lines of a text as it is seen, for the strategies that go by lines.

use std::ops::{Range, RangeInclusive};

use memchr::memchr_iter;

use super::Spot;
use super::indent::{indent_of, reindented};

/// Where the lines of a text start. A line feed at the end of the text starts no line.
pub(super) struct LineTable<'text> {
    text: &'text str,
    starts: Vec<usize>,
}

impl<'text> LineTable<'text> {
    pub(super) fn new(text: &'text str) -> Self {
        let after_feeds = memchr_iter(b'\n', text.as_bytes()).map(|at| at + 1);
        let mut starts: Vec<usize> = std::iter::once(0).chain(after_feeds).collect();
        if starts.last() == Some(&text.len()) {
            starts.pop();
        }
        Self { text, starts }
    }

    pub(super) fn text(&self) -> &'text str {
        self.text
    }

    pub(super) fn len(&self) -> usize {
        self.starts.len()
    }

    pub(super) fn starts(&self) -> &[usize] {
        &self.starts
    }

    /// A line without its line feed.
    pub(super) fn line(&self, index: usize) -> &'text str {
        let line = self.text.get(self.bytes(index..index + 1));
        let line = line.unwrap_or_default();
        line.strip_suffix('\n').unwrap_or(line)
    }

    /// Lines without their line feeds.
    pub(super) fn window(&self, lines: Range<usize>) -> impl Iterator<Item = &'text str> {
        lines.map(|index| self.line(index))
    }

    /// The bytes of some lines, with their line feeds.
    pub(super) fn bytes(&self, lines: Range<usize>) -> Range<usize> {
        let start = |index| self.starts.get(index).copied().unwrap_or(self.text.len());
        start(lines.start)..start(lines.end)
    }

    /// Puts new text, in the indentation of the first line, in the place of whole lines.
    pub(super) fn spot(&self, lines: Range<usize>, new: &str) -> Spot {
        let indent = indent_of(self.line(lines.start));
        let range = self.bytes(lines);
        let mut new = reindented(new, indent);
        let ended = self.text.get(..range.end).unwrap_or_default();
        if !new.is_empty() && ended.ends_with('\n') && !new.ends_with('\n') {
            new.push('\n');
        }
        Spot { range, new }
    }
}

/// The lines of the text to find. A line feed at its end only says that the last line is whole.
pub(super) fn lines_to_find(old: &str) -> Vec<&str> {
    old.strip_suffix('\n').unwrap_or(old).split('\n').collect()
}

/// The lines, counted from 1, in which each spot lies.
pub(super) fn lines_of(text: &str, spots: &[Spot]) -> Vec<RangeInclusive<usize>> {
    let bytes = text.as_bytes();
    let (mut line, mut counted_to) = (1, 0);
    let mut line_at = |offset: usize| {
        let between = bytes.get(counted_to..offset).unwrap_or_default();
        line += memchr_iter(b'\n', between).count();
        counted_to = counted_to.max(offset);
        line
    };
    let places = spots.iter().map(|spot| {
        let first = line_at(spot.range.start);
        // A line feed belongs to the line it ends.
        let last = line_at(spot.range.end.saturating_sub(1).max(spot.range.start));
        first..=last
    });
    places.collect()
}

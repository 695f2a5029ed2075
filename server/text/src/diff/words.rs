//! The words that changed inside a hunk.

use std::ops::Range;

use similar::algorithms::{Capture, Compact, Replace, myers};
use similar::{DiffOp, DiffTag};

/// More words than this in one hunk are a rewrite: marking single words would cost time and show nothing.
const MOST_WORDS: usize = 4_000;

/// Below this share of equal words two texts are called unlike, and their lines are marked as a whole.
const LEAST_ALIKE: f32 = 0.4;

/// Byte ranges of the changed words, in the base and in the current text, in order and without overlap.
///
/// Both are empty when the two sides are too unlike for a comparison by words to help the reader.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WordChanges {
    pub removed: Vec<Range<usize>>,
    pub added: Vec<Range<usize>>,
}

pub(super) fn compare(
    base: &str,
    base_start: usize,
    current: &str,
    current_start: usize,
) -> WordChanges {
    let base_words = split(base);
    let current_words = split(current);
    if base_words.len() + current_words.len() > MOST_WORDS {
        return WordChanges::default();
    }
    let ops = operations(&base_words, &current_words);
    if similar::diff_ratio(&ops, base_words.len(), current_words.len()) < LEAST_ALIKE {
        return WordChanges::default();
    }
    let mut changes = WordChanges::default();
    let mut base_at = base_start;
    let mut current_at = current_start;
    for op in &ops {
        let (tag, base_range, current_range) = op.as_tag_tuple();
        let removed = base_at..base_at + byte_length(&base_words, base_range);
        let added = current_at..current_at + byte_length(&current_words, current_range);
        base_at = removed.end;
        current_at = added.end;
        if tag != DiffTag::Equal {
            push(&mut changes.removed, removed, base, base_start);
            push(&mut changes.added, added, current, current_start);
        }
    }
    changes
}

/// Called directly: by name, every algorithm of the crate would be compiled in.
fn operations(base: &[&str], current: &[&str]) -> Vec<DiffOp> {
    let mut found = Compact::new(Replace::new(Capture::new()), base, current);
    let Ok(()) = myers::diff(&mut found, base, 0..base.len(), current, 0..current.len());
    found.into_inner().into_inner().into_ops()
}

/// Adds a range, joined to the one before it when only blanks lie between: a marked phrase reads better
/// than marked words with gaps.
fn push(ranges: &mut Vec<Range<usize>>, range: Range<usize>, text: &str, text_start: usize) {
    if range.is_empty() {
        return;
    }
    if let Some(previous) = ranges.last_mut() {
        let between = text.get(previous.end - text_start..range.start - text_start);
        if between.is_some_and(|gap| gap.chars().all(|c| c == ' ' || c == '\t')) {
            previous.end = range.end;
            return;
        }
    }
    ranges.push(range);
}

fn byte_length(words: &[&str], range: Range<usize>) -> usize {
    words
        .get(range)
        .unwrap_or_default()
        .iter()
        .map(|word| word.len())
        .sum()
}

/// Identifiers and numbers stay whole, blanks stay together, every other character stands alone: `f(a)` and
/// `f(b)` then differ in one letter and not in everything.
fn split(text: &str) -> Vec<&str> {
    let mut words = Vec::new();
    let mut start = 0;
    let mut previous: Option<Class> = None;
    for (at, character) in text.char_indices() {
        let class = Class::of(character);
        if previous.is_some_and(|previous| previous != class || class == Class::Sign) {
            words.extend(text.get(start..at));
            start = at;
        }
        previous = Some(class);
    }
    words.extend(text.get(start..).filter(|rest| !rest.is_empty()));
    words
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Word,
    Blank,
    Sign,
}

impl Class {
    fn of(character: char) -> Self {
        if character.is_alphanumeric() || character == '_' {
            Self::Word
        } else if character == ' ' || character == '\t' {
            Self::Blank
        } else {
            Self::Sign
        }
    }
}

//! The text in a file that is most like the one that was not found.
//!
//! Looks at every line of the file once, cheaply, and closely at a handful of places.

use std::collections::{BTreeMap, HashMap};

use memchr::memmem;

use super::distance::within;
use super::error::EditError;
use super::line_table::{LineTable, lines_to_find};

/// The text most like the one that was not found.
#[derive(Clone, Debug, PartialEq)]
pub struct Nearest {
    /// Its first line, counted from 1.
    pub line: usize,
    /// The text, shortened when it is long.
    pub text: String,
    /// How much of it is the same, from 0 to 1, not counting blanks.
    pub similarity: f64,
    /// The first line that is not the same.
    pub difference: Option<Difference>,
}

/// A line that is not the same in the file and in the text to find.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The line in the file, counted from 1.
    pub line: usize,
    pub file: String,
    pub old: String,
}

/// Less than this is not worth showing.
const LEAST_SIMILARITY: f64 = 0.5;
/// How many places are compared closely.
const MOST_PLACES: usize = 16;
/// How many letters of them.
const MOST_LETTERS: usize = 1500;
/// How many lines of the text to find take part in finding places.
const MOST_LINES_TO_FIND: usize = 200;
/// Places one line can be at before it says nothing.
const MOST_VOTES: usize = 1000;
/// How much of a line is looked at to tell what it is like.
const MOST_SKETCHED: usize = 400;
/// How much is shown.
const MOST_LINES_SHOWN: usize = 12;
const MOST_LETTERS_SHOWN: usize = 200;

/// Tells what is nearest to `old`, and whether `new` is there already.
pub(super) fn no_occurrence(text: &str, old: &str, new: &str) -> EditError {
    let already_at = already_at(text, new);
    let nearest = if already_at.is_none() {
        nearest(text, old).map(Box::new)
    } else {
        None
    };
    EditError::NoOccurrence {
        nearest,
        already_at,
    }
}

/// Short texts are in any file, which says nothing about an edit.
fn already_at(text: &str, new: &str) -> Option<usize> {
    if new.trim().len() < 8 {
        return None;
    }
    let at = memmem::find(text.as_bytes(), new.as_bytes())?;
    let before = text.as_bytes().get(..at)?;
    Some(memchr::memchr_iter(b'\n', before).count() + 1)
}

fn nearest(text: &str, old: &str) -> Option<Nearest> {
    let wanted = lines_to_find(old);
    let table = LineTable::new(text);
    let mut places = places_by_equal_lines(&table, &wanted);
    if places.is_empty() {
        places = places_by_likeness(&table, &wanted);
    }
    let letters = letters(wanted.iter().copied());
    let mut best: Option<(usize, f64)> = None;
    for first in places {
        let window = first..(first + wanted.len()).min(table.len());
        let found = self::letters(table.window(window));
        let least = best.map_or(LEAST_SIMILARITY, |(_, similarity)| similarity);
        if let Some(similarity) = similarity(&letters, &found, least)
            && best.is_none_or(|(_, best)| similarity > best)
        {
            best = Some((first, similarity));
        }
    }
    let (first, similarity) = best?;
    let window = first..(first + wanted.len()).min(table.len());
    let pairs = window
        .clone()
        .zip(table.window(window.clone()))
        .zip(&wanted);
    let difference = pairs
        .filter(|((_, file), old)| file != *old)
        .map(|((index, file), old)| Difference {
            line: index + 1,
            file: shortened(file),
            old: shortened(old),
        })
        .next();
    Some(Nearest {
        line: first + 1,
        text: shown(&table, window),
        similarity,
        difference,
    })
}

/// Places at which lines are the same apart from blanks at their ends, those with most such text first.
fn places_by_equal_lines(table: &LineTable<'_>, wanted: &[&str]) -> Vec<usize> {
    let mut indices: HashMap<&str, Vec<usize>> = HashMap::new();
    for (index, line) in wanted.iter().take(MOST_LINES_TO_FIND).enumerate() {
        let line = line.trim();
        // A brace alone is in every file.
        if line.len() > 2 {
            indices.entry(line).or_default().push(index);
        }
    }
    if indices.is_empty() {
        return Vec::new();
    }
    let mut votes: BTreeMap<usize, usize> = BTreeMap::new();
    let mut uses: HashMap<&str, usize> = HashMap::new();
    for (at, line) in table.window(0..table.len()).enumerate() {
        let line = line.trim();
        let Some(offsets) = indices.get(line) else {
            continue;
        };
        let uses = uses.entry(line).or_default();
        *uses += 1;
        if *uses > MOST_VOTES {
            continue;
        }
        for offset in offsets {
            if let Some(first) = at.checked_sub(*offset) {
                *votes.entry(first).or_default() += line.len();
            }
        }
    }
    top(votes.into_iter().map(|(first, weight)| (weight, first)))
}

/// Places at which the longest line to find has a line like it, the most alike first.
fn places_by_likeness(table: &LineTable<'_>, wanted: &[&str]) -> Vec<usize> {
    let lines = wanted.iter().take(MOST_LINES_TO_FIND).enumerate();
    let Some((offset, anchor)) = lines.max_by_key(|(_, line)| line.trim().len()) else {
        return Vec::new();
    };
    let anchor = Sketch::of(anchor);
    let lines = table.window(0..table.len()).enumerate();
    top(lines.filter_map(|(at, line)| {
        let likeness = anchor.likeness(&Sketch::of(line));
        let first = at.checked_sub(offset)?;
        (likeness > 300).then_some((likeness, first))
    }))
}

/// The places with the greatest weights, of equal ones the earlier.
fn top(weighted: impl Iterator<Item = (usize, usize)>) -> Vec<usize> {
    let mut best: Vec<(usize, usize)> = Vec::with_capacity(2 * MOST_PLACES);
    let by_weight = |(weight, first): &(usize, usize)| (std::cmp::Reverse(*weight), *first);
    for place in weighted {
        best.push(place);
        if best.len() == 2 * MOST_PLACES {
            best.sort_unstable_by_key(by_weight);
            best.truncate(MOST_PLACES);
        }
    }
    best.sort_unstable_by_key(by_weight);
    best.truncate(MOST_PLACES);
    best.into_iter().map(|(_, first)| first).collect()
}

/// Which pairs of neighbouring bytes a line has, blanks left out: enough to tell whether two lines are alike.
struct Sketch([u64; 4]);

impl Sketch {
    fn of(line: &str) -> Self {
        let mut bits = [0_u64; 4];
        let mut before = 0_u8;
        for byte in line.bytes().take(MOST_SKETCHED) {
            if byte.is_ascii_whitespace() {
                continue;
            }
            let pair = (u32::from(before) << 8 | u32::from(byte)).wrapping_mul(0x9e37_79b1) >> 24;
            if let Some(word) = bits.get_mut((pair >> 6) as usize) {
                *word |= 1 << (pair & 63);
            }
            before = byte;
        }
        Self(bits)
    }

    /// From 0 to 1000.
    fn likeness(&self, other: &Self) -> usize {
        let mut shared = 0;
        let mut all = 0;
        for (own, others) in self.0.iter().zip(other.0) {
            shared += (own & others).count_ones() as usize;
            all += (own.count_ones() + others.count_ones()) as usize;
        }
        (2000 * shared).checked_div(all).unwrap_or(0)
    }
}

/// The letters without blanks.
fn letters<'a>(lines: impl Iterator<Item = &'a str>) -> Vec<char> {
    let letters = lines.flat_map(str::chars);
    letters
        .filter(|letter| !letter.is_whitespace())
        .take(MOST_LETTERS)
        .collect()
}

/// The share of letters that need not change, when it is at least `least`.
#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the lengths are small and positive"
)]
fn similarity(wanted: &[char], found: &[char], least: f64) -> Option<f64> {
    let longest = wanted.len().max(found.len());
    if longest == 0 {
        return None;
    }
    let limit = ((1.0 - least) * longest as f64).ceil() as usize;
    let distance = within(wanted, found, limit)?;
    let similarity = 1.0 - distance as f64 / longest as f64;
    (similarity >= least).then_some(similarity)
}

fn shown(table: &LineTable<'_>, window: std::ops::Range<usize>) -> String {
    let hidden = window.len().saturating_sub(MOST_LINES_SHOWN);
    let lines = table.window(window).take(MOST_LINES_SHOWN);
    let mut shown: Vec<String> = lines.map(shortened).collect();
    if hidden > 0 {
        shown.push(format!("... [{hidden} more lines]"));
    }
    shown.join("\n")
}

fn shortened(line: &str) -> String {
    match line.char_indices().nth(MOST_LETTERS_SHOWN) {
        Some((cut, _)) => format!("{}...", line.get(..cut).unwrap_or_default()),
        None => line.to_owned(),
    }
}

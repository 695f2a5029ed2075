//! Whole lines with a few letters wrong.

use std::collections::BTreeSet;

use super::Spot;
use super::distance::within;
use super::line_table::{LineTable, lines_to_find};

/// In a shorter text one wrong letter may be the whole difference.
const SHORTEST: usize = 10;
/// Lines times the square of the letters to find: more would take too long.
const MOST_WORK: u64 = 400_000_000;
/// One letter in this many may be wrong, or as many blanks as there are letters: a wrong blank counts as a tenth.
const LETTERS_PER_FAULT: usize = 10;

/// A window of lines and its faults in tenths of a letter.
struct Candidate {
    faults: usize,
    first: usize,
}

pub(super) fn find(table: &LineTable<'_>, old: &str, new: &str) -> Vec<Spot> {
    let wanted = Letters::of(lines_to_find(old).into_iter());
    let count = lines_to_find(old).len();
    let length = wanted.raw.len();
    let square = (length as u64).saturating_mul(length as u64);
    let work = square.saturating_mul(table.len() as u64);
    if length < SHORTEST || work > MOST_WORK || count > table.len() {
        return Vec::new();
    }
    let mut candidates = Vec::new();
    let dark = dark_letters_before(table);
    for first in 0..=table.len() - count {
        let window = first..first + count;
        let letters = dark.get(window.end).zip(dark.get(window.start));
        let letters = letters.map_or(0, |(end, start)| end - start);
        // The lengths alone rule out most windows, before anything of them is copied.
        if letters.abs_diff(wanted.dark.len()) > length / LETTERS_PER_FAULT {
            continue;
        }
        let found = Letters::of(table.window(window));
        if let Some(faults) = faults(&wanted, &found) {
            candidates.push(Candidate { faults, first });
        }
    }
    candidates.sort_by_key(|candidate| (candidate.faults, candidate.first));
    let mut chosen = BTreeSet::new();
    for Candidate { first, .. } in candidates {
        let overlapping = (first + 1).saturating_sub(count)..first + count;
        if chosen.range(overlapping).next().is_none() {
            chosen.insert(first);
        }
    }
    chosen
        .into_iter()
        .map(|first| table.spot(first..first + count, new))
        .collect()
}

/// How many letters that are not blank stand before each line, and in all.
fn dark_letters_before(table: &LineTable<'_>) -> Vec<usize> {
    let mut total = 0;
    let mut before = Vec::with_capacity(table.len() + 1);
    before.push(0);
    for line in table.window(0..table.len()) {
        total += line
            .chars()
            .filter(|letter| !letter.is_whitespace())
            .count();
        before.push(total);
    }
    before
}

/// Lines as letters: with their blanks, except at the end of a line, and without any.
struct Letters {
    raw: Vec<char>,
    dark: Vec<char>,
}

impl Letters {
    fn of<'a>(lines: impl Iterator<Item = &'a str>) -> Self {
        let mut raw = Vec::new();
        for (index, line) in lines.enumerate() {
            if index > 0 {
                raw.push('\n');
            }
            raw.extend(line.trim_end().chars());
        }
        let dark = raw.iter().copied();
        let dark = dark.filter(|letter| !letter.is_whitespace()).collect();
        Self { raw, dark }
    }
}

/// The faults in tenths of a letter: ten for each wrong letter and one for each wrong blank. Nothing when there are
/// too many.
fn faults(wanted: &Letters, found: &Letters) -> Option<usize> {
    let length = wanted.raw.len();
    // With `d` wrong letters and `r` wrong ones counting blanks, 10 d + (r - d) <= length must hold.
    let dark = within(&wanted.dark, &found.dark, length / LETTERS_PER_FAULT)?;
    let raw = within(&wanted.raw, &found.raw, length - 9 * dark)?;
    Some(9 * dark + raw)
}

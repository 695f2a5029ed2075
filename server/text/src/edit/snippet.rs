//! What an edit made of a text, to show it to a model again.

use std::ops::Range;

use crate::diff::{hunks, lines};
use crate::middle::Middle;

/// Lines shown before and after each changed region.
const CONTEXT: usize = 5;
/// How much is shown in all.
const MOST_LINES: usize = 400;
const MOST_LETTERS_OF_LINE: usize = 2000;
const GAP: &str = "...";

/// The changed regions of `after` with a few lines around each, and `...` where lines are left out.
pub fn snippet(before: &str, after: &str) -> String {
    let Middle {
        lines_before,
        before: old,
        after: new,
        ..
    } = Middle::of(before, after);
    let all = lines(after);
    let mut regions: Vec<Range<usize>> = Vec::new();
    for hunk in hunks(old, new) {
        let changed = hunk.current_lines();
        let start = (lines_before + changed.start).saturating_sub(CONTEXT);
        let end = (lines_before + changed.end + CONTEXT).min(all.len());
        match regions.last_mut() {
            Some(last) if last.end >= start => last.end = end,
            _ => regions.push(start..end),
        }
    }
    let mut text = String::new();
    let mut left = MOST_LINES;
    let mut shown_to = 0;
    for region in regions {
        if region.start > shown_to {
            line(&mut text, GAP);
        }
        let shown = region.start..region.end.min(region.start + left);
        left -= shown.len();
        shown_to = shown.end;
        for shown in all.get(shown).unwrap_or_default() {
            line(&mut text, shown.trim_end_matches(['\r', '\n']));
        }
        if left == 0 {
            break;
        }
    }
    if shown_to < all.len() {
        line(&mut text, GAP);
    }
    // The last line of the snippet is no statement about the end of the file.
    text.pop();
    text
}

fn line(text: &mut String, line: &str) {
    let cut = line.char_indices().nth(MOST_LETTERS_OF_LINE);
    match cut.and_then(|(cut, _)| line.get(..cut)) {
        Some(start) => text.extend([start, "... [truncated]\n"]),
        None => text.extend([line, "\n"]),
    }
}

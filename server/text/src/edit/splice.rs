//! Carries changes of the text as it is seen over to the real one.

use std::ops::Range;

use memchr::{memchr2, memrchr2};

use super::Spot;
use super::seen::{Endings, Seen};
use crate::diff::{hunks, lines};

/// Spots that touch become one, so that each has unchanged text around it.
pub(super) fn join_neighbours(spots: &mut Vec<Spot>) {
    spots.dedup_by(|next, previous| {
        let touches = previous.range.end == next.range.start;
        if touches {
            previous.range.end = next.range.end;
            previous.new.push_str(&next.new);
        }
        touches
    });
}

/// An edit neither adds nor removes the newline at the end of a file: models rarely mean to.
pub(super) fn keep_final_newline(text: &str, spots: &mut [Spot]) {
    let Some(last) = spots.last_mut().filter(|spot| spot.range.end == text.len()) else {
        return;
    };
    let kept = text.get(..last.range.start).unwrap_or_default();
    let end = if last.new.is_empty() { kept } else { &last.new };
    match (text.ends_with('\n'), end.ends_with('\n')) {
        (true, false) => last.new.push('\n'),
        // Nothing stands after the newline before the spot any more.
        (false, true) if last.new.is_empty() => last.range.start -= 1,
        (false, true) => {
            last.new.pop();
        }
        (true, true) | (false, false) => {}
    }
}

/// The real text with every spot changed. The spots are in order and do not overlap.
pub(super) fn spliced(real: &str, seen: &Seen<'_>, spots: &[Spot]) -> String {
    let added: usize = spots.iter().map(|spot| spot.new.len()).sum();
    let mut out = Output(String::with_capacity(real.len() + added));
    let mut copied_to = 0;
    for spot in spots {
        let range = seen.real_offset(spot.range.start)..seen.real_offset(spot.range.end);
        out.push(real.get(copied_to..range.start).unwrap_or_default());
        copied_to = range.end;
        match seen.endings() {
            Endings::Lf => out.push(&spot.new),
            Endings::CrLf => out.push(&spot.new.replace('\n', "\r\n")),
            Endings::Mixed => {
                let old = seen.text().get(spot.range.clone()).unwrap_or_default();
                region(&mut out, real, range, old, &spot.new);
            }
        }
    }
    out.push(real.get(copied_to..).unwrap_or_default());
    out.0
}

/// One changed region of a text whose lines end differently. Lines in it that stay keep their ending.
fn region(out: &mut Output, real: &str, range: Range<usize>, old: &str, new: &str) {
    let old_lines = lines(real.get(range.clone()).unwrap_or_default());
    let new_lines = lines(new);
    let around = Around {
        real,
        range,
        lines: &old_lines,
    };
    let mut copied_to = 0;
    for hunk in hunks(old, new) {
        let replaced = hunk.base_lines();
        out.extend(&old_lines, copied_to..replaced.start);
        let added = new_lines.get(hunk.current_lines()).unwrap_or_default();
        for (offset, line) in added.iter().enumerate() {
            match line.strip_suffix('\n') {
                Some(body) => {
                    out.push(body);
                    out.push(around.ending(replaced.start + offset));
                }
                None => out.push(line),
            }
        }
        copied_to = replaced.end;
    }
    out.extend(&old_lines, copied_to..old_lines.len());
}

struct Output(String);

impl Output {
    fn extend(&mut self, lines: &[&str], range: Range<usize>) {
        for line in lines.get(range).unwrap_or_default() {
            self.push(line);
        }
    }

    /// A piece never starts inside a line ending. A carriage return and a line feed that meet here are two
    /// endings, and have to stay two.
    fn push(&mut self, piece: &str) {
        if piece.starts_with('\n') && self.0.ends_with('\r') {
            self.0.push('\r');
        }
        self.0.push_str(piece);
    }
}

/// A region among the lines around it.
struct Around<'a> {
    real: &'a str,
    range: Range<usize>,
    lines: &'a [&'a str],
}

impl<'a> Around<'a> {
    /// The ending for a new line in place of the region's line `index`: that line's own, or that of the last line
    /// of the region, or of the nearest line before it, or of the nearest after it.
    fn ending(&self, index: usize) -> &'a str {
        let index = index.min(self.lines.len().saturating_sub(1));
        let own = self.lines.get(index).map(|line| ending_of(line));
        own.filter(|ending| !ending.is_empty())
            .or_else(|| self.ending_of_last_line())
            .or_else(|| self.ending_before())
            .or_else(|| self.ending_after())
            .unwrap_or("\n")
    }

    /// The region's last line may go on behind it.
    fn ending_of_last_line(&self) -> Option<&'a str> {
        let last = self.lines.last().map(|line| ending_of(line))?;
        if last.is_empty() {
            self.ending_after()
        } else {
            Some(last)
        }
    }

    fn ending_before(&self) -> Option<&'a str> {
        let before = self.real.get(..self.range.start)?;
        let at = memrchr2(b'\r', b'\n', before.as_bytes())?;
        Some(ending_of(before.get(..=at)?))
    }

    fn ending_after(&self) -> Option<&'a str> {
        let after = self.real.get(self.range.end..)?;
        let at = memchr2(b'\r', b'\n', after.as_bytes())?;
        let rest = after.get(at..)?;
        let length = if rest.starts_with("\r\n") { 2 } else { 1 };
        rest.get(..length)
    }
}

fn ending_of(line: &str) -> &str {
    let body = line
        .strip_suffix("\r\n")
        .or_else(|| line.strip_suffix(['\r', '\n']))
        .unwrap_or(line);
    line.get(body.len()..).unwrap_or_default()
}

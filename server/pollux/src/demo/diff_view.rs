//! One hunk as a unified diff, with the changed words marked.

#[cfg(test)]
mod tests;

use std::io::{self, Write};
use std::ops::Range;

use pollux_agent::api::{Hunk, Proposal};
use pollux_text::lines;

use crate::terminal::{Screen, Style};

/// Lines shown around a hunk.
const CONTEXT: usize = 3;

/// What there is to see of a proposed edit.
pub(super) struct Edit<'a> {
    path: String,
    base: &'a str,
    proposed: &'a str,
    hunks: &'a [Hunk],
}

impl<'a> From<&'a Proposal> for Edit<'a> {
    fn from(proposal: &'a Proposal) -> Self {
        Self {
            path: proposal.path.to_string(),
            base: &proposal.base,
            proposed: &proposal.proposed,
            hunks: &proposal.hunks,
        }
    }
}

/// Shows the hunk with the given index, with a heading that says where it is.
pub(super) fn show(
    screen: &mut Screen<impl Write>,
    edit: &Edit<'_>,
    index: usize,
) -> io::Result<()> {
    let Some(hunk) = edit.hunks.get(index) else {
        return Ok(());
    };
    let base = lines(edit.base);
    let around = surroundings(edit, index, base.len());
    let heading = format!(
        "@@ -{} +{} @@",
        span(&around, hunk.base_lines()),
        span(&around, hunk.current_lines())
    );
    let place = format!("  hunk {} of {}", index + 1, edit.hunks.len());
    screen.blank()?;
    screen.line(&[
        (Style::Bold, &edit.path),
        (Style::Dim, "  "),
        (Style::Code, &heading),
        (Style::Dim, &place),
    ])?;
    for line in part(&base, around.before) {
        unchanged(screen, line)?;
    }
    let words = hunk.word_changes(edit.base, edit.proposed);
    let endings = shows_endings(hunk, edit);
    side(
        screen,
        &REMOVED,
        hunk.base_text(edit.base),
        hunk.base_bytes().start,
        &words.removed,
        endings,
    )?;
    side(
        screen,
        &ADDED,
        hunk.current_text(edit.proposed),
        hunk.current_bytes().start,
        &words.added,
        endings,
    )?;
    for line in part(&base, around.after) {
        unchanged(screen, line)?;
    }
    Ok(())
}

fn unchanged(screen: &mut Screen<impl Write>, line: &str) -> io::Result<()> {
    match body(line) {
        // No blanks at the end of a line, for those who copy it.
        "" => screen.line(&[]),
        text => screen.line(&[(Style::Plain, " "), (Style::Plain, text)]),
    }
}

struct Side {
    sign: &'static str,
    line: Style,
    word: Style,
}

const REMOVED: Side = Side {
    sign: "-",
    line: Style::Removed,
    word: Style::RemovedWord,
};
const ADDED: Side = Side {
    sign: "+",
    line: Style::Added,
    word: Style::AddedWord,
};

/// Whether line endings are spelled out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Endings {
    Hidden,
    Shown,
}

/// The lines that go, or the lines that come. `start` is where `text` begins in the file.
fn side(
    screen: &mut Screen<impl Write>,
    side: &Side,
    text: &str,
    start: usize,
    words: &[Range<usize>],
    endings: Endings,
) -> io::Result<()> {
    let mut at = start;
    for line in lines(text) {
        let shown = body(line);
        let mut pieces = vec![(side.line, side.sign)];
        let mut from = 0;
        for word in words {
            // A marked phrase may begin above this line and end below it.
            let begin = word.start.saturating_sub(at).clamp(from, shown.len());
            let end = word.end.saturating_sub(at).clamp(begin, shown.len());
            pieces.push((side.line, shown.get(from..begin).unwrap_or_default()));
            pieces.push((side.word, shown.get(begin..end).unwrap_or_default()));
            from = end;
        }
        pieces.push((side.line, shown.get(from..).unwrap_or_default()));
        if endings == Endings::Shown {
            pieces.push((Style::Dim, ending_name(line)));
        }
        pieces.retain(|(_, text)| !text.is_empty());
        screen.line(&pieces)?;
        if shown.len() == line.len() && endings == Endings::Hidden {
            screen.line(&[(Style::Dim, "\\ no newline at the end of the file")])?;
        }
        at += line.len();
    }
    Ok(())
}

/// Endings are shown where they are part of what changes: then the lines may look alike and still differ.
fn shows_endings(hunk: &Hunk, edit: &Edit<'_>) -> Endings {
    let mut endings = lines(hunk.base_text(edit.base))
        .into_iter()
        .chain(lines(hunk.current_text(edit.proposed)))
        .map(ending_name)
        .filter(|name| *name != NO_ENDING);
    match endings.next() {
        Some(first) if endings.any(|other| other != first) => Endings::Shown,
        _ => Endings::Hidden,
    }
}

const NO_ENDING: &str = " (no newline)";

fn ending_name(line: &str) -> &'static str {
    match line.get(body(line).len()..) {
        Some("\n") => " (LF)",
        Some("\r\n") => " (CRLF)",
        Some("\r") => " (CR)",
        _ => NO_ENDING,
    }
}

fn body(line: &str) -> &str {
    line.trim_end_matches(['\r', '\n'])
}

/// The unchanged lines shown above and below a hunk, as lines of the base.
struct Surroundings {
    before: Range<usize>,
    after: Range<usize>,
}

fn surroundings(edit: &Edit<'_>, index: usize, total: usize) -> Surroundings {
    let edge = |index: Option<usize>| index.and_then(|index| edit.hunks.get(index));
    let own = edge(Some(index)).map_or(0..0, Hunk::base_lines);
    let above = edge(index.checked_sub(1)).map_or(0, |hunk| hunk.base_lines().end);
    let below = edge(Some(index + 1)).map_or(total, |hunk| hunk.base_lines().start);
    Surroundings {
        before: own.start.saturating_sub(CONTEXT).max(above)..own.start,
        after: own.end..(own.end + CONTEXT).min(below),
    }
}

/// First line and count, as unified diffs give them.
fn span(around: &Surroundings, changed: Range<usize>) -> String {
    let start = changed.start - around.before.len().min(changed.start);
    let count = around.before.len() + changed.len() + around.after.len();
    let first = if count == 0 { start } else { start + 1 };
    format!("{first},{count}")
}

fn part<'a>(lines: &'a [&'a str], range: Range<usize>) -> impl Iterator<Item = &'a str> {
    lines.get(range).unwrap_or_default().iter().copied()
}

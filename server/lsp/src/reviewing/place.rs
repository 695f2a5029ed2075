//! Where a reviewed file and its hunks are, in one client's words.

use std::ops::Range as Lines;
use std::path::Path;

use pollux_text::PositionEncoding;
use pollux_workspace::{DocumentKey, DoorId, HunkState, ShownHunk, Snapshot};

use crate::protocol::{Position, Range};
use crate::uri;

/// A file as one client names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Opened {
    pub(crate) uri: String,
    /// Missing when this client has not opened it.
    pub(crate) version: Option<i32>,
}

impl Opened {
    pub(crate) fn of(snapshot: &Snapshot, door: DoorId, key: &DocumentKey) -> Self {
        let view = snapshot
            .documents
            .get(key)
            .and_then(|document| document.seen_from(door))
            .filter(|view| view.door == door);
        match (view, key) {
            (Some(view), _) => Self {
                uri: view.uri.to_string(),
                version: Some(view.version),
            },
            (None, DocumentKey::File(path)) => Self {
                uri: uri::from_path(path),
                version: None,
            },
            (None, DocumentKey::Virtual(uri)) => Self {
                uri: uri.clone(),
                version: None,
            },
        }
    }
}

/// Lines as a range that ends where the line behind them starts. The same in every position encoding.
pub(crate) fn whole_lines(lines: &Lines<usize>) -> Range {
    let start_of = |line: usize| Position {
        line: u32::try_from(line).unwrap_or(u32::MAX),
        character: 0,
    };
    Range {
        start: start_of(lines.start),
        end: start_of(lines.end),
    }
}

/// What an editor underlines: up to the end of the last line, because many mark the whole line in which a range ends.
pub(super) fn underlined(hunk: &ShownHunk, encoding: PositionEncoding) -> Range {
    let mut range = whole_lines(&hunk.lines);
    if let Some(last) = hunk.lines.end.checked_sub(1)
        && last >= hunk.lines.start
    {
        let lines = pollux_text::lines(standing(hunk));
        let line = lines.last().copied().unwrap_or_default();
        let line = line.trim_end_matches(['\r', '\n']);
        range.end = Position {
            line: u32::try_from(last).unwrap_or(u32::MAX),
            character: u32::try_from(width(line, encoding)).unwrap_or(u32::MAX),
        };
    }
    range
}

/// The side of a hunk that is in the text now.
fn standing(hunk: &ShownHunk) -> &str {
    match hunk.state {
        HunkState::Pending | HunkState::Edited => &hunk.added,
        HunkState::Proposed | HunkState::Conflict => &hunk.removed,
    }
}

fn width(line: &str, encoding: PositionEncoding) -> usize {
    match encoding {
        PositionEncoding::Utf8 => line.len(),
        PositionEncoding::Utf16 => line.encode_utf16().count(),
        PositionEncoding::Utf32 => line.chars().count(),
    }
}

/// How many lines a text has; the last one may lack its line end.
pub(crate) fn line_count(text: &str) -> usize {
    pollux_text::lines(text).len()
}

/// A path as people write it, with the same separators everywhere.
pub(crate) fn shown_path(path: &Path) -> String {
    let text = path.to_string_lossy();
    match cfg!(windows) {
        true => text.replace('\\', "/"),
        false => text.into_owned(),
    }
}

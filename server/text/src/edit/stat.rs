//! How much of a change came from the model, and how much from the person who changed it again.

use crate::diff::{hunks, lines};

/// Lines and letters of one change.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Changes {
    pub added_lines: usize,
    pub removed_lines: usize,
    /// In UTF-16 units and without line endings, as the twin counts them.
    pub added_chars: usize,
    pub removed_chars: usize,
}

/// Who changed how much.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DiffStat {
    pub model: Changes,
    pub user: Changes,
}

/// Compares a text with what the model proposed, and that with what was written in the end.
pub fn diff_stat(old: &str, proposed: &str, written: &str) -> DiffStat {
    DiffStat {
        model: changes(old, proposed),
        user: changes(proposed, written),
    }
}

fn changes(before: &str, after: &str) -> Changes {
    let mut changes = Changes::default();
    for hunk in hunks(before, after) {
        let (removed, added) = (hunk.base_text(before), hunk.current_text(after));
        changes.removed_lines += hunk.base_lines().len();
        changes.added_lines += hunk.current_lines().len();
        changes.removed_chars += chars(removed);
        changes.added_chars += chars(added);
    }
    changes
}

fn chars(text: &str) -> usize {
    let bodies = lines(text).into_iter();
    let bodies = bodies.map(|line| line.trim_end_matches(['\r', '\n']));
    bodies.map(|body| body.encode_utf16().count()).sum()
}

//! What a hunk is called in a plain editor, and how the room's words become sentences.

use pollux_workspace::{HunkState, ShownHunk};

use super::place::line_count;

/// So much of a replaced text fits into a line of an editor.
const EXCERPT: usize = 60;

/// The message of a hunk's diagnostic.
pub(super) fn of(hunk: &ShownHunk) -> String {
    let (removed, added) = (line_count(&hunk.removed), line_count(&hunk.added));
    let was = || format!("was: {}", excerpt(&hunk.removed));
    match (hunk.state, removed, added) {
        (HunkState::Conflict, _, 0) => {
            "You changed lines here that Pollux wants to remove.".to_owned()
        }
        (HunkState::Conflict, ..) => format!(
            "You and Pollux changed the same lines (Pollux wants: {}).",
            excerpt(&hunk.added)
        ),
        (HunkState::Proposed, 0, _) => format!(
            "Pollux wants to add {} here: {}",
            lines(added),
            excerpt(&hunk.added)
        ),
        (HunkState::Proposed, _, 0) => format!("Pollux wants to remove {}.", lines(removed)),
        (HunkState::Proposed, ..) => format!(
            "Pollux wants to change {} (to: {}).",
            lines(removed),
            excerpt(&hunk.added)
        ),
        // An empty file, of which there is nothing else to say.
        (HunkState::Pending, 0, 0) => "Pollux made this file or removed it.".to_owned(),
        (HunkState::Pending, 0, _) => format!("Pollux added {}.", lines(added)),
        (HunkState::Pending, _, 0) => format!("Pollux removed {} ({}).", lines(removed), was()),
        (HunkState::Pending, ..) => format!("Pollux changed {} ({}).", lines(removed), was()),
        (HunkState::Edited, 0, _) => {
            format!(
                "Pollux added {}, and you edited {}.",
                lines(added),
                it(added)
            )
        }
        (HunkState::Edited, ..) => format!(
            "Pollux changed {}, and you edited {} ({}).",
            lines(removed),
            it(removed),
            was()
        ),
    }
}

pub(crate) fn lines(count: usize) -> String {
    match count {
        1 => "1 line".to_owned(),
        count => format!("{count} lines"),
    }
}

fn it(count: usize) -> &'static str {
    match count {
        1 => "it",
        _ => "them",
    }
}

/// The first line that says something, cut short.
fn excerpt(text: &str) -> String {
    let mut lines = text.lines().filter(|line| !line.trim().is_empty());
    let first = lines.next().unwrap_or_default().trim();
    let mut characters = first.chars();
    let mut short: String = characters.by_ref().take(EXCERPT).collect();
    if characters.next().is_some() || lines.next().is_some() {
        short.push('…');
    }
    short
}

/// Words of the room as a sentence.
pub(crate) fn sentence(words: &str) -> String {
    let mut sentence = capitalised(words);
    if !sentence.ends_with(['.', '!', '?', '…']) {
        sentence.push('.');
    }
    sentence
}

pub(crate) fn capitalised(words: &str) -> String {
    let mut characters = words.chars();
    match characters.next() {
        Some(first) => first.to_uppercase().chain(characters).collect(),
        None => String::new(),
    }
}

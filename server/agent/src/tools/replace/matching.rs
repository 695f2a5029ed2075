//! Finds the text to replace, and puts the new text in its place without touching any other byte.
//!
//! A model sees every line end as a line feed, so it is looked for in that view; what is found is then spliced
//! line by line into the real text. A line that stays keeps its bytes, a line that is new takes the ending of
//! the line it replaces or follows.

use pollux_text::{hunks, lines};

use crate::tools::{ErrorKind, ToolError};

/// How many occurrences may be replaced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Occurrences {
    /// Exactly one, or it is an error.
    One,
    All,
}

/// `base` with `old` replaced by `new`.
pub(super) fn replaced(
    base: &str,
    old: &str,
    new: &str,
    occurrences: Occurrences,
) -> Result<String, ToolError> {
    if old.is_empty() {
        return Err(ToolError::new(
            ErrorKind::FileExists,
            "the file exists, and an empty old_string stands for a new file; send the text to replace",
        )
        .shown_as("the file exists already"));
    }
    let seen = normalised(base);
    let old = normalised(old);
    let count = seen.matches(&old).count();
    match occurrences {
        _ if count == 0 => return Err(ToolError::new(
                ErrorKind::NoOccurrence,
                "old_string does not occur in the file; read it again with read_file and copy the text exactly, \
                 blanks and indentation included",
            )
            .shown_as("the text to replace is not in the file")),
        Occurrences::One if count > 1 => return Err(ToolError::new(
                ErrorKind::OccurrenceMismatch,
                format!(
                    "old_string occurs {count} times; add lines around it until it is unique, or set \
                     allow_multiple"
                ),
            )
            .shown_as(format!("the text to replace is in the file {count} times"))),
        Occurrences::One | Occurrences::All => {}
    }
    let wanted = with_final_newline_of(&seen, seen.replace(&old, &normalised(new)));
    if wanted == seen {
        return Err(ToolError::new(
            ErrorKind::NoChange,
            "the file would stay as it is, because old_string and new_string come to the same text",
        )
        .shown_as("it would change nothing"));
    }
    Ok(spliced(base, &seen, &wanted))
}

/// The text with a line feed for every line ending. Has the same number of lines.
fn normalised(text: &str) -> String {
    let mut result = String::with_capacity(text.len());
    for line in lines(text) {
        let (body, ending) = split_ending(line);
        result.push_str(body);
        if !ending.is_empty() {
            result.push('\n');
        }
    }
    result
}

/// An edit neither adds nor removes the newline at the end of a file: models rarely mean to.
fn with_final_newline_of(before: &str, mut after: String) -> String {
    match (before.ends_with('\n'), after.ends_with('\n')) {
        (true, false) => after.push('\n'),
        (false, true) => {
            after.pop();
        }
        (true, true) | (false, false) => {}
    }
    after
}

/// Carries the difference between the two normalised texts over to the real one.
fn spliced(base: &str, seen: &str, wanted: &str) -> String {
    let base_lines = lines(base);
    let wanted_lines = lines(wanted);
    let mut result = String::with_capacity(base.len().max(wanted.len()));
    let mut copied_to = 0;
    for hunk in hunks(seen, wanted) {
        let replaced = hunk.base_lines();
        result.extend(part(&base_lines, copied_to..replaced.start));
        for (offset, line) in part(&wanted_lines, hunk.current_lines()).enumerate() {
            let (body, ending) = split_ending(line);
            result.push_str(body);
            if !ending.is_empty() {
                result.push_str(ending_near(&base_lines, replaced.start + offset));
            }
        }
        copied_to = replaced.end;
    }
    result.extend(part(&base_lines, copied_to..base_lines.len()));
    result
}

fn part<'a>(lines: &'a [&'a str], range: std::ops::Range<usize>) -> impl Iterator<Item = &'a str> {
    lines.get(range).unwrap_or_default().iter().copied()
}

/// The ending of a line, or of the nearest one before it that has one, or of the first line.
fn ending_near<'a>(lines: &[&'a str], index: usize) -> &'a str {
    let up_to = lines.get(..=index).unwrap_or(lines);
    let endings = up_to.iter().rev().chain(lines.first());
    endings
        .map(|line| split_ending(line).1)
        .find(|ending| !ending.is_empty())
        .unwrap_or("\n")
}

fn split_ending(line: &str) -> (&str, &str) {
    let body = line.trim_end_matches(['\r', '\n']);
    line.split_at(body.len())
}

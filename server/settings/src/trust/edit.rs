//! One entry of a JSON file changed, every other byte kept.
//!
//! Works on the text, because writing parsed values back would lose comments, order and layout that the
//! user chose.

use std::ops::Range;

use crate::json::{Document, Member};

/// The whole text of a file that holds one entry.
pub(super) fn new_text(key: &str, value: &str) -> String {
    format!("{{\n  {}\n}}\n", entry(key, value))
}

/// Gives `value` to every member that `is_meant` accepts, or adds an entry if there is none.
///
/// Several spellings of one folder may be listed, and the longest decides: changing only one of them
/// could leave the user's decision without effect.
pub(super) fn set(
    document: &Document,
    key: &str,
    value: &str,
    is_meant: impl Fn(&Member) -> bool,
) -> String {
    let members = document.members();
    let quoted = quote(value);
    let mut text = document.source.text.clone();
    let mut changed = false;
    // From the end, so that earlier spans stay valid.
    for member in members.iter().rev().filter(|member| is_meant(member)) {
        text.replace_range(member.value.clone(), &quoted);
        changed = true;
    }
    if changed {
        return text;
    }
    match members.last() {
        Some(last) => append(document, text, last, &entry(key, value)),
        None => fill(document, text, &entry(key, value)),
    }
}

/// Adds an entry behind the last one, on a line of its own if the last one has one.
fn append(document: &Document, mut text: String, last: &Member, entry: &str) -> String {
    let end = last.value.end;
    match line_break_after(document, end) {
        Some((at, line_break)) => {
            let indent = indent_of(&document.blanked.text, last.key.start);
            text.insert_str(at, &format!("{line_break}{indent}{entry}"));
            // A comment behind the last entry stays with it: only the comma goes between.
            text.insert(end, ',');
        }
        None => text.insert_str(end, &format!(", {entry}")),
    }
    text
}

/// Puts the first entry into an object that may hold comments, in front of its closing bracket.
fn fill(document: &Document, mut text: String, entry: &str) -> String {
    let blanked = &document.blanked.text;
    let Some(close) = blanked.rfind('}') else {
        return text;
    };
    let line_break = if blanked.contains("\r\n") {
        "\r\n"
    } else {
        "\n"
    };
    let before = blanked.get(..close).unwrap_or_default();
    let line_start = before.rfind('\n').map_or(0, |at| at + 1);
    let alone = line_start > 0
        && before
            .get(line_start..)
            .is_some_and(|s| s.trim().is_empty());
    if alone && !is_inside(&document.blanked.comments, line_start) {
        text.insert_str(line_start, &format!("  {entry}{line_break}"));
    } else {
        text.insert_str(close, &format!("{line_break}  {entry}{line_break}"));
    }
    text
}

/// The first line break behind `from` that is not part of a comment, if it comes before the object ends.
fn line_break_after(document: &Document, from: usize) -> Option<(usize, &'static str)> {
    let rest = document.blanked.text.get(from..)?;
    for (at, found) in rest.match_indices(['\n', '\r', '}']) {
        let offset = from + at;
        if is_inside(&document.blanked.comments, offset) {
            continue;
        }
        return match found {
            "}" => None,
            "\n" => Some((offset, "\n")),
            _ if rest.get(at..)?.starts_with("\r\n") => Some((offset, "\r\n")),
            _ => Some((offset, "\r")),
        };
    }
    None
}

/// The white space in front of an entry, if the entry begins its line.
fn indent_of(text: &str, offset: usize) -> &str {
    let before = text.get(..offset).unwrap_or_default();
    let line_start = before.rfind(['\n', '\r']).map_or(0, |at| at + 1);
    let indent = before.get(line_start..).unwrap_or_default();
    if line_start > 0 && indent.trim().is_empty() {
        indent
    } else {
        "  "
    }
}

fn is_inside(comments: &[Range<usize>], offset: usize) -> bool {
    comments.iter().any(|comment| comment.contains(&offset))
}

fn entry(key: &str, value: &str) -> String {
    format!("{}: {}", quote(key), quote(value))
}

fn quote(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

#[cfg(test)]
mod tests;

//! Words and brackets in their order, whatever the blanks and line ends between them.

use super::Spot;
use super::indent::{indent_of, reindented};
use super::line_table::LineTable;

/// Blanks around these never matter.
const DELIMITERS: [char; 10] = ['(', ')', ':', '[', ']', '{', '}', '>', '<', '='];

pub(super) fn find(table: &LineTable<'_>, old: &str, new: &str) -> Vec<Spot> {
    let tokens = tokens(old);
    let text = table.text();
    let whole_lines = old.ends_with('\n');
    // The words found end before a line feed, so the replacement has to as well.
    let body = if whole_lines {
        new.strip_suffix('\n').unwrap_or(new)
    } else {
        new
    };
    let mut spots: Vec<Spot> = Vec::new();
    for start in table.starts().iter().copied() {
        if spots.last().is_some_and(|spot| spot.range.end > start) {
            continue;
        }
        let line = text.get(start..).unwrap_or_default();
        let Some(length) = matched(line, &tokens) else {
            continue;
        };
        let mut end = start + length;
        if whole_lines && new.is_empty() {
            end += blank_rest_of_line(text.get(end..).unwrap_or_default());
        }
        spots.push(Spot {
            range: start..end,
            new: reindented(body, indent_of(line)),
        });
    }
    spots
}

fn tokens(old: &str) -> Vec<&str> {
    let mut tokens = Vec::new();
    for word in old.split_whitespace() {
        for piece in word.split_inclusive(DELIMITERS) {
            let plain = piece.strip_suffix(DELIMITERS).unwrap_or(piece);
            let (plain, delimiter) = piece.split_at(plain.len());
            tokens.extend(
                [plain, delimiter]
                    .into_iter()
                    .filter(|part| !part.is_empty()),
            );
        }
    }
    tokens
}

/// How far the tokens reach from the start of `text`, which is the start of a line.
///
/// Blanks between two words are required, and a word ends where it ends in the text: without that `return x` would
/// be found in `returnx`, and `a = 1` in `a = 12`.
fn matched(text: &str, tokens: &[&str]) -> Option<usize> {
    let mut rest = text.trim_start_matches([' ', '\t']);
    let mut before: Option<&str> = None;
    for token in tokens {
        if let Some(before) = before {
            let next = rest.trim_start();
            if next.len() == rest.len() && ends_in_word(before) && starts_with_word(token) {
                return None;
            }
            rest = next;
        }
        rest = rest.strip_prefix(token)?;
        before = Some(token);
    }
    let inside_word = before.is_some_and(ends_in_word) && starts_with_word(rest);
    (!inside_word).then(|| text.len() - rest.len())
}

fn starts_with_word(text: &str) -> bool {
    text.chars().next().is_some_and(is_word)
}

fn ends_in_word(text: &str) -> bool {
    text.chars().next_back().is_some_and(is_word)
}

fn is_word(character: char) -> bool {
    character.is_alphanumeric() || character == '_'
}

/// The bytes up to and with the line feed, when there are only blanks before it.
fn blank_rest_of_line(text: &str) -> usize {
    let rest = text.trim_start_matches([' ', '\t']);
    if rest.starts_with('\n') {
        text.len() - rest.len() + 1
    } else {
        0
    }
}

//! A place in a text, as models name it and as editors count it.

#[cfg(test)]
mod tests;

use pollux_text::{Position, PositionEncoding, lines};
use schemars::JsonSchema;
use serde::Deserialize;

/// What a client asks about. A model knows the name better than its column.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub(super) struct Spot {
    /// Within the workspace folder, or whole.
    pub(super) path: String,
    /// Counted from 1.
    line: usize,
    /// The name to look for in that line; where it first stands as a whole word counts. Give either this or `column`.
    symbol: Option<String>,
    /// Counted from 1, in characters.
    column: Option<usize>,
}

/// Why there is no such place. The words are for the model.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum NoSpot {
    #[error("give either `symbol` or `column`")]
    Unclear,
    #[error("there is no line {0}; the file has {1}")]
    Line(usize, usize),
    #[error("there is no column {0} in line {1}")]
    Column(usize, usize),
    #[error("{0:?} is not in line {1}")]
    Symbol(String, usize),
}

impl Spot {
    /// In a text, counted as an editor counts.
    pub(super) fn find(&self, text: &str, encoding: PositionEncoding) -> Result<Position, NoSpot> {
        let all = lines(text);
        let index = self.line.checked_sub(1);
        let line = index.and_then(|index| all.get(index));
        let (Some(index), Some(line)) = (index, line) else {
            return Err(NoSpot::Line(self.line, all.len()));
        };
        let line = content(line);
        let before = match (&self.symbol, self.column) {
            (Some(symbol), None) => {
                let at = word(line, symbol);
                at.ok_or_else(|| NoSpot::Symbol(symbol.clone(), self.line))?
            }
            (None, Some(column)) => {
                let at = column
                    .checked_sub(1)
                    .and_then(|before| end_of(line, before));
                at.ok_or(NoSpot::Column(column, self.line))?
            }
            _ => return Err(NoSpot::Unclear),
        };
        let before = line.get(..before).unwrap_or_default();
        let character = before.chars().map(|one| width(one, encoding)).sum();
        Ok(Position {
            line: u32::try_from(index).unwrap_or(u32::MAX),
            character,
        })
    }
}

/// The column of a place in its line, counted from 1 and in characters.
pub(super) fn column(line: &str, character: u32, encoding: PositionEncoding) -> usize {
    let mut left = character;
    let before = content(line).chars().take_while(|one| {
        let fits = left >= width(*one, encoding);
        left = left.saturating_sub(width(*one, encoding));
        fits
    });
    before.count() + 1
}

/// A line without what ends it.
pub(super) fn content(line: &str) -> &str {
    line.trim_end_matches(['\r', '\n'])
}

fn width(character: char, encoding: PositionEncoding) -> u32 {
    let width = match encoding {
        PositionEncoding::Utf8 => character.len_utf8(),
        PositionEncoding::Utf16 => character.len_utf16(),
        PositionEncoding::Utf32 => 1,
    };
    u32::try_from(width).unwrap_or(1)
}

/// Where so many characters end.
fn end_of(line: &str, characters: usize) -> Option<usize> {
    let starts = line.char_indices().map(|(at, _)| at);
    starts.chain([line.len()]).nth(characters)
}

/// Where a name stands by itself, and not within a longer one.
fn word(line: &str, name: &str) -> Option<usize> {
    if name.is_empty() {
        return None;
    }
    let joins = |one: Option<char>, other: Option<char>| {
        let part = |one: Option<char>| one.is_some_and(|one| one.is_alphanumeric() || one == '_');
        part(one) && part(other)
    };
    let stands_alone = |at: &usize| {
        let (before, from) = line.split_at(*at);
        let behind = from.get(name.len()..).unwrap_or_default();
        !joins(before.chars().next_back(), name.chars().next())
            && !joins(name.chars().next_back(), behind.chars().next())
    };
    let mut found = line.match_indices(name).map(|(at, _)| at);
    found.find(stands_alone)
}

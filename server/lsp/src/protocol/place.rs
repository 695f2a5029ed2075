//! Places in a text, counted in the position encoding that `initialize` agreed on.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A place in a text. Lines and columns count from zero.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Position {
    pub line: u32,
    /// Column in the agreed position encoding.
    pub character: u32,
}

/// A half-open stretch of text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Range {
    pub start: Position,
    pub end: Position,
}

impl From<Position> for pollux_text::Position {
    fn from(position: Position) -> Self {
        Self {
            line: position.line,
            character: position.character,
        }
    }
}

impl From<pollux_text::Position> for Position {
    fn from(position: pollux_text::Position) -> Self {
        Self {
            line: position.line,
            character: position.character,
        }
    }
}

impl From<Range> for pollux_text::Range {
    fn from(range: Range) -> Self {
        Self {
            start: range.start.into(),
            end: range.end.into(),
        }
    }
}

impl From<pollux_text::Range> for Range {
    fn from(range: pollux_text::Range) -> Self {
        Self {
            start: range.start.into(),
            end: range.end.into(),
        }
    }
}

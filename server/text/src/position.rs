//! Positions as editors count them: a line, and a column in the unit that was agreed on.

/// The unit in which a client counts columns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PositionEncoding {
    Utf8,
    /// What every language client understands, and so what holds when nothing was agreed.
    #[default]
    Utf16,
    Utf32,
}

/// A place in a text. Lines and columns count from zero.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    pub line: u32,
    pub character: u32,
}

/// A half-open stretch of text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Range {
    pub start: Position,
    pub end: Position,
}

//! The text of one open file, and the edits an editor makes to it.

use std::fmt;
use std::sync::Arc;

use ropey::{Rope, RopeSlice};

use crate::{Position, PositionEncoding, Range, Splice};

/// One change as an editor reports it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Edit {
    /// The range, counted in the text as all earlier edits left it, becomes `text`.
    Splice { range: Range, text: String },
    /// The whole text becomes this.
    Replace(String),
}

/// Why an edit cannot belong to the text we hold. The two sides have drifted apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Misfit {
    #[error("line {line} is beyond the last line {last}")]
    NoSuchLine { line: u32, last: usize },
    #[error("column {character} of line {line} is inside a character")]
    InsideCharacter { line: u32, character: u32 },
    #[error("the range ends before it starts")]
    Backwards,
}

/// A text that is cheap to clone and cheap to edit, whatever its length.
#[derive(Clone)]
pub struct Buffer {
    text: Text,
}

/// Most open files are short and never edited. A rope of theirs would be half empty, so they stay
/// in one piece until the first edit.
#[derive(Clone)]
enum Text {
    Flat(Arc<str>),
    Rope(Rope),
}

impl Text {
    fn as_rope(&mut self) -> &mut Rope {
        let rope = match self {
            Self::Rope(rope) => return rope,
            Self::Flat(text) => Rope::from_str(text),
        };
        *self = Self::Rope(rope);
        self.as_rope()
    }
}

/// A text of this length becomes a rope within a keystroke without anybody noticing.
const FLAT_LIMIT: usize = 64 * 1024;

impl Buffer {
    /// Applies the edits one after the other. When one does not fit, none is applied.
    pub fn apply(&mut self, edits: &[Edit], encoding: PositionEncoding) -> Result<(), Misfit> {
        let before = self.text.clone();
        for edit in edits {
            if let Err(misfit) = self.apply_one(edit, encoding) {
                self.text = before;
                return Err(misfit);
            }
        }
        Ok(())
    }

    pub fn len_bytes(&self) -> usize {
        match &self.text {
            Text::Flat(text) => text.len(),
            Text::Rope(rope) => rope.len_bytes(),
        }
    }

    /// The text from its beginning, in the pieces in which it lies here.
    pub fn pieces(&self) -> impl Iterator<Item = &str> {
        let (flat, rope) = match &self.text {
            Text::Flat(text) => (Some(&**text), None),
            Text::Rope(rope) => (None, Some(rope.chunks())),
        };
        flat.into_iter().chain(rope.into_iter().flatten())
    }

    /// Whether the text is this one.
    pub fn is(&self, text: &str) -> bool {
        match &self.text {
            Text::Flat(own) => **own == *text,
            Text::Rope(rope) => rope == text,
        }
    }

    /// The text of a range; nothing when the range does not fit.
    pub fn slice(&self, range: Range, encoding: PositionEncoding) -> Option<String> {
        let rope = self.to_rope();
        let start = char_at(&rope, range.start, encoding).ok()?;
        let end = char_at(&rope, range.end, encoding).ok()?;
        Some(rope.get_slice(start..end)?.to_string())
    }

    /// What an edit does to the text as it is, by byte, without doing it.
    pub fn splice_of(&self, edit: &Edit, encoding: PositionEncoding) -> Result<Splice, Misfit> {
        let (range, text) = match edit {
            Edit::Replace(text) => {
                return Ok(Splice {
                    range: 0..self.len_bytes(),
                    text: text.clone(),
                });
            }
            Edit::Splice { range, text } => (range, text),
        };
        let rope = self.to_rope();
        let start = char_at(&rope, range.start, encoding)?;
        let end = char_at(&rope, range.end, encoding)?;
        if start > end {
            return Err(Misfit::Backwards);
        }
        Ok(Splice {
            range: rope.char_to_byte(start)..rope.char_to_byte(end),
            text: text.clone(),
        })
    }

    /// The splices as an editor is told them.
    ///
    /// The last comes first: its range then means the same whether the edits are applied one after the other or all
    /// at once, as the protocol has it for the edits of a request.
    pub fn edits_of(&self, splices: &[Splice], encoding: PositionEncoding) -> Vec<Edit> {
        let rope = self.to_rope();
        let edit = |splice: &Splice| Edit::Splice {
            range: Range {
                start: position_of(&rope, splice.range.start, encoding),
                end: position_of(&rope, splice.range.end, encoding),
            },
            text: splice.text.clone(),
        };
        splices.iter().rev().map(edit).collect()
    }

    /// Costs nothing for a text that has been edited or is long.
    pub(crate) fn to_rope(&self) -> Rope {
        match &self.text {
            Text::Rope(rope) => rope.clone(),
            Text::Flat(text) => Rope::from_str(text),
        }
    }

    fn apply_one(&mut self, edit: &Edit, encoding: PositionEncoding) -> Result<(), Misfit> {
        let (range, text) = match edit {
            Edit::Replace(text) => {
                *self = Self::from(text.as_str());
                return Ok(());
            }
            Edit::Splice { range, text } => (range, text),
        };
        let rope = self.text.as_rope();
        let start = char_at(rope, range.start, encoding)?;
        let end = char_at(rope, range.end, encoding)?;
        if start > end {
            return Err(Misfit::Backwards);
        }
        rope.remove(start..end);
        rope.insert(start, text);
        Ok(())
    }
}

impl Default for Buffer {
    fn default() -> Self {
        Self::from("")
    }
}

impl From<&str> for Buffer {
    fn from(text: &str) -> Self {
        let text = if text.len() < FLAT_LIMIT {
            Text::Flat(Arc::from(text))
        } else {
            Text::Rope(Rope::from_str(text))
        };
        Self { text }
    }
}

impl From<Rope> for Buffer {
    fn from(rope: Rope) -> Self {
        Self {
            text: Text::Rope(rope),
        }
    }
}

impl fmt::Display for Buffer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.text {
            Text::Flat(text) => text.fmt(f),
            Text::Rope(rope) => rope.fmt(f),
        }
    }
}

/// The text may hold secrets and may be large: it stays out of logs.
impl fmt::Debug for Buffer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Buffer")
            .field("bytes", &self.len_bytes())
            .finish_non_exhaustive()
    }
}

/// The character index of a position.
///
/// The protocol lets a column point beyond its line, meaning the line's end. Clients also name
/// the line after the last one to mean the end of the text.
fn char_at(rope: &Rope, position: Position, encoding: PositionEncoding) -> Result<usize, Misfit> {
    let line = position.line as usize;
    let len_lines = rope.len_lines();
    if line == len_lines {
        return Ok(rope.len_chars());
    }
    if line > len_lines {
        return Err(Misfit::NoSuchLine {
            line: position.line,
            last: len_lines - 1,
        });
    }
    let content = without_terminator(rope.line(line));
    let column = column_to_char(content, position.character as usize, encoding).ok_or(
        Misfit::InsideCharacter {
            line: position.line,
            character: position.character,
        },
    )?;
    Ok(rope.line_to_char(line) + column)
}

/// The position of a byte; the start of its character when it is inside one.
fn position_of(rope: &Rope, offset: usize, encoding: PositionEncoding) -> Position {
    let offset = offset.min(rope.len_bytes());
    let line = rope.byte_to_line(offset);
    let line_start = rope.line_to_char(line);
    let index = rope.byte_to_char(offset);
    let character = match encoding {
        PositionEncoding::Utf32 => index - line_start,
        PositionEncoding::Utf8 => rope.char_to_byte(index) - rope.char_to_byte(line_start),
        PositionEncoding::Utf16 => rope.char_to_utf16_cu(index) - rope.char_to_utf16_cu(line_start),
    };
    Position {
        line: narrowed(line),
        character: narrowed(character),
    }
}

/// The protocol has no larger numbers.
fn narrowed(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

fn without_terminator(line: RopeSlice<'_>) -> RopeSlice<'_> {
    let len = line.len_chars();
    let last = |back: usize| len.checked_sub(back).and_then(|at| line.get_char(at));
    let terminator = match (last(2), last(1)) {
        (Some('\r'), Some('\n')) => 2,
        (_, Some('\n' | '\r')) => 1,
        _ => 0,
    };
    line.slice(..len - terminator)
}

/// The character index of a column, or nothing when the column splits a character.
fn column_to_char(line: RopeSlice<'_>, column: usize, encoding: PositionEncoding) -> Option<usize> {
    match encoding {
        PositionEncoding::Utf32 => Some(column.min(line.len_chars())),
        PositionEncoding::Utf8 => {
            if column >= line.len_bytes() {
                return Some(line.len_chars());
            }
            let index = line.byte_to_char(column);
            (line.char_to_byte(index) == column).then_some(index)
        }
        PositionEncoding::Utf16 => {
            if column >= line.len_utf16_cu() {
                return Some(line.len_chars());
            }
            let index = line.utf16_cu_to_char(column);
            (line.char_to_utf16_cu(index) == column).then_some(index)
        }
    }
}

#[cfg(test)]
mod tests;

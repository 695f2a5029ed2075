//! The text of one open file, and the edits an editor makes to it.

use std::fmt;

use ropey::{Rope, RopeSlice};

use crate::{Position, PositionEncoding, Range};

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
#[derive(Clone, Default)]
pub struct Buffer {
    rope: Rope,
}

impl Buffer {
    /// Applies the edits one after the other. When one does not fit, none is applied.
    pub fn apply(&mut self, edits: &[Edit], encoding: PositionEncoding) -> Result<(), Misfit> {
        let before = self.rope.clone();
        for edit in edits {
            if let Err(misfit) = self.apply_one(edit, encoding) {
                self.rope = before;
                return Err(misfit);
            }
        }
        Ok(())
    }

    pub fn len_bytes(&self) -> usize {
        self.rope.len_bytes()
    }

    pub fn len_lines(&self) -> usize {
        self.rope.len_lines()
    }

    /// Whether the text is this one.
    pub fn is(&self, text: &str) -> bool {
        self.rope == text
    }

    /// The text in pieces, in order, without copying it.
    pub fn chunks(&self) -> impl Iterator<Item = &str> {
        self.rope.chunks()
    }

    fn apply_one(&mut self, edit: &Edit, encoding: PositionEncoding) -> Result<(), Misfit> {
        let (range, text) = match edit {
            Edit::Replace(text) => {
                self.rope = Rope::from_str(text);
                return Ok(());
            }
            Edit::Splice { range, text } => (range, text),
        };
        let start = self.char_at(range.start, encoding)?;
        let end = self.char_at(range.end, encoding)?;
        if start > end {
            return Err(Misfit::Backwards);
        }
        self.rope.remove(start..end);
        self.rope.insert(start, text);
        Ok(())
    }

    /// The character index of a position.
    ///
    /// The protocol lets a column point beyond its line, meaning the line's end. Clients also
    /// name the line after the last one to mean the end of the text.
    fn char_at(&self, position: Position, encoding: PositionEncoding) -> Result<usize, Misfit> {
        let line = position.line as usize;
        let len_lines = self.rope.len_lines();
        if line == len_lines {
            return Ok(self.rope.len_chars());
        }
        if line > len_lines {
            return Err(Misfit::NoSuchLine {
                line: position.line,
                last: len_lines - 1,
            });
        }
        let content = without_terminator(self.rope.line(line));
        let column = column_to_char(content, position.character as usize, encoding).ok_or(
            Misfit::InsideCharacter {
                line: position.line,
                character: position.character,
            },
        )?;
        Ok(self.rope.line_to_char(line) + column)
    }
}

impl From<&str> for Buffer {
    fn from(text: &str) -> Self {
        Self {
            rope: Rope::from_str(text),
        }
    }
}

impl fmt::Display for Buffer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.rope.fmt(f)
    }
}

/// The text may hold secrets and may be large: it stays out of logs.
impl fmt::Debug for Buffer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Buffer")
            .field("bytes", &self.rope.len_bytes())
            .finish_non_exhaustive()
    }
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

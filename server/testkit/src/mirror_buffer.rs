//! The simplest possible document: one `String`, walked from its start for every question.
//!
//! It is the oracle of random-edit tests, so it shares no code with `pollux-text` and prefers
//! being obviously right over being fast. Lines end at LF, CRLF and lone CR, as the protocol says.

mod position;
mod random_edit;

pub use position::{Position, PositionEncoding, Range, TextChange};
pub use random_edit::SplitMix64;

/// A text and the unit in which its positions are counted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MirrorBuffer {
    text: String,
    encoding: PositionEncoding,
}

impl MirrorBuffer {
    pub fn new(text: impl Into<String>, encoding: PositionEncoding) -> Self {
        Self {
            text: text.into(),
            encoding,
        }
    }

    pub fn text(&self) -> &str {
        &self.text
    }

    pub fn encoding(&self) -> PositionEncoding {
        self.encoding
    }

    /// Applies one change as an editor would.
    ///
    /// # Panics
    /// When a position of the change lies outside the text or inside a character.
    pub fn apply(&mut self, change: &TextChange) {
        match change.range {
            None => self.text.clone_from(&change.text),
            Some(range) => {
                let start = self.offset_at(range.start);
                let end = self.offset_at(range.end);
                assert!(start <= end, "the range {range:?} ends before it starts");
                self.text.replace_range(start..end, &change.text);
            }
        }
    }

    /// Applies changes one after the other, each to the result of the one before, as
    /// `textDocument/didChange` means them.
    pub fn apply_all<'a>(&mut self, changes: impl IntoIterator<Item = &'a TextChange>) {
        for change in changes {
            self.apply(change);
        }
    }

    /// Applies the edits of a `TextEdit[]`, whose ranges all refer to the text before any of
    /// them.
    ///
    /// # Panics
    /// When two edits overlap, or one has no range.
    pub fn apply_simultaneously(&mut self, edits: &[TextChange]) {
        let mut placed: Vec<(usize, usize, &str)> = edits
            .iter()
            .map(|edit| {
                let range = edit.range.expect("a text edit has a range");
                let (start, end) = (self.offset_at(range.start), self.offset_at(range.end));
                assert!(start <= end, "the range {range:?} ends before it starts");
                (start, end, edit.text.as_str())
            })
            .collect();
        // The sort is stable: insertions at one place keep the order of the array.
        placed.sort_by_key(|&(start, end, _)| (start, end));
        for pair in placed.windows(2) {
            assert!(pair[0].1 <= pair[1].0, "two text edits overlap: {edits:?}");
        }
        let mut result = String::new();
        let mut copied = 0;
        for (start, end, text) in placed {
            result.push_str(&self.text[copied..start]);
            result.push_str(text);
            copied = end;
        }
        result.push_str(&self.text[copied..]);
        self.text = result;
    }

    /// The byte offset of a position. A character past the end of its line means the end of the
    /// line, as the protocol says.
    ///
    /// # Panics
    /// When the line does not exist or the position is inside a character.
    pub fn offset_at(&self, position: Position) -> usize {
        let mut line = 0;
        let mut rest = self.text.char_indices().peekable();
        while line < position.line {
            let Some((_, character)) = rest.next() else {
                panic!(
                    "{position} is outside the text, whose last line is {line}: {:?}",
                    self.text
                );
            };
            let ends_line = match character {
                '\n' => true,
                '\r' => rest.peek().is_none_or(|&(_, next)| next != '\n'),
                _ => false,
            };
            line += u32::from(ends_line);
        }
        let mut units = 0;
        for (offset, character) in rest {
            if units == position.character || matches!(character, '\n' | '\r') {
                return offset;
            }
            units += self.encoding.width(character);
            assert!(
                units <= position.character,
                "{position} is inside {character:?} of {:?}",
                self.text
            );
        }
        self.text.len()
    }

    /// The position of a byte offset.
    ///
    /// # Panics
    /// When the offset is inside a character or between CR and LF: the protocol has no position
    /// for those.
    pub fn position_at(&self, offset: usize) -> Position {
        assert!(
            self.is_position(offset),
            "{offset} is not a position of {:?}",
            self.text
        );
        let mut position = Position::new(0, 0);
        let mut characters = self.text[..offset].chars().peekable();
        while let Some(character) = characters.next() {
            match character {
                '\r' if characters.peek() == Some(&'\n') => {}
                '\n' | '\r' => position = Position::new(position.line + 1, 0),
                _ => position.character += self.encoding.width(character),
            }
        }
        position
    }

    /// The range between two byte offsets.
    pub fn range_at(&self, offsets: std::ops::Range<usize>) -> Range {
        Range::new(
            self.position_at(offsets.start),
            self.position_at(offsets.end),
        )
    }

    /// Whether the protocol can name this byte offset.
    pub fn is_position(&self, offset: usize) -> bool {
        self.text.is_char_boundary(offset)
            && !(self.text[..offset].ends_with('\r') && self.text[offset..].starts_with('\n'))
    }
}

#[cfg(test)]
mod tests;

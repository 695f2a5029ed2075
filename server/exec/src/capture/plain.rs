//! What a terminal would have been left with, as plain text.
//!
//! Colours and titles go. Within a line the cursor is followed, so that a progress bar leaves its
//! last state and not its hundred earlier ones. Across lines it is not: text that has scrolled
//! past is never taken back.

use vte::{Params, Parser, Perform};

/// A line is handed on in pieces of this many characters, so that a gigabyte without a line
/// break needs no gigabyte.
const LONGEST_LINE: usize = 16 * 1024;

#[derive(Default)]
pub(super) struct Plain {
    parser: Parser,
    line: Line,
    /// The beginning of a character whose end has not come yet. The parser would keep it itself,
    /// but then sometimes forgets what follows it (seen in vte 0.15).
    cut_character: Vec<u8>,
}

#[derive(Default)]
struct Line {
    characters: Vec<char>,
    cursor: usize,
    /// Where the last character stands that was printed; beyond are wiped ones.
    printed: usize,
    /// Lines that are finished and not yet handed on.
    done: String,
}

impl Plain {
    /// Reads on. Any way of cutting the same bytes into calls gives the same text.
    pub(super) fn feed(&mut self, bytes: &[u8], mut keep: impl FnMut(&str)) {
        let whole = bytes.len() - cut_character(bytes);
        let (whole, rest) = bytes.split_at(whole);
        if self.cut_character.is_empty() {
            self.parser.advance(&mut self.line, whole);
            self.cut_character.extend_from_slice(rest);
        } else {
            let mut bytes = std::mem::take(&mut self.cut_character);
            bytes.extend_from_slice(whole);
            bytes.extend_from_slice(rest);
            let whole = bytes.len() - cut_character(&bytes);
            self.cut_character = bytes.split_off(whole);
            self.parser.advance(&mut self.line, &bytes);
        }
        if !self.line.done.is_empty() {
            keep(&self.line.done);
            self.line.done.clear();
        }
    }

    /// The line that is being written.
    pub(super) fn unfinished(&self) -> String {
        self.line
            .characters
            .iter()
            .take(self.line.printed)
            .collect()
    }
}

/// How many bytes at the end begin a character and do not finish it.
fn cut_character(bytes: &[u8]) -> usize {
    let longest = bytes.len().min(3);
    let is_cut = |length: &usize| {
        let end = bytes.get(bytes.len() - length..).unwrap_or_default();
        let error = std::str::from_utf8(end).err();
        error.is_some_and(|error| error.valid_up_to() == 0 && error.error_len().is_none())
    };
    (1..=longest).find(is_cut).unwrap_or(0)
}

impl Line {
    fn put(&mut self, character: char) {
        match self.characters.get_mut(self.cursor) {
            Some(old) => *old = character,
            None => self.characters.push(character),
        }
        self.cursor += 1;
        self.printed = self.printed.max(self.cursor);
        if self.characters.len() >= LONGEST_LINE {
            self.hand_on();
        }
    }

    fn hand_on(&mut self) {
        self.done.extend(self.characters.drain(..));
        self.cursor = 0;
        self.printed = 0;
    }

    fn move_to(&mut self, column: usize) {
        let column = column.min(LONGEST_LINE - 1);
        while self.characters.len() < column {
            self.characters.push(' ');
        }
        self.cursor = column;
    }

    fn erase(&mut self, which: usize) {
        if which == 0 || which == 2 {
            self.characters.truncate(self.cursor);
            self.printed = self.printed.min(self.cursor);
        }
        if which == 1 || which == 2 {
            for old in self.characters.iter_mut().take(self.cursor + 1) {
                *old = ' ';
            }
            if self.printed <= self.cursor + 1 {
                self.printed = 0;
            }
        }
    }
}

impl Perform for Line {
    fn print(&mut self, character: char) {
        // Two-byte control characters arrive here if they were cut in two, and below otherwise.
        if !character.is_control() {
            self.put(character);
        }
    }

    fn execute(&mut self, byte: u8) {
        match byte {
            b'\n' => {
                self.characters.truncate(self.printed);
                self.hand_on();
                self.done.push('\n');
            }
            b'\r' => self.cursor = 0,
            b'\t' => self.put('\t'),
            0x08 => self.cursor = self.cursor.saturating_sub(1),
            _ => {}
        }
    }

    fn csi_dispatch(&mut self, params: &Params, intermediates: &[u8], _: bool, action: char) {
        if !intermediates.is_empty() {
            return;
        }
        let first = params.iter().next().and_then(<[u16]>::first);
        let first = usize::from(first.copied().unwrap_or(0));
        let steps = first.max(1);
        match action {
            'C' => self.move_to(self.cursor.saturating_add(steps)),
            'D' => self.cursor = self.cursor.saturating_sub(steps),
            'G' => self.move_to(steps - 1),
            'K' => self.erase(first),
            // Another place of the screen: what comes does not belong to this line.
            'H' | 'f' if !self.characters.is_empty() => {
                self.hand_on();
                self.done.push('\n');
            }
            _ => {}
        }
    }
}

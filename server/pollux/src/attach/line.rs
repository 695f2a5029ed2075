//! The line that a person types.

#[cfg(test)]
mod tests;

use unicode_width::UnicodeWidthChar;

use super::keys::Key;
use crate::terminal::cleaned_line;

#[derive(Default)]
pub(super) struct Line {
    text: String,
    /// In bytes, between two characters.
    cursor: usize,
    /// What was typed before, the newest last.
    before: Vec<String>,
    /// Which of them is shown.
    recalled: Option<usize>,
}

/// What fits of a line, and how many columns of it are before the cursor.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Shown {
    pub(super) text: String,
    pub(super) cursor: usize,
}

impl Line {
    pub(super) fn text(&self) -> &str {
        &self.text
    }

    pub(super) fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    pub(super) fn set(&mut self, text: String) {
        self.cursor = text.len();
        self.text = text;
        self.recalled = None;
    }

    /// The line is sent; another begins.
    pub(super) fn take(&mut self) -> String {
        let text = std::mem::take(&mut self.text);
        self.cursor = 0;
        self.recalled = None;
        if self.before.last() != Some(&text) {
            self.before.push(text.clone());
        }
        text
    }

    /// What the key does to the line.
    pub(super) fn press(&mut self, key: &Key) {
        match key {
            Key::Text(text) => {
                self.text.insert_str(self.cursor, text);
                self.cursor += text.len();
            }
            Key::Backspace => {
                let start = self.left();
                self.remove(start..self.cursor);
            }
            Key::Delete => {
                let end = self.right();
                self.remove(self.cursor..end);
            }
            Key::Left => self.cursor = self.left(),
            Key::Right => self.cursor = self.right(),
            Key::Home => self.cursor = 0,
            Key::End => self.cursor = self.text.len(),
            Key::KillLine => self.remove(0..self.cursor),
            Key::KillWord => {
                let before = self.before_cursor().trim_end();
                let start = before.rfind(char::is_whitespace);
                let start = start.map_or(0, |at| at + before.get(at..).map_or(1, first_length));
                self.remove(start..self.cursor);
            }
            Key::Up => self.recall(self.recalled.unwrap_or(self.before.len()).checked_sub(1)),
            Key::Down => self.recall(self.recalled.map(|at| at + 1)),
            Key::Enter | Key::Retry | Key::Stop | Key::Leave => {}
        }
    }

    /// As much of it as fits around the cursor, on one row.
    pub(super) fn shown(&self, columns: usize) -> Shown {
        let columns = columns.max(2);
        // What is not shown as it is typed takes as many columns as what stands for it.
        let show = |text: &str| cleaned_line(&text.replace('\n', "⏎").replace('\t', " "));
        let mut before: Vec<char> = show(self.before_cursor()).chars().collect();
        let after = show(self.text.get(self.cursor..).unwrap_or_default());
        let mut width: usize = before.iter().copied().map(columns_of).sum();
        // The cursor itself needs a column.
        let cut = before.iter().take_while(|letter| {
            let too_long = width >= columns;
            if too_long {
                width -= columns_of(**letter);
            }
            too_long
        });
        let cut = cut.count();
        before.drain(..cut);
        let mut text: String = before.into_iter().collect();
        let cursor = width;
        for letter in after.chars() {
            width += columns_of(letter);
            if width > columns {
                break;
            }
            text.push(letter);
        }
        Shown { text, cursor }
    }

    fn before_cursor(&self) -> &str {
        self.text.get(..self.cursor).unwrap_or_default()
    }

    fn left(&self) -> usize {
        let last = self.before_cursor().char_indices().next_back();
        last.map_or(0, |(at, _)| at)
    }

    fn right(&self) -> usize {
        let after = self.text.get(self.cursor..).unwrap_or_default();
        self.cursor + first_length(after)
    }

    fn remove(&mut self, range: std::ops::Range<usize>) {
        self.cursor = range.start;
        self.text.replace_range(range, "");
    }

    fn recall(&mut self, at: Option<usize>) {
        let Some(at) = at else {
            return;
        };
        match self.before.get(at) {
            Some(text) => {
                self.set(text.clone());
                self.recalled = Some(at);
            }
            None => self.set(String::new()),
        }
    }
}

fn first_length(text: &str) -> usize {
    text.chars().next().map_or(0, char::len_utf8)
}

pub(super) fn columns_of(letter: char) -> usize {
    letter.width().unwrap_or_default()
}

//! Markdown as it streams in: wrapped at words, with bold and code in colour. No more than that.

#[cfg(test)]
mod tests;

use super::screen::{Colour, RESET, Style};

/// Fits every terminal that people use, and longer lines are hard to read.
const WIDTH: usize = 80;

/// Turns pieces of Markdown, cut anywhere, into terminal text.
pub(crate) struct Prose {
    colour: Colour,
    /// Where lines are wrapped.
    width: usize,
    /// The word that is not complete yet.
    word: String,
    /// Columns used in this line.
    column: usize,
    /// Blanks to write before the next word.
    gap: usize,
    /// Where the lines of a list item go on.
    indent: usize,
    bold: bool,
    code: bool,
    heading: bool,
}

impl Prose {
    pub(crate) fn new(colour: Colour) -> Self {
        Self {
            colour,
            width: WIDTH,
            word: String::new(),
            column: 0,
            gap: 0,
            indent: 0,
            bold: false,
            code: false,
            heading: false,
        }
    }

    /// Wraps where the terminal ends, if that is sooner.
    pub(crate) fn fit(&mut self, columns: usize) {
        self.width = columns.min(WIDTH);
    }

    /// The word that is not complete yet.
    pub(crate) fn unfinished(&self) -> &str {
        &self.word
    }

    /// What can be shown now.
    pub(crate) fn feed(&mut self, markdown: &str) -> String {
        let mut shown = String::new();
        for character in markdown.chars() {
            match character {
                '\n' => {
                    self.end_word(&mut shown);
                    if self.heading {
                        self.heading = false;
                        self.apply_styles(&mut shown);
                    }
                    shown.push('\n');
                    shown.push_str(&self.styles());
                    self.column = 0;
                    self.gap = 0;
                    self.indent = 0;
                }
                ' ' | '\t' => {
                    self.end_word(&mut shown);
                    self.gap += 1;
                }
                _ => self.word.push(character),
            }
        }
        shown
    }

    /// The last word, and an end to every style. The next text starts on a line of its own.
    pub(crate) fn end(&mut self) -> String {
        let mut shown = String::new();
        self.end_word(&mut shown);
        if self.bold || self.code || self.heading {
            (self.bold, self.code, self.heading) = (false, false, false);
            self.apply_styles(&mut shown);
        }
        (self.column, self.gap, self.indent) = (0, 0, 0);
        shown
    }

    fn end_word(&mut self, shown: &mut String) {
        let word = std::mem::take(&mut self.word);
        if word.is_empty() {
            return;
        }
        let at_line_start = self.column == 0;
        if at_line_start && self.colour == Colour::On && word.chars().all(|c| c == '#') {
            self.heading = true;
            self.apply_styles(shown);
            return;
        }
        if at_line_start && self.heading {
            self.gap = 0;
        }
        if at_line_start && is_list_mark(&word) {
            self.indent = self.gap + word.len() + 1;
        }
        let mut styled = String::new();
        let before = self.styles();
        let width = self.style(&word, &mut styled);
        if !at_line_start && self.column + self.gap + width > self.width {
            shown.push('\n');
            shown.push_str(&before);
            self.column = 0;
            self.gap = self.indent;
        }
        shown.extend(std::iter::repeat_n(' ', self.gap));
        shown.push_str(&styled);
        self.column += self.gap + width;
        self.gap = 0;
    }

    /// Writes a word with its marks turned into styles, and returns its width on the screen.
    fn style(&mut self, word: &str, styled: &mut String) -> usize {
        if self.colour == Colour::Off {
            styled.push_str(word);
            return word.chars().count();
        }
        let mut width = 0;
        let mut characters = word.chars().peekable();
        while let Some(character) = characters.next() {
            match character {
                '`' => {
                    self.code = !self.code;
                    self.apply_styles(styled);
                }
                '*' if !self.code && characters.next_if_eq(&'*').is_some() => {
                    self.bold = !self.bold;
                    self.apply_styles(styled);
                }
                _ => {
                    styled.push(character);
                    width += 1;
                }
            }
        }
        width
    }

    fn apply_styles(&self, styled: &mut String) {
        if self.colour == Colour::Off {
            return;
        }
        styled.push_str(RESET);
        styled.push_str(&self.styles());
    }

    /// What makes text look as it does here. Each line begins with it, so that a line can be shown by itself.
    fn styles(&self) -> String {
        let mut codes = String::new();
        if self.colour == Colour::Off {
            return codes;
        }
        if self.bold || self.heading {
            codes.push_str(Style::Bold.code());
        }
        if self.code {
            codes.push_str(Style::Code.code());
        }
        codes
    }
}

fn is_list_mark(word: &str) -> bool {
    let number = word.strip_suffix('.').unwrap_or_default();
    matches!(word, "-" | "*" | "+")
        || (!number.is_empty() && number.chars().all(|c| c.is_ascii_digit()))
}

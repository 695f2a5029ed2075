//! The one place that writes to the terminal.

#[cfg(test)]
mod tests;

use std::io::{self, Write};

use super::markdown::Prose;
use super::output;

/// Whether ANSI colours may be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Colour {
    On,
    Off,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Style {
    Plain,
    Bold,
    Dim,
    Code,
    Removed,
    RemovedWord,
    Added,
    AddedWord,
}

impl Style {
    /// Base colours only, so that every terminal theme has a say. Reverse marks the words: it stands out on any
    /// background.
    pub(crate) fn code(self) -> &'static str {
        match self {
            Self::Plain => "",
            Self::Bold => "\u{1b}[1m",
            Self::Dim => "\u{1b}[2m",
            Self::Code => "\u{1b}[36m",
            Self::Removed => "\u{1b}[31m",
            Self::RemovedWord => "\u{1b}[31;7m",
            Self::Added => "\u{1b}[32m",
            Self::AddedWord => "\u{1b}[32;7m",
        }
    }
}

pub(crate) const RESET: &str = "\u{1b}[0m";

/// Writes lines, and the answer of the model as it streams in.
///
/// Nothing from a model or a file gets to the terminal with its control characters: they could move the cursor
/// and forge what the person is asked about.
pub(crate) struct Screen<W> {
    out: W,
    colour: Colour,
    prose: Prose,
    answer: Answer,
    line: Line,
}

/// Whether the model is talking.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Answer {
    None,
    Begun,
}

/// Where the cursor stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Line {
    /// At the start of a line, below text.
    Start,
    /// At the start of a line, below an empty one.
    AfterBlank,
    /// Somewhere in a line.
    Open,
}

impl<W: Write> Screen<W> {
    pub(crate) fn new(out: W, colour: Colour) -> Self {
        Self {
            out,
            colour,
            prose: Prose::new(colour),
            answer: Answer::None,
            line: Line::AfterBlank,
        }
    }

    /// Wraps the answer where the terminal ends.
    pub(crate) fn fit(&mut self, columns: usize) {
        self.prose.fit(columns);
    }

    /// What has been written to.
    pub(crate) fn out(&mut self) -> &mut W {
        &mut self.out
    }

    /// The last word of the answer, of which more may come.
    pub(crate) fn unfinished(&self) -> &str {
        self.prose.unfinished()
    }

    /// More of the model's answer. It stands apart from what was shown before it.
    pub(crate) fn prose(&mut self, markdown: &str) -> io::Result<()> {
        if self.answer == Answer::None {
            self.answer = Answer::Begun;
            self.blank()?;
        }
        let shown = self.prose.feed(&cleaned(markdown, LineFeeds::Obeyed));
        self.put(&shown)
    }

    /// Ends the answer, so that something else can be shown.
    pub(crate) fn end_prose(&mut self) -> io::Result<()> {
        self.answer = Answer::None;
        let rest = self.prose.end();
        self.put(&rest)?;
        self.end_line()
    }

    /// What a command prints, dimmed and set in.
    pub(crate) fn printed(&mut self, text: &str) -> io::Result<()> {
        for line in cleaned(text, LineFeeds::Obeyed).lines() {
            self.line(&[(Style::Dim, "  "), (Style::Dim, line)])?;
        }
        Ok(())
    }

    /// A whole line of pieces, each in its style.
    pub(crate) fn line(&mut self, pieces: &[(Style, &str)]) -> io::Result<()> {
        self.end_line()?;
        self.pieces(pieces)?;
        self.put("\n")
    }

    /// A line that stays open for [`Self::finish`] or for what the person types.
    pub(crate) fn start(&mut self, pieces: &[(Style, &str)]) -> io::Result<()> {
        self.end_line()?;
        self.pieces(pieces)
    }

    /// Ends a line that [`Self::start`] left open, with more pieces.
    pub(crate) fn finish(&mut self, pieces: &[(Style, &str)]) -> io::Result<()> {
        self.pieces(pieces)?;
        self.put("\n")
    }

    /// The person pressed Enter: the terminal has moved the cursor, nothing was written.
    pub(crate) fn typed(&mut self) {
        self.line = Line::Start;
    }

    /// Ends the line if one is open.
    pub(crate) fn end_line(&mut self) -> io::Result<()> {
        match self.line {
            Line::Open => self.put("\n"),
            Line::Start | Line::AfterBlank => Ok(()),
        }
    }

    /// One empty line, not two.
    pub(crate) fn blank(&mut self) -> io::Result<()> {
        self.end_line()?;
        match self.line {
            Line::AfterBlank => Ok(()),
            Line::Start | Line::Open => self.put("\n"),
        }
    }

    fn pieces(&mut self, pieces: &[(Style, &str)]) -> io::Result<()> {
        let mut shown = String::new();
        for (style, text) in pieces {
            let text = cleaned(text, LineFeeds::Shown);
            match (self.colour, *style) {
                (Colour::Off, _) | (Colour::On, Style::Plain) => shown.push_str(&text),
                (Colour::On, style) => shown.extend([style.code(), &text, RESET]),
            }
        }
        self.put(&shown)
    }

    fn put(&mut self, text: &str) -> io::Result<()> {
        if text.is_empty() {
            return Ok(());
        }
        self.line = if text.ends_with("\n\n") || (text == "\n" && self.line != Line::Open) {
            Line::AfterBlank
        } else if text.ends_with('\n') {
            Line::Start
        } else {
            Line::Open
        };
        self.out.write_all(text.as_bytes())?;
        self.out.flush()
    }
}

/// What a line feed does. In a line of ours it could forge the next one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LineFeeds {
    Obeyed,
    Shown,
}

/// A text of any origin as one line that a terminal shows as it is.
pub(crate) fn cleaned_line(text: &str) -> String {
    cleaned(text, LineFeeds::Shown)
}

/// Control characters are shown, not obeyed. Tabs are harmless.
fn cleaned(text: &str, line_feeds: LineFeeds) -> String {
    let shown = output::shown(text);
    match line_feeds {
        LineFeeds::Obeyed => shown,
        LineFeeds::Shown => shown.replace('\n', "\\n"),
    }
}

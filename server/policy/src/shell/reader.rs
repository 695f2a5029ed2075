//! Our own reader of bash: commands, words and redirections by their place in the text.
//!
//! It follows bash where bash is simple and stops everywhere else. One pass, so the time grows with the text alone.

mod compound;
mod expansion;
mod heredoc;
mod simple;
mod word;

use std::ops::Range;

use super::effort::{Effort, Spent};
use super::{Expansions, Redirection, Stdin, Word};
pub(super) use compound::{RESERVED, is_powerful};
use heredoc::Heredoc;

/// Deeper nesting than this is no command that somebody would want to judge.
pub(super) const DEEPEST: usize = 40;

/// What was found in a text.
#[derive(Default)]
pub(super) struct Reading {
    pub(super) commands: Vec<Simple>,
    /// Each with the place where it begins.
    pub(super) redirections: Vec<(usize, Redirection)>,
    /// What bash evaluates in any word, whichever command or loop the word belongs to.
    pub(super) expansions: Expansions,
    /// The places of all words, of assignments and targets of redirections too.
    pub(super) words: Vec<Range<usize>>,
    pub(super) has_substitution: bool,
    /// A command may run after one that stands behind it.
    pub(super) has_loop: bool,
    /// The first thing that was not understood.
    pub(super) doubt: Option<String>,
}

/// A simple command in the text.
pub(super) struct Simple {
    /// Where it begins, its assignments included.
    pub(super) start: usize,
    pub(super) words: Vec<Piece>,
    pub(super) assignments: Vec<Piece>,
    pub(super) redirects: bool,
    pub(super) stdin: Stdin,
}

/// A word in the text.
#[derive(Clone)]
pub(super) struct Piece {
    pub(super) range: Range<usize>,
    pub(super) word: Word,
    /// How many bytes the name before the `=` has, where the word has the form of an assignment.
    pub(super) name: Option<usize>,
}

/// The text cannot be followed any further; the reason is in the reading.
pub(super) struct Stop;

pub(super) struct Reader<'a> {
    source: &'a str,
    at: usize,
    /// Nothing is read from here on.
    end: usize,
    depth: usize,
    /// How many substitutions stand around.
    substitutions: usize,
    /// Here-documents whose text begins after this line.
    pending: Vec<Heredoc>,
    /// The standard input of the compound command around.
    stdin: Stdin,
    reading: Reading,
    effort: &'a mut Effort,
}

pub(super) fn read(source: &str, effort: &mut Effort) -> Reading {
    let mut reader = Reader {
        source,
        at: 0,
        end: source.len(),
        depth: 0,
        substitutions: 0,
        pending: Vec::new(),
        stdin: Stdin::Inherited,
        reading: Reading::default(),
        effort,
    };
    if reader.whole().is_err() && reader.reading.doubt.is_none() {
        reader.reading.doubt = Some("it ends in the middle".to_owned());
    }
    let mut reading = reader.reading;
    reading.commands.sort_by_key(|command| command.start);
    reading
}

impl<'a> Reader<'a> {
    fn whole(&mut self) -> Result<(), Stop> {
        self.list(&[])?;
        if self.at < self.end {
            return Err(self.unexpected());
        }
        self.no_heredoc_is_open()
    }

    /// Remembers that something is not understood, and goes on.
    fn doubt(&mut self, reason: impl Into<String>) {
        self.reading.doubt.get_or_insert_with(|| reason.into());
    }

    fn stop(&mut self, reason: impl Into<String>) -> Stop {
        self.doubt(reason);
        Stop
    }

    /// Stops when the text asks for more than it is worth.
    fn spend(&mut self, units: usize) -> Result<(), Stop> {
        match self.effort.spend(units) {
            Ok(()) => Ok(()),
            Err(Spent) => Err(self.stop(Effort::REASON)),
        }
    }

    fn unexpected(&mut self) -> Stop {
        let rest: String = self.rest().chars().take(12).collect();
        if rest.is_empty() {
            self.stop("it ends in the middle")
        } else {
            self.stop(format!("nothing was expected at `{rest}`"))
        }
    }

    fn deeper<T>(&mut self, read: impl FnOnce(&mut Self) -> Result<T, Stop>) -> Result<T, Stop> {
        if self.depth >= DEEPEST {
            return Err(self.stop("it is nested too deep"));
        }
        self.depth += 1;
        let result = read(self);
        self.depth -= 1;
        result
    }

    fn peek(&self) -> Option<u8> {
        self.peek_at(0)
    }

    fn peek_at(&self, ahead: usize) -> Option<u8> {
        let at = self.at + ahead;
        if at < self.end {
            self.source.as_bytes().get(at).copied()
        } else {
            None
        }
    }

    fn rest(&self) -> &'a str {
        self.source.get(self.at..self.end).unwrap_or_default()
    }

    fn slice(&self, range: Range<usize>) -> &'a str {
        self.source.get(range).unwrap_or_default()
    }

    /// Steps over the text if it comes next.
    fn take(&mut self, text: &str) -> bool {
        let found = self.rest().starts_with(text);
        if found {
            self.at += text.len();
        }
        found
    }

    /// Steps over blanks, joined lines and a comment.
    fn blanks(&mut self) -> Result<(), Stop> {
        loop {
            match self.peek() {
                Some(b' ' | b'\t') => self.at += 1,
                Some(b'\\') if self.peek_at(1) == Some(b'\n') => {
                    self.join_lines()?;
                }
                Some(b'#') if self.begins_a_word() => {
                    let rest = self.rest();
                    self.at += rest.find('\n').unwrap_or(rest.len());
                }
                _ => return Ok(()),
            }
        }
    }

    /// A `#` that comes right after joined lines may belong to the word before them.
    fn begins_a_word(&self) -> bool {
        let before = self
            .at
            .checked_sub(1)
            .and_then(|at| self.source.as_bytes().get(at));
        !matches!(before, Some(byte) if !b" \t\n;&|()<>`".contains(byte))
    }

    /// Steps over a backslash at the end of a line. bash takes it out before it looks for operators, so it must not
    /// stand where it could make one.
    fn join_lines(&mut self) -> Result<(), Stop> {
        let before = self
            .at
            .checked_sub(1)
            .and_then(|at| self.source.as_bytes().get(at))
            .copied();
        self.at += 2;
        let blank = |byte: Option<u8>| matches!(byte, None | Some(b' ' | b'\t' | b'\n'));
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_./,\"'".contains(&byte);
        if blank(before) && self.peek() != Some(b'\n')
            || blank(self.peek())
            || self.peek().is_some_and(plain)
        {
            Ok(())
        } else {
            Err(self.stop("a line is continued in the middle of something"))
        }
    }

    /// Steps over blanks and the ends of lines, and reads the here-documents that begin there.
    fn lines(&mut self) -> Result<(), Stop> {
        loop {
            self.blanks()?;
            if self.peek() != Some(b'\n') {
                return Ok(());
            }
            self.at += 1;
            self.heredocs()?;
        }
    }

    fn no_heredoc_is_open(&mut self) -> Result<(), Stop> {
        if self.pending.is_empty() {
            Ok(())
        } else {
            Err(self.stop("a here-document has no text"))
        }
    }
}

#[cfg(test)]
mod tests;

//! What is wrong with a file, in words for a person.
//!
//! A message may name keys, paths and types. It must never carry a value: settings and `.env` files
//! hold secrets, and problems end up in logs and in editors.

use std::fmt;
use std::path::{Path, PathBuf};

/// A list longer than this hides the first thing to fix.
const SHOWN_PER_FILE: usize = 5;

/// One finding about one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    pub path: PathBuf,
    /// `None` when the finding is about the file as a whole, such as its permissions.
    pub place: Option<Place>,
    pub severity: Severity,
    pub message: String,
    /// What the user can do about it.
    pub fix: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// The file is used, perhaps without the part that is wrong.
    Warning,
    /// Nothing of the file is used.
    Error,
}

/// A position as editors show it: both numbers start at one, columns count characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    pub line: usize,
    pub column: usize,
}

impl Problem {
    pub(crate) fn error(path: &Path, message: impl Into<String>) -> Self {
        Self::new(path, Severity::Error, message.into())
    }

    pub(crate) fn warning(path: &Path, message: impl Into<String>) -> Self {
        Self::new(path, Severity::Warning, message.into())
    }

    fn new(path: &Path, severity: Severity, message: String) -> Self {
        Self {
            path: path.to_path_buf(),
            place: None,
            severity,
            message,
            fix: None,
        }
    }

    pub(crate) fn at(mut self, place: Place) -> Self {
        self.place = Some(place);
        self
    }

    pub(crate) fn fixed_by(mut self, fix: impl Into<String>) -> Self {
        self.fix = Some(fix.into());
        self
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.path.display())?;
        if let Some(place) = self.place {
            write!(f, ":{}:{}", place.line, place.column)?;
        }
        write!(f, ": {}", self.message)?;
        if let Some(fix) = &self.fix {
            write!(f, " ({fix})")?;
        }
        Ok(())
    }
}

impl std::error::Error for Problem {}

impl Place {
    /// The place of a byte of `text`. Lines end at LF, CRLF and CR, as language servers count them, and
    /// a byte order mark takes no column.
    pub(crate) fn of(text: &str, offset: usize) -> Self {
        let mut place = Self { line: 1, column: 1 };
        let mut after_return = false;
        for (start, character) in text.char_indices() {
            let ends_crlf = after_return && character == '\n';
            if after_return && !ends_crlf {
                place.next_line();
            }
            after_return = false;
            if start >= offset {
                break;
            }
            match character {
                '\n' => place.next_line(),
                '\r' => {
                    after_return = true;
                    place.column += 1;
                }
                '\u{feff}' if start == 0 => {}
                _ => place.column += 1,
            }
        }
        if after_return && offset >= text.len() {
            place.next_line();
        }
        place
    }

    fn next_line(&mut self) {
        self.line += 1;
        self.column = 1;
    }
}

/// Keeps the first findings about one file and counts the rest.
pub(crate) fn shorten(path: &Path, mut problems: Vec<Problem>) -> Vec<Problem> {
    let hidden = problems.len().saturating_sub(SHOWN_PER_FILE);
    if hidden > 0 {
        problems.truncate(SHOWN_PER_FILE);
        problems.push(Problem::warning(path, format!("and {hidden} more")));
    }
    problems
}

#[cfg(test)]
mod tests;

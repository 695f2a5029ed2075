use std::fmt;
use std::ops::RangeInclusive;

use super::nearest::{Difference, Nearest};
use super::placeholder::Placeholder;

/// Why an edit came to nothing. The text goes to the model, so it says what to send instead.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum EditError {
    #[error(
        "old_string is empty, which stands for a new file, but the file exists; send the text to replace"
    )]
    EmptyOld,
    #[error(
        "line {} of new_string is `{}`, which stands for text that was left out; send the whole text",
        .0.line, .0.text
    )]
    OmissionPlaceholder(Placeholder),
    #[error("old_string does not occur in the file{}", Advice { nearest: nearest.as_deref(), already_at: *already_at })]
    NoOccurrence {
        nearest: Option<Box<Nearest>>,
        /// The line from which the file holds new_string already.
        already_at: Option<usize>,
    },
    #[error(
        "old_string occurs {count} times, at {}; add lines around it until it is unique, or set allow_multiple",
        Lines(lines)
    )]
    SeveralOccurrences {
        count: usize,
        /// The lines of each, counted from 1.
        lines: Vec<RangeInclusive<usize>>,
    },
    #[error(
        "the file would stay as it is, because old_string and new_string come to the same text"
    )]
    NoChange,
}

impl EditError {
    /// The type under which the twin knows this error.
    pub fn error_type(&self) -> &'static str {
        match self {
            Self::EmptyOld => "attempt_to_create_existing_file",
            Self::OmissionPlaceholder(_) => "invalid_tool_params",
            Self::NoOccurrence { .. } => "edit_no_occurrence_found",
            Self::SeveralOccurrences { .. } => "edit_expected_occurrence_mismatch",
            Self::NoChange => "edit_no_change",
        }
    }
}

/// What comes after "does not occur in the file".
struct Advice<'a> {
    nearest: Option<&'a Nearest>,
    already_at: Option<usize>,
}

impl fmt::Display for Advice<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(line) = self.already_at {
            return write!(
                f,
                ", but new_string does, from line {line}: the edit may have been made before; read the file again"
            );
        }
        let Some(nearest) = self.nearest else {
            return f.write_str(
                ", and nothing in it comes close; read it again with read_file and copy the text exactly, blanks and \
                 indentation included",
            );
        };
        let Nearest {
            line,
            text,
            similarity,
            difference,
        } = nearest;
        let percent = (similarity * 100.0).floor();
        write!(
            f,
            "; the nearest text starts at line {line} and is {percent} % the same:\n{text}\n"
        )?;
        if let Some(Difference { line, file, old }) = difference {
            write!(
                f,
                "It first differs in line {line}, where the file has `{file}` and old_string has `{old}`. "
            )?;
        }
        f.write_str("Send old_string exactly as the file has it, blanks and indentation included")
    }
}

struct Lines<'a>(&'a [RangeInclusive<usize>]);

impl fmt::Display for Lines<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const MOST: usize = 10;
        let mut starts: Vec<usize> = self.0.iter().map(|lines| *lines.start()).collect();
        starts.dedup();
        f.write_str(if starts.len() == 1 { "line" } else { "lines" })?;
        for (index, line) in starts.iter().take(MOST).enumerate() {
            let comma = if index > 0 { "," } else { "" };
            write!(f, "{comma} {line}")?;
        }
        match starts.len().saturating_sub(MOST) {
            0 => Ok(()),
            more => write!(f, " and {more} more"),
        }
    }
}

//! An edit as a model sends it: the text to find, and the text to put in its place.
//!
//! A model sees every line end as a line feed and often gets blanks wrong, so the text is looked for in four ways,
//! each more forgiving than the one before. What is found is then spliced into the real text: a line that stays
//! keeps its bytes, a line that is new takes the ending of the lines it replaces, and nothing else changes.

mod distance;
mod error;
mod escapes;
mod exact;
mod flexible;
mod fuzzy;
mod indent;
mod line_table;
mod nearest;
mod placeholder;
mod seen;
mod snippet;
mod splice;
mod stat;
mod tokens;

#[cfg(test)]
mod tests;

use std::fmt;
use std::ops::{Range, RangeInclusive};

use line_table::LineTable;
use seen::Seen;

pub use error::EditError;
pub use escapes::unescape;
pub use nearest::{Difference, Nearest};
pub use placeholder::{Placeholder, omission_placeholder};
pub use snippet::snippet;
pub use stat::{Changes, DiffStat, diff_stat};

/// The text to find and what to put in its place.
#[derive(Clone, Copy, Debug)]
pub struct Replacement<'a> {
    pub old: &'a str,
    pub new: &'a str,
    pub occurrences: Occurrences,
}

/// How many occurrences may be replaced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Occurrences {
    /// Exactly one, or it is an error.
    One,
    /// All there are, at least one.
    All,
}

/// The text after an edit, and how the edit found its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Replaced {
    pub text: String,
    /// How many occurrences were replaced.
    pub count: usize,
    pub strategy: Strategy,
    /// The lines of the text before the edit in which each occurrence lay, counted from 1.
    pub lines: Vec<RangeInclusive<usize>>,
}

/// How the text to replace was found. Tried in this order; the first that finds anything decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Strategy {
    /// Letter by letter.
    Exact,
    /// Line by line, whatever the blanks at both ends of each line.
    Flexible,
    /// Word by word, whatever the blanks and line ends between words.
    Regex,
    /// With a few letters wrong.
    Fuzzy,
}

impl fmt::Display for Strategy {
    /// The names under which the twin reports them.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Exact => "exact",
            Self::Flexible => "flexible",
            Self::Regex => "regex",
            Self::Fuzzy => "fuzzy",
        })
    }
}

/// One place to change: a range of the text as it is seen, and what comes there.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Spot {
    range: Range<usize>,
    new: String,
}

/// `text` with the old text replaced by the new one.
pub fn replace(text: &str, replacement: &Replacement<'_>) -> Result<Replaced, EditError> {
    if replacement.old.is_empty() {
        return Err(EditError::EmptyOld);
    }
    if let Some(placeholder) = omission_placeholder(replacement.new, Some(replacement.old)) {
        return Err(EditError::OmissionPlaceholder(placeholder));
    }
    let (mark, body) = split_mark(text);
    let seen = Seen::new(body);
    let (old, new) = (
        seen::normalised(replacement.old),
        seen::normalised(replacement.new),
    );
    if old == new {
        return Err(EditError::NoChange);
    }
    let Some((strategy, mut spots)) = find(seen.text(), &old, &new) else {
        return Err(nearest::no_occurrence(seen.text(), &old, &new));
    };
    let lines = line_table::lines_of(seen.text(), &spots);
    let count = spots.len();
    if count > 1 && replacement.occurrences == Occurrences::One {
        return Err(EditError::SeveralOccurrences { count, lines });
    }
    splice::join_neighbours(&mut spots);
    splice::keep_final_newline(seen.text(), &mut spots);
    let changed = splice::spliced(body, &seen, &spots);
    if changed == body {
        return Err(EditError::NoChange);
    }
    Ok(Replaced {
        text: format!("{mark}{changed}"),
        count,
        strategy,
        lines,
    })
}

/// `base` with the whole text replaced by `new`, as a file that is written anew: lines that stay keep their bytes,
/// others take the line endings around them, and a byte order mark stays.
pub fn overwrite(base: &str, new: &str) -> String {
    let (mark, body) = split_mark(base);
    let seen = Seen::new(body);
    let (_, new) = split_mark(new);
    let whole = Spot {
        range: 0..seen.text().len(),
        new: seen::normalised(new).into_owned(),
    };
    format!("{mark}{}", splice::spliced(body, &seen, &[whole]))
}

/// The places the first strategy that finds any has found.
fn find(text: &str, old: &str, new: &str) -> Option<(Strategy, Vec<Spot>)> {
    let found = |strategy, spots: Vec<Spot>| (!spots.is_empty()).then_some((strategy, spots));
    let exact = found(Strategy::Exact, exact::find(text, old, new));
    // Blanks alone would be found, in a forgiving way, almost anywhere.
    if exact.is_some() || old.trim().is_empty() {
        return exact;
    }
    let table = LineTable::new(text);
    found(Strategy::Flexible, flexible::find(&table, old, new))
        .or_else(|| found(Strategy::Regex, tokens::find(&table, old, new)))
        .or_else(|| found(Strategy::Fuzzy, fuzzy::find(&table, old, new)))
}

/// A byte order mark belongs to the file and not to its first line.
fn split_mark(text: &str) -> (&str, &str) {
    let body = text.strip_prefix('\u{feff}').unwrap_or(text);
    text.split_at(text.len() - body.len())
}

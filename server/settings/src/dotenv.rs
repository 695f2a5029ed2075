//! The text of a `.env` file, read as the dotenv package of npm reads it.
//!
//! Lenient: a line that is no assignment is skipped and reported by number, never by content, because
//! that content is likely to be a secret.

/// What a file says, in its order; a later assignment to a name replaces an earlier one.
#[derive(Default, PartialEq, Eq)]
pub(crate) struct Assignments {
    pub(crate) pairs: Vec<(String, String)>,
    pub(crate) oddities: Vec<Oddity>,
}

/// A place where the file was not understood.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Oddity {
    pub(crate) line: usize,
    pub(crate) kind: OddityKind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum OddityKind {
    NotAnAssignment,
    QuoteNeverCloses,
}

pub(crate) fn parse(text: &str) -> Assignments {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let unified = text.replace("\r\n", "\n").replace('\r', "\n");
    let mut found = Assignments::default();
    let mut rest = unified.as_str();
    let mut line = 1;
    while !rest.is_empty() {
        let consumed = match assignment(rest) {
            Some(assignment) => {
                if assignment.closes == Closes::Never {
                    found.oddities.push(Oddity {
                        line,
                        kind: OddityKind::QuoteNeverCloses,
                    });
                }
                found.set(assignment.name, assignment.value);
                assignment.length
            }
            None => {
                let content = first_line(rest).trim_start();
                if !content.is_empty() && !content.starts_with('#') {
                    found.oddities.push(Oddity {
                        line,
                        kind: OddityKind::NotAnAssignment,
                    });
                }
                0
            }
        };
        // A quoted value may span lines; what follows it on its last line was looked at already.
        let consumed = consumed + first_line(rest.get(consumed..).unwrap_or_default()).len();
        let (used, remaining) = rest.split_at_checked(consumed).unwrap_or((rest, ""));
        line += used.matches('\n').count() + 1;
        rest = remaining.strip_prefix('\n').unwrap_or_default();
    }
    found
}

impl Assignments {
    fn set(&mut self, name: &str, value: String) {
        match self.pairs.iter_mut().find(|(known, _)| known == name) {
            Some((_, present)) => *present = value,
            None => self.pairs.push((name.to_owned(), value)),
        }
    }
}

struct Assignment<'a> {
    name: &'a str,
    value: String,
    closes: Closes,
    /// Up to the end of the value.
    length: usize,
}

#[derive(PartialEq, Eq)]
enum Closes {
    AsItShould,
    Never,
}

/// Reads `NAME=value`, `NAME: value` or either with `export` in front, at the start of a line.
fn assignment(text: &str) -> Option<Assignment<'_>> {
    let line = first_line(text);
    let (name, after_name) = name(line.trim_start())?;
    let after_mark = match after_name.trim_start().strip_prefix('=') {
        Some(after) => after,
        None => after_name
            .strip_prefix(':')
            .filter(|after| after.starts_with(char::is_whitespace))?,
    };
    let value_start = line.len() - after_mark.trim_start().len();
    let raw = text.get(value_start..)?;
    if let Some((value, length)) = quoted(raw) {
        return Some(Assignment {
            name,
            value,
            closes: Closes::AsItShould,
            length: value_start + length,
        });
    }
    let plain = first_line(raw);
    let plain = plain
        .split_once('#')
        .map_or(plain, |(before, _)| before)
        .trim();
    // `A='it's'` means `it's`: quotes around the whole line count, whatever is between them.
    let stripped = ['"', '\'', '`']
        .iter()
        .find_map(|quote| plain.strip_prefix(*quote)?.strip_suffix(*quote));
    let opens = plain.starts_with(['"', '\'', '`']) && stripped.is_none();
    Some(Assignment {
        name,
        value: match stripped.unwrap_or(plain) {
            content if plain.starts_with('"') => unescaped(content),
            content => content.to_owned(),
        },
        closes: if opens {
            Closes::Never
        } else {
            Closes::AsItShould
        },
        length: line.len(),
    })
}

fn name(line: &str) -> Option<(&str, &str)> {
    let exported = line
        .strip_prefix("export")
        .filter(|rest| rest.starts_with(char::is_whitespace))
        .map(str::trim_start);
    // `export = 1` sets a variable of that name.
    [exported, Some(line)]
        .into_iter()
        .flatten()
        .find_map(|text| {
            let length = text
                .find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-')))
                .unwrap_or(text.len());
            text.split_at_checked(length)
                .filter(|(name, _)| !name.is_empty())
        })
}

/// A value in quotes, with its length including them. Only space or a comment may follow on its line.
fn quoted(text: &str) -> Option<(String, usize)> {
    let quote = text
        .chars()
        .next()
        .filter(|c| matches!(c, '"' | '\'' | '`'))?;
    let mut closing = Vec::new();
    for (at, _) in text.match_indices(quote).skip(1) {
        closing.push(at);
        let escaped = text.get(..at).is_some_and(|before| before.ends_with('\\'));
        if !escaped {
            break;
        }
    }
    // An escaped quote closes the value after all if no later one does.
    closing.into_iter().rev().find_map(|at| {
        let after = first_line(text.get(at + 1..)?).trim_start();
        if !after.is_empty() && !after.starts_with('#') {
            return None;
        }
        let content = text.get(1..at)?;
        let value = match quote {
            '"' => unescaped(content),
            _ => content.to_owned(),
        };
        Some((value, at + 1))
    })
}

/// Only line breaks have an escape, and only between double quotes.
fn unescaped(text: &str) -> String {
    text.replace("\\n", "\n").replace("\\r", "\r")
}

fn first_line(text: &str) -> &str {
    text.split_once('\n').map_or(text, |(line, _)| line)
}

#[cfg(test)]
mod tests;

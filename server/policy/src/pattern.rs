//! Patterns of rule files, which are written for JavaScript's regular expressions.

use std::iter::Peekable;
use std::str::Chars;
use std::sync::{Arc, OnceLock};

use regex::{Regex, RegexBuilder};

#[cfg(test)]
mod tests;

const MAX_LENGTH: usize = 2048;
/// A compiled pattern above this is a mistake or an attack.
const MAX_COMPILED: usize = 1 << 20;

/// A pattern and the text it was written as.
#[derive(Clone, Debug)]
pub(crate) struct Pattern {
    text: String,
    compiled: Arc<Compiled>,
}

/// Compiled at the latest when it is needed. Nothing in it: the pattern is wrong.
#[derive(Debug)]
struct Compiled {
    source: String,
    regex: OnceLock<Option<Regex>>,
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum BadPattern {
    #[error("the pattern has more than {MAX_LENGTH} characters")]
    TooLong,
    #[error("the pattern uses {0}, which Pollux does not support")]
    Unsupported(&'static str),
    #[error("the pattern is not a regular expression: {0}")]
    Invalid(String),
}

impl Pattern {
    /// For the whole text of the arguments.
    pub(crate) fn args(text: &str) -> Result<Self, BadPattern> {
        Self::compile(text, &translate(&revive_borders(text), Anchors::Text)?)
    }

    /// The same in a rule that Pollux ships, which allows and is known to be right: it is compiled for the first call that it
    /// is about. Most sessions have none, and what compiles patterns is much code and memory.
    pub(crate) fn shipped(text: &str) -> Result<Self, BadPattern> {
        Ok(Self {
            text: text.to_owned(),
            compiled: Arc::new(Compiled {
                source: translate(&revive_borders(text), Anchors::Text)?,
                regex: OnceLock::new(),
            }),
        })
    }

    /// For a command from its beginning, where `^` may but need not stand.
    pub(crate) fn command(text: &str) -> Result<Self, BadPattern> {
        Self::compile(text, &from_the_beginning(text)?)
    }

    /// As [`Pattern::command`], but the second branch of `a|b` may match anywhere: that is what the twin makes
    /// of it, and a rule that restricts must not lose reach.
    pub(crate) fn command_generous(text: &str) -> Result<Self, BadPattern> {
        let strict = from_the_beginning(text)?;
        // Without a branch both would say the same.
        let regex = match text.contains('|') {
            true => format!("{strict}|\"command\":\"{}", translate(text, Anchors::Text)?),
            false => strict,
        };
        Self::compile(text, &regex)
    }

    fn compile(text: &str, regex: &str) -> Result<Self, BadPattern> {
        if text.chars().count() > MAX_LENGTH {
            return Err(BadPattern::TooLong);
        }
        let compiled =
            build(regex).map_err(|error| BadPattern::Invalid(last_line(&error.to_string())))?;
        Ok(Self {
            text: text.to_owned(),
            compiled: Arc::new(Compiled {
                source: regex.to_owned(),
                regex: OnceLock::from(Some(compiled)),
            }),
        })
    }

    pub(crate) fn is_match(&self, text: &str) -> bool {
        let Compiled { source, regex } = &*self.compiled;
        let regex = regex.get_or_init(|| build(source).ok());
        regex.as_ref().is_some_and(|regex| regex.is_match(text))
    }

    pub(crate) fn text(&self) -> &str {
        &self.text
    }
}

fn build(source: &str) -> Result<Regex, regex::Error> {
    let mut builder = RegexBuilder::new(source);
    builder.size_limit(MAX_COMPILED).build()
}

/// Text as a pattern that matches nothing else, also for the twin.
pub(crate) fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 8);
    for character in text.chars() {
        if "-[]{}()*+?.,\\^$|#\"/".contains(character) {
            out.push('\\');
        }
        out.push(character);
    }
    out
}

fn from_the_beginning(text: &str) -> Result<String, BadPattern> {
    let inner = translate(text, Anchors::Command)?;
    Ok(format!("\"command\":\"(?:{inner})"))
}

/// The twin saves `\\0"file_path":"x"\\0` and means the NUL bytes around an argument, but the text it writes
/// stands for a backslash and a zero, and no approval of a file ever matched.
fn revive_borders(text: &str) -> String {
    const DEAD: &str = r"\\0";
    let inner = text
        .strip_prefix(DEAD)
        .filter(|rest| rest.starts_with('"') || rest.starts_with("\\\""))
        .and_then(|rest| rest.strip_suffix(DEAD));
    match inner {
        Some(inner) => format!(r"\x00{inner}\x00"),
        None => text.to_owned(),
    }
}

/// What `^` and `$` stand for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Anchors {
    Text,
    /// The command begins where the pattern is tried, and ends at the quote and the border behind it.
    Command,
}

/// JavaScript's syntax in the words of the `regex` crate.
fn translate(text: &str, anchors: Anchors) -> Result<String, BadPattern> {
    let mut out = String::with_capacity(text.len() + 16);
    let mut rest = text.chars().peekable();
    while let Some(character) = rest.next() {
        match character {
            '\\' => translate_escape(&mut rest, &mut out, Inside::Pattern)?,
            '[' => translate_class(&mut rest, &mut out)?,
            '(' => {
                out.push('(');
                refuse_lookaround(&rest)?;
            }
            '^' if anchors == Anchors::Command => {}
            '$' if anchors == Anchors::Command => out.push_str("\"\\x00"),
            '{' if !begins_repetition(&rest) => out.push_str("\\{"),
            _ => out.push(character),
        }
    }
    Ok(out)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Inside {
    Pattern,
    Class,
}

fn translate_escape(
    rest: &mut Peekable<Chars<'_>>,
    out: &mut String,
    inside: Inside,
) -> Result<(), BadPattern> {
    let Some(escaped) = rest.next() else {
        return Err(BadPattern::Invalid("it ends in a backslash".to_owned()));
    };
    match escaped {
        '0' => out.push_str(r"\x00"),
        '1'..='9' | 'k' => return Err(BadPattern::Unsupported("a back-reference")),
        'd' => out.push_str(r"[0-9]"),
        'D' => out.push_str(r"[^0-9]"),
        'w' => out.push_str(r"[0-9A-Za-z_]"),
        'W' => out.push_str(r"[^0-9A-Za-z_]"),
        'b' if inside == Inside::Class => out.push_str(r"\x08"),
        'b' | 'B' | 's' | 'S' | 'f' | 'n' | 'r' | 't' | 'v' | 'x' | 'u' => {
            out.push('\\');
            out.push(escaped);
        }
        'c' => return Err(BadPattern::Unsupported("a control escape (`\\c`)")),
        'p' | 'P' => out.push(escaped),
        letter if letter.is_ascii_alphanumeric() => out.push(letter),
        '<' | '>' => out.push(escaped),
        mark if mark.is_ascii() => {
            out.push('\\');
            out.push(mark);
        }
        other => out.push(other),
    }
    Ok(())
}

fn translate_class(rest: &mut Peekable<Chars<'_>>, out: &mut String) -> Result<(), BadPattern> {
    let negated = rest.next_if_eq(&'^').is_some();
    if rest.next_if_eq(&']').is_some() {
        // JavaScript's "anything" and "nothing"; elsewhere the bracket would be a member.
        out.push_str(if negated { r"[\s\S]" } else { r"[^\s\S]" });
        return Ok(());
    }
    out.push_str(if negated { "[^" } else { "[" });
    while let Some(character) = rest.next() {
        match character {
            ']' => {
                out.push(']');
                return Ok(());
            }
            '\\' => translate_escape(rest, out, Inside::Class)?,
            // These begin set operations and inner classes here, and are plain there.
            '[' | '&' | '~' => {
                out.push('\\');
                out.push(character);
            }
            _ => out.push(character),
        }
    }
    Err(BadPattern::Invalid("a `[` is never closed".to_owned()))
}

fn refuse_lookaround(rest: &Peekable<Chars<'_>>) -> Result<(), BadPattern> {
    let mut ahead = rest.clone();
    if ahead.next() != Some('?') {
        return Ok(());
    }
    match (ahead.next(), ahead.next()) {
        (Some('=' | '!'), _) => Err(BadPattern::Unsupported("a look-ahead")),
        (Some('<'), Some('=' | '!')) => Err(BadPattern::Unsupported("a look-behind")),
        _ => Ok(()),
    }
}

/// `{2}`, `{2,}` or `{2,3}`; any other brace is only a brace.
fn begins_repetition(rest: &Peekable<Chars<'_>>) -> bool {
    let inner: Option<String> = {
        let mut ahead = rest.clone();
        let mut inner = String::new();
        loop {
            match ahead.next() {
                Some('}') => break Some(inner),
                Some(character) if inner.len() < 16 => inner.push(character),
                _ => break None,
            }
        }
    };
    let is_number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    inner.is_some_and(|inner| {
        let (low, high) = inner.split_once(',').unwrap_or((&inner, ""));
        !low.is_empty() && is_number(low) && is_number(high)
    })
}

/// The crate draws the place of an error over several lines and says in the last one what it is.
fn last_line(text: &str) -> String {
    let line = text.lines().last().unwrap_or_default().trim();
    line.strip_prefix("error: ").unwrap_or(line).to_owned()
}

//! From text to an object, or to one problem with its place.

use serde_json::{Map, Value};

use super::blank::{Blanked, blank};
use super::message::{Explanation, explain, explain_end};
use super::spans::{self, Member, Step};
use crate::problem::{Place, Problem};
use crate::source::Source;

/// A file whose top level is an object.
pub(crate) struct Document {
    pub(crate) source: Source,
    pub(crate) object: Map<String, Value>,
    pub(crate) blanked: Blanked,
}

impl Document {
    /// Where the value at `steps` begins; the nearest enclosing value if it cannot be found.
    pub(crate) fn place(&self, steps: &[Step]) -> Place {
        let offset = (0..=steps.len())
            .rev()
            .filter_map(|length| steps.get(..length))
            .find_map(|path| spans::locate(&self.blanked.text, path))
            .map_or(0, |span| span.start);
        self.source.place(offset)
    }

    /// The entries of the top level, in the order of the file.
    pub(crate) fn members(&self) -> Vec<Member> {
        spans::top_level_members(&self.blanked.text).unwrap_or_default()
    }
}

pub(crate) fn parse(source: Source) -> Result<Document, Problem> {
    let blanked = blank(&source.text);
    let text = blanked.text.as_str();
    if text.trim_ascii().is_empty() && blanked.unclosed.is_none() {
        return Err(problem(&source, 0, "holds no JSON").fixed_by("write {} or remove the file"));
    }
    match serde_json::from_str::<Value>(text) {
        Ok(Value::Object(object)) if blanked.unclosed.is_none() => Ok(Document {
            source,
            object,
            blanked,
        }),
        Ok(value) => Err(match blanked.unclosed {
            Some(start) => unclosed_comment(&source, start),
            None => {
                let message = format!(
                    "is not a valid JSON object: the top level is {}",
                    spans::describe(&value)
                );
                problem(&source, text.len() - text.trim_ascii_start().len(), message)
                    .fixed_by("put the settings between { and }")
            }
        }),
        Err(error) => {
            let offset = offset_of(text, &error);
            // An open comment swallows the rest, so a complaint behind its start is only an echo.
            Err(match blanked.unclosed {
                Some(start) if start <= offset || error.is_eof() => {
                    unclosed_comment(&source, start)
                }
                _ => syntax_error(&source, text, offset, &error),
            })
        }
    }
}

fn unclosed_comment(source: &Source, start: usize) -> Problem {
    problem(
        source,
        start,
        "the comment that starts here is never closed",
    )
    .fixed_by("add */")
}

fn syntax_error(source: &Source, text: &str, offset: usize, error: &serde_json::Error) -> Problem {
    let full = error.to_string();
    let complaint = full
        .rsplit_once(" at line ")
        .map_or(full.as_str(), |(complaint, _)| complaint);
    let (offset, Explanation { message, fix }) = if error.is_eof() {
        (text.trim_ascii_end().len(), explain_end(complaint))
    } else {
        let found = text.get(offset..).and_then(|rest| rest.chars().next());
        let offset = match complaint {
            // The parser points at the bracket; the comma before it is what has to go.
            "trailing comma" => text
                .get(..offset)
                .and_then(|before| before.rfind(','))
                .unwrap_or(offset),
            _ => offset,
        };
        (offset, explain(complaint, found))
    };
    let problem = problem(source, offset, message);
    match fix {
        Some(fix) => problem.fixed_by(fix),
        None => problem,
    }
}

fn problem(source: &Source, offset: usize, message: impl Into<String>) -> Problem {
    Problem::error(&source.path, message).at(source.place(offset))
}

/// serde_json counts lines at LF only and columns in bytes; its column is that of the byte it stopped
/// at, or zero when that byte is the line feed itself.
fn offset_of(text: &str, error: &serde_json::Error) -> usize {
    let line_start: usize = text
        .split_inclusive('\n')
        .take(error.line().saturating_sub(1))
        .map(str::len)
        .sum();
    (line_start + error.column())
        .saturating_sub(1)
        .min(text.len())
}

#[cfg(test)]
mod tests;

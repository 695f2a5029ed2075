//! `read_file`

#[cfg(test)]
mod tests;

use pollux_text::lines;
use rmcp::model::Tool;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Call, Effect, Failure};

pub(super) const NAME: &str = "read_file";

/// Of one answer, in bytes. The rest is asked for by its first line.
const MOST_TEXT: usize = 256 * 1024;

#[derive(Deserialize, JsonSchema)]
pub(super) struct Arguments {
    /// Within the workspace folder, or whole.
    path: String,
    /// Where to begin, counted from 1.
    first_line: Option<usize>,
    /// How many lines at most.
    line_count: Option<usize>,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct Answer {
    path: String,
    text: String,
    /// Of the whole file.
    lines: usize,
    /// Counted from 1.
    first_line: usize,
    /// The first line that is not told, if there is one.
    next_line: Option<usize>,
    /// Whether it is open in the editor, and the text therefore the editor's.
    open: bool,
}

pub(super) fn tool() -> Tool {
    super::tool::<Arguments, Answer>(
        NAME,
        "Read a file",
        "Reads a file of the workspace as the person has it: with what is typed and not saved yet if it is open in the \
         editor, from disk otherwise.",
        &Effect::Reads,
    )
}

pub(super) async fn run(call: &Call<'_>, arguments: Arguments) -> Result<Answer, Failure> {
    call.tell(move |sight| {
        let (place, whole) = sight.read(&arguments.path)?;
        let all = lines(&whole);
        let first_line = arguments.first_line.unwrap_or(1).max(1);
        let wanted = arguments.line_count.unwrap_or(usize::MAX);
        let (text, told) = excerpt(all.iter().skip(first_line - 1).take(wanted), MOST_TEXT);
        let next_line = first_line + told;
        Ok(Answer {
            path: sight.name(&place.at.path),
            text,
            lines: all.len(),
            first_line,
            next_line: (next_line <= all.len()).then_some(next_line),
            open: sight.shown(&place.key).is_some(),
        })
    })
    .await
}

/// As many whole lines as fit, and how many they are. One that is too long by itself is cut.
fn excerpt<'text>(lines: impl Iterator<Item = &'text &'text str>, most: usize) -> (String, usize) {
    let mut text = String::new();
    let mut told = 0;
    for line in lines {
        if text.len() + line.len() > most {
            if told == 0 {
                let end = line.floor_char_boundary(most);
                text.push_str(line.get(..end).unwrap_or_default());
                told = 1;
            }
            break;
        }
        text.push_str(line);
        told += 1;
    }
    (text, told)
}

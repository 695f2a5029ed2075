//! `read_file`: the text of a file, or a range of its lines.

#[cfg(test)]
mod tests;

use pollux_model::{FunctionCall, ToolDeclaration};
use pollux_text::lines;
use serde_json::{Map, json};

use super::error::ToolError;
use super::{Desk, ToolOutput};

pub(super) const NAME: &str = "read_file";

/// Lines per call when no end is asked for.
const WINDOW: usize = 2_000;
/// Characters per line; the rest is cut off.
const LONGEST_LINE: usize = 2_000;
/// Characters per call, whatever range is asked for: a hard cap on what a model is shown.
const LONGEST_OUTPUT: usize = 1_000_000;

pub(super) fn declaration() -> ToolDeclaration {
    ToolDeclaration {
        name: NAME.to_owned(),
        description: format!(
            "Reads a text file of the workspace. Returns at most {WINDOW} lines unless end_line is given; says \
             so when there is more."
        ),
        parameters: json!({
            "type": "object",
            "properties": {
                "file_path": {
                    "type": "string",
                    "description": "The file, relative to the workspace root.",
                },
                "start_line": {
                    "type": "integer",
                    "minimum": 1,
                    "description": "The first line to read, counted from 1.",
                },
                "end_line": {
                    "type": "integer",
                    "minimum": 1,
                    "description": "The last line to read.",
                },
            },
            "required": ["file_path"],
        }),
    }
}

pub(super) fn title(call: &FunctionCall) -> String {
    let path = super::params::Params::new(&call.args).string("file_path");
    format!("Read {}", path.unwrap_or("a file"))
}

pub(super) async fn run(desk: Desk<'_>) -> Result<ToolOutput, ToolError> {
    let path = desk.path()?;
    let start = desk.params().line("start_line")?;
    let end = desk.params().line("end_line")?;
    if let (Some(start), Some(end)) = (start, end)
        && start > end
    {
        return Err(ToolError::InvalidParams {
            name: "start_line",
            must_be: "must not be greater than `end_line`",
        });
    }
    let text = desk.read(&path).await?;
    let excerpt = Excerpt::of(&text, start, end);
    let mut response = Map::new();
    response.insert("output".to_owned(), excerpt.output().into());
    Ok(ToolOutput {
        response,
        summary: excerpt.summary(),
    })
}

/// The lines of a file that a call gets to see.
struct Excerpt {
    /// Joined by line feeds, whatever the file has: the model edits text, `replace` restores the endings.
    text: String,
    /// Counted from 1, inclusive; `last < first` when there are none.
    first: usize,
    last: usize,
    total: usize,
}

impl Excerpt {
    fn of(text: &str, start: Option<usize>, end: Option<usize>) -> Self {
        let all = lines(text);
        let first = start.unwrap_or(1);
        let wanted = end.unwrap_or(first.saturating_add(WINDOW - 1));
        let mut shown = String::new();
        let mut last = first.saturating_sub(1);
        let count = wanted.saturating_sub(last);
        for line in all.iter().skip(last).take(count) {
            if shown.len() > LONGEST_OUTPUT {
                break;
            }
            push_line(&mut shown, line);
            last += 1;
        }
        Self {
            text: shown,
            first,
            last,
            total: all.len(),
        }
    }

    fn is_whole(&self) -> bool {
        self.first == 1 && self.last >= self.total
    }

    fn output(&self) -> String {
        let Self {
            text,
            first,
            last,
            total,
        } = self;
        if self.is_whole() {
            text.clone()
        } else if last < first {
            format!("The file has {total} lines, so there is nothing from line {first} on.")
        } else {
            let more = match last < total {
                true => format!(" Read on with start_line {}.", last + 1),
                false => String::new(),
            };
            format!(
                "These are lines {first}-{last} of {total}.{more}\n--- FILE CONTENT (truncated) ---\n{text}"
            )
        }
    }

    fn summary(&self) -> String {
        match (self.is_whole(), self.total) {
            (true, 1) => "1 line".to_owned(),
            (true, total) => format!("{total} lines"),
            (false, total) => format!("lines {}–{} of {total}", self.first, self.last),
        }
    }
}

/// Appends a line with a line feed for whatever ending it has, cut at the longest length.
fn push_line(shown: &mut String, line: &str) {
    let body = line.trim_end_matches(['\r', '\n']);
    match body.char_indices().nth(LONGEST_LINE) {
        Some((cut, _)) => {
            shown.push_str(body.get(..cut).unwrap_or_default());
            shown.push_str("... [truncated]");
        }
        None => shown.push_str(body),
    }
    if body.len() < line.len() {
        shown.push('\n');
    }
}

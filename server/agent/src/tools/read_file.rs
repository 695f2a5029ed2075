//! `read_file`: the text of a file, or a range of its lines.

mod kind;

#[cfg(test)]
mod tests;

use base64::Engine as _;
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use pollux_model::{InlineData, Part, ToolDeclaration};
use pollux_search::{Kind, Tree};
use pollux_text::lines;
use serde_json::{Map, Value, json};

use super::params::Params;
use super::searching::SearchSetup;
use super::{Desk, Tool, ToolError, ToolOutput};
use crate::{FileError, MAX_FILE_BYTES, WorkspacePath};
pub(super) use kind::FileKind;

pub(super) const NAME: &str = "read_file";

/// A drawing is text, but a large one says nothing to a model.
const LARGEST_DRAWING: usize = 1024 * 1024;
/// Lines per call when no end is asked for.
const WINDOW: usize = 2_000;
/// Characters per line; the rest is cut off.
const LONGEST_LINE: usize = 2_000;
/// Characters per call, whatever range is asked for: a hard cap on what a model is shown.
const LONGEST_OUTPUT: usize = 1_000_000;

pub(super) struct ReadFile(pub(super) SearchSetup);

impl Tool for ReadFile {
    fn name(&self) -> &str {
        NAME
    }

    fn declaration(&self) -> ToolDeclaration {
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

    fn title(&self, args: &Map<String, Value>) -> String {
        let path = Params::new(args).optional_string("file_path");
        format!("Read {}", path.unwrap_or("a file"))
    }

    fn check(&self, desk: &Desk<'_>) -> Result<(), ToolError> {
        desk.path()?;
        let params = desk.params();
        match (params.number("start_line"), params.number("end_line")) {
            (Some(start), Some(end)) if start > end => Err(ToolError::invalid(
                "start_line cannot be greater than end_line",
            )),
            _ => Ok(()),
        }
    }

    fn run<'a>(&'a self, desk: &'a Desk<'_>) -> BoxFuture<'a, Result<ToolOutput, ToolError>> {
        async {
            let path = desk.path()?;
            self.refuse_ignored(desk, &path).await?;
            let kind = FileKind::of(path.as_path());
            if let FileKind::Document { mime_type } = kind {
                return document(desk, &path, mime_type).await;
            }
            let text = match desk.or_cancelled(desk.config.files.read(&path)).await? {
                Err(FileError::NotText) => return Ok(binary(&path)),
                read => read?,
            };
            if kind == FileKind::Drawing && text.len() > LARGEST_DRAWING {
                let told = format!("Cannot display content of SVG file larger than 1MB: {path}");
                return Ok(ToolOutput::text(told, "too large a drawing"));
            }
            let params = desk.params();
            let excerpt = Excerpt::of(
                &text,
                params.number("start_line"),
                params.number("end_line"),
            );
            Ok(ToolOutput::text(excerpt.output(), excerpt.summary()))
        }
        .boxed()
    }
}

impl ReadFile {
    /// What the project leaves out, the model does not see.
    async fn refuse_ignored(&self, desk: &Desk<'_>, path: &WorkspacePath) -> Result<(), ToolError> {
        let place = desk.absolute(path);
        let rules = self.0.ignore.clone();
        let look = move |tree: &Tree<'_>| tree.rules.is_ignored(&place, Kind::File);
        match self.0.look(desk, rules, look).await? {
            false => Ok(()),
            true => Err(ToolError::invalid(format!(
                "File path '{path}' is ignored by configured ignore patterns."
            ))),
        }
    }
}

pub(super) async fn document(
    desk: &Desk<'_>,
    path: &WorkspacePath,
    mime_type: &str,
) -> Result<ToolOutput, ToolError> {
    let reading = desk.config.files.read_bytes(path, MAX_FILE_BYTES);
    let bytes = desk.or_cancelled(reading).await??;
    let data = InlineData {
        mime_type: mime_type.to_owned(),
        data: base64::engine::general_purpose::STANDARD.encode(&bytes),
    };
    let told = format!("The content of {path} ({mime_type}) follows.");
    Ok(ToolOutput {
        attachments: vec![Part::InlineData(data)],
        ..ToolOutput::text(told, format!("{} kB", bytes.len().div_ceil(1024)))
    })
}

fn binary(path: &WorkspacePath) -> ToolOutput {
    let told = format!("Cannot display content of binary file: {path}");
    ToolOutput::text(told, "a binary file")
}

/// The lines of a file that a call gets to see.
pub(super) struct Excerpt {
    /// Joined by line feeds, whatever the file has: the model edits text, `replace` restores the endings.
    text: String,
    /// Counted from 1, inclusive; `last < first` when there are none.
    first: usize,
    last: usize,
    total: usize,
}

impl Excerpt {
    pub(super) fn of(text: &str, start: Option<usize>, end: Option<usize>) -> Self {
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

    /// The lines, each with a line feed.
    pub(super) fn text(&self) -> &str {
        &self.text
    }

    pub(super) fn is_whole(&self) -> bool {
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

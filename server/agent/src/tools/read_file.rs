//! `read_file`: the text of a file, or a range of its lines.

mod kind;

#[cfg(test)]
mod tests;

use base64::Engine as _;
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use pollux_model::{InlineData, Part, ToolDeclaration};
use pollux_search::{Kind, Tree};
use serde_json::{Map, Value, json};

use super::params::Params;
use super::searching::SearchSetup;
use super::{Desk, Tool, ToolError, ToolOutput};
use crate::excerpt::{Excerpt, WINDOW};
use crate::{FileError, MAX_FILE_BYTES, WorkspacePath};
pub(super) use kind::FileKind;

pub(super) const NAME: &str = "read_file";

/// A drawing is text, but a large one says nothing to a model.
const LARGEST_DRAWING: usize = 1024 * 1024;

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
            let (start, end) = (params.number("start_line"), params.number("end_line"));
            let excerpt = Excerpt::between(&text, start, end);
            let summary = summary(&excerpt);
            Ok(ToolOutput::text(output(excerpt), summary))
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

fn output(excerpt: Excerpt) -> String {
    let Excerpt {
        text,
        first,
        last,
        total,
        ..
    } = &excerpt;
    if excerpt.has_all_lines() {
        excerpt.text
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

fn summary(excerpt: &Excerpt) -> String {
    match (excerpt.has_all_lines(), excerpt.total) {
        (true, 1) => "1 line".to_owned(),
        (true, total) => format!("{total} lines"),
        (false, total) => format!("lines {}–{} of {total}", excerpt.first, excerpt.last),
    }
}

//! `replace`: an edit of one file, proposed to the person and written as far as it is kept.

#[cfg(test)]
mod tests;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use pollux_model::ToolDeclaration;
use pollux_text::{EditError, Occurrences, Replaced, Replacement, Strategy, omission_placeholder};
use serde_json::{Map, Value, json};

use super::editing::Meant;
use super::params::{Flag, Params};
use super::searching::SearchSetup;
use super::{Asks, Desk, ErrorKind, Tool, ToolError, ToolOutput, editing, reviewed};
use crate::WorkspacePath;
use crate::api::Target;

pub(super) const NAME: &str = "replace";

pub(super) struct Replace(pub(super) SearchSetup);

impl Tool for Replace {
    fn name(&self) -> &str {
        NAME
    }

    fn declaration(&self) -> ToolDeclaration {
        ToolDeclaration {
            name: NAME.to_owned(),
            description: "Replaces text in a file of the workspace. The person sees the change as hunks and keeps or \
                          rejects each; the result tells which. Read the file first: old_string must match it \
                          exactly."
                .to_owned(),
            parameters: json!({
                "type": "object",
                "properties": {
                    "file_path": {
                        "type": "string",
                        "description": "The file, relative to the workspace root.",
                    },
                    "instruction": {
                        "type": "string",
                        "description": "What the change does, in one sentence for the person.",
                    },
                    "old_string": {
                        "type": "string",
                        "description": "The text to replace, with enough lines around it to be unique.",
                    },
                    "new_string": {
                        "type": "string",
                        "description": "The text to put in its place.",
                    },
                    "allow_multiple": {
                        "type": "boolean",
                        "description": "Replace every occurrence. Otherwise there must be exactly one.",
                    },
                },
                "required": ["file_path", "instruction", "old_string", "new_string"],
            }),
        }
    }

    fn title(&self, args: &Map<String, Value>) -> String {
        let params = Params::new(args);
        let path = params.optional_string("file_path").unwrap_or("a file");
        match params.optional_string("instruction") {
            Some(instruction) => format!("Edit {path}: {instruction}"),
            None => format!("Edit {path}"),
        }
    }

    fn check(&self, desk: &Desk<'_>) -> Result<(), ToolError> {
        desk.edited_path()?;
        let params = desk.params();
        let (old, new) = (params.string("old_string")?, params.string("new_string")?);
        match omission_placeholder(new, Some(old)) {
            None => Ok(()),
            Some(placeholder) => Err(editing::failed(&EditError::OmissionPlaceholder(
                placeholder,
            ))),
        }
    }

    fn asks<'a>(&'a self, _: &'a Desk<'_>) -> BoxFuture<'a, Result<Asks, ToolError>> {
        async { Ok(Asks::InReview) }.boxed()
    }

    fn run<'a>(&'a self, desk: &'a Desk<'_>) -> BoxFuture<'a, Result<ToolOutput, ToolError>> {
        async {
            let params = desk.params();
            let (old, new) = (params.string("old_string")?, params.string("new_string")?);
            let (path, base) = match editing::file(desk, &self.0).await? {
                Meant::File { path, text } => (path, text),
                Meant::Missing(path) => return create(desk, &path, old, new).await,
                Meant::Elsewhere(call) => return Ok(ToolOutput::tail(call)),
            };
            let replacement = Replacement {
                old,
                new,
                occurrences: match params.flag("allow_multiple", Flag::Off) {
                    Flag::On => Occurrences::All,
                    Flag::Off => Occurrences::One,
                },
            };
            let replaced = pollux_text::replace(&base, &replacement)
                .map_err(|error| editing::failed(&error))?;
            let reviewed = desk
                .propose(&path, Target::File, &base, &replaced.text)
                .await?;
            let applied = desk.apply(&reviewed).await?;
            Ok(reviewed::output(
                desk,
                &reviewed,
                &applied,
                written(desk, &path, &replaced),
            ))
        }
        .boxed()
    }
}

/// An empty text to replace stands for a new file.
async fn create(
    desk: &Desk<'_>,
    path: &WorkspacePath,
    old: &str,
    new: &str,
) -> Result<ToolOutput, ToolError> {
    if !old.is_empty() {
        return Err(ToolError::new(
            ErrorKind::FileNotFound,
            format!("there is no file {path}; send an empty old_string to create it"),
        )
        .shown_as("there is no such file"));
    }
    let reviewed = desk.propose(path, Target::NewFile, "", new).await?;
    let applied = desk.apply(&reviewed).await?;
    let place = desk.absolute(path);
    let written = format!(
        "Created new file: {} with provided content.",
        place.display()
    );
    Ok(reviewed::output(desk, &reviewed, &applied, written))
}

fn written(desk: &Desk<'_>, path: &WorkspacePath, replaced: &Replaced) -> String {
    let place = desk.absolute(path);
    let count = replaced.count;
    let mut text = format!(
        "Successfully modified file: {} ({count} replacements).",
        place.display()
    );
    if replaced.strategy == Strategy::Fuzzy {
        let lines: Vec<String> = replaced
            .lines
            .iter()
            .map(|lines| format!("{}-{}", lines.start(), lines.end()))
            .collect();
        text.push_str(&format!(
            " Applied fuzzy match at line(s) {}.",
            lines.join(", ")
        ));
    }
    text
}

//! `write_file`: a file as a whole.

#[cfg(test)]
mod tests;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use pollux_model::ToolDeclaration;
use pollux_text::{omission_placeholder, overwrite};
use serde_json::{Map, Value, json};

use super::params::Params;
use super::{Asks, Desk, Tool, ToolError, ToolOutput, reviewed};
use crate::FileError;
use crate::api::Target;

const NAME: &str = "write_file";

pub(super) struct WriteFile;

impl Tool for WriteFile {
    fn name(&self) -> &str {
        NAME
    }

    fn declaration(&self) -> ToolDeclaration {
        ToolDeclaration {
            name: NAME.to_owned(),
            description: "Writes a whole file, new or not. To change a part of one, use replace."
                .to_owned(),
            parameters: json!({
                "type": "object",
                "properties": {
                    "file_path": { "type": "string", "description": "The file, relative to the workspace root." },
                    "content": { "type": "string", "description": "All of its text." },
                },
                "required": ["file_path", "content"],
            }),
        }
    }

    fn title(&self, args: &Map<String, Value>) -> String {
        let path = Params::new(args).optional_string("file_path");
        format!("Write {}", path.unwrap_or("a file"))
    }

    fn check(&self, desk: &Desk<'_>) -> Result<(), ToolError> {
        desk.edited_path()?;
        match omission_placeholder(desk.params().string("content")?, None) {
            None => Ok(()),
            Some(placeholder) => Err(ToolError::invalid(format!(
                "line {} of content, `{}`, stands for text that is left out; send all of the file's text",
                placeholder.line, placeholder.text
            ))),
        }
    }

    fn asks<'a>(&'a self, _: &'a Desk<'_>) -> BoxFuture<'a, Result<Asks, ToolError>> {
        async { Ok(Asks::InReview) }.boxed()
    }

    fn run<'a>(&'a self, desk: &'a Desk<'_>) -> BoxFuture<'a, Result<ToolOutput, ToolError>> {
        async {
            let path = desk.edited_path()?;
            let content = desk.params().string("content")?;
            let read = desk.or_cancelled(desk.config.files.read(&path)).await?;
            let (target, base, proposed) = match read {
                Ok(base) => {
                    let proposed = overwrite(&base, content);
                    (Target::File, base, proposed)
                }
                Err(FileError::NotFound) => (Target::NewFile, String::new(), content.to_owned()),
                Err(error) => return Err(error.into()),
            };
            let place = desk.absolute(&path);
            let done = match target {
                Target::File => format!("Successfully overwrote file: {}.", place.display()),
                Target::NewFile => {
                    format!(
                        "Successfully created and wrote to new file: {}.",
                        place.display()
                    )
                }
            };
            if target == Target::File && base == proposed {
                let told = format!("{} holds exactly this text already.", place.display());
                return Ok(ToolOutput::text(told, "nothing to change"));
            }
            let reviewed = desk.propose(&path, target, &base, &proposed).await?;
            let applied = desk.apply(&reviewed).await?;
            Ok(reviewed::output(desk, &reviewed, &applied, done))
        }
        .boxed()
    }
}

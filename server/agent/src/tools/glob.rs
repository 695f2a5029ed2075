//! `glob`: files by the pattern of their path.

#[cfg(test)]
mod tests;

use std::time::SystemTime;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use pollux_model::ToolDeclaration;
use pollux_search::{Case, Excludes, GlobQuery, glob};
use serde_json::{Map, Value, json};

use super::params::{Flag, Params};
use super::searching::{SearchSetup, failed};
use super::{Desk, ErrorKind, Tool, ToolError, ToolOutput};

const NAME: &str = "glob";

/// Paths that a model is told of; the total is exact.
const MOST_PATHS: usize = 5_000;

pub(super) struct Glob(pub(super) SearchSetup);

impl Tool for Glob {
    fn name(&self) -> &str {
        NAME
    }

    fn declaration(&self) -> ToolDeclaration {
        ToolDeclaration {
            name: NAME.to_owned(),
            description: "Finds files by a glob pattern such as `src/**/*.ts`, the newest first."
                .to_owned(),
            parameters: json!({
                "type": "object",
                "properties": {
                    "pattern": { "type": "string", "minLength": 1, "description": "The pattern." },
                    "dir_path": { "type": "string", "description": "The folder to search; the workspace if left out." },
                    "case_sensitive": { "type": "boolean", "description": "Off unless set." },
                    "respect_git_ignore": { "type": "boolean", "description": "On unless set." },
                    "respect_gemini_ignore": { "type": "boolean", "description": "On unless set." },
                },
                "required": ["pattern"],
            }),
        }
    }

    fn title(&self, args: &Map<String, Value>) -> String {
        let pattern = Params::new(args).optional_string("pattern");
        format!("Find files {}", pattern.unwrap_or_default())
    }

    fn check(&self, desk: &Desk<'_>) -> Result<(), ToolError> {
        desk.place_in("dir_path").map(drop)
    }

    fn run<'a>(&'a self, desk: &'a Desk<'_>) -> BoxFuture<'a, Result<ToolOutput, ToolError>> {
        async {
            let folder = self.0.open_place(desk, "dir_path").await?;
            let params = desk.params();
            let pattern = params.string("pattern")?.to_owned();
            let case = match params.flag("case_sensitive", Flag::Off) {
                Flag::On => Case::Sensitive,
                Flag::Off => Case::Insensitive,
            };
            let rules = self.0.respecting(
                params.set_flag("respect_git_ignore"),
                params.set_flag("respect_gemini_ignore"),
            );
            let look = move |tree: &pollux_search::Tree<'_>| {
                let query = GlobQuery {
                    pattern: &pattern,
                    folder: &folder,
                    case,
                    excludes: &Excludes::for_glob(),
                    now: SystemTime::now(),
                    limit: MOST_PATHS,
                };
                let found = glob(tree, &query)?;
                let summary = match found.total {
                    1 => "1 file".to_owned(),
                    total => format!("{total} files"),
                };
                Ok(ToolOutput::text(found.report(&query), summary))
            };
            let found = self.0.look(desk, rules, look).await?;
            found.map_err(|error| failed(ErrorKind::Glob, &error))
        }
        .boxed()
    }
}

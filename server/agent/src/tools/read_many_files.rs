//! `read_many_files`: the contents of all files that patterns name.
//!
//! The twin no longer tells its main agent of it, and neither do we, unless the settings list it among the core tools.

#[cfg(test)]
mod tests;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use pollux_model::{Part, ToolDeclaration};
use pollux_search::{Case, Excludes, GlobQuery, SearchError, Tree, glob};
use serde_json::{Map, Value, json};

use super::params::{Flag, Params};
use super::read_file::{FileKind, document};
use super::searching::SearchSetup;
use super::{Desk, ErrorKind, Tool, ToolError, ToolOutput};
use crate::WorkspacePath;
use crate::excerpt::Excerpt;

pub(super) const NAME: &str = "read_many_files";

/// Files that are read by one call.
const MOST_FILES: usize = 500;
/// Bytes of all files together: a hard cap on what a model is shown.
const LONGEST_OUTPUT: usize = 1_000_000;

pub(super) struct ReadManyFiles(pub(super) SearchSetup);

impl Tool for ReadManyFiles {
    fn name(&self) -> &str {
        NAME
    }

    fn declaration(&self) -> ToolDeclaration {
        ToolDeclaration {
            name: NAME.to_owned(),
            description: "Reads all files that paths or glob patterns name, one after the other."
                .to_owned(),
            parameters: json!({
                "type": "object",
                "properties": {
                    "include": {
                        "type": "array",
                        "items": { "type": "string", "minLength": 1 },
                        "minItems": 1,
                        "description": "Paths or glob patterns.",
                    },
                    "exclude": {
                        "type": "array",
                        "items": { "type": "string", "minLength": 1 },
                        "description": "Glob patterns of files to leave out.",
                    },
                    "recursive": { "type": "boolean", "description": "Kept for older models; use `**` in a pattern." },
                    "useDefaultExcludes": { "type": "boolean", "description": "On unless set." },
                    "file_filtering_options": {
                        "type": "object",
                        "properties": {
                            "respect_git_ignore": { "type": "boolean" },
                            "respect_gemini_ignore": { "type": "boolean" },
                        },
                    },
                },
                "required": ["include"],
            }),
        }
    }

    fn title(&self, args: &Map<String, Value>) -> String {
        let patterns = Params::new(args).strings("include").unwrap_or_default();
        format!("Read {}", patterns.join(", "))
    }

    fn run<'a>(&'a self, desk: &'a Desk<'_>) -> BoxFuture<'a, Result<ToolOutput, ToolError>> {
        async {
            let include = desk.params().strings("include").unwrap_or_default();
            let (files, total) = self.find(desk, include.clone()).await?;
            let mut reading = Reading::default();
            for file in files {
                reading.add(desk, &include, &file).await?;
                if reading.text.len() > LONGEST_OUTPUT {
                    break;
                }
            }
            Ok(reading.output(total))
        }
        .boxed()
    }
}

impl ReadManyFiles {
    /// The files that the patterns name, sorted, and how many there are in all.
    async fn find(
        &self,
        desk: &Desk<'_>,
        include: Vec<String>,
    ) -> Result<(Vec<PathBuf>, usize), ToolError> {
        let params = desk.params();
        let options = params.object("file_filtering_options");
        let flag = |name| options.as_ref().and_then(|options| options.set_flag(name));
        let rules = self
            .0
            .respecting(flag("respect_git_ignore"), flag("respect_gemini_ignore"));
        let exclude = params.strings("exclude").unwrap_or_default();
        let defaults = params.flag("useDefaultExcludes", Flag::On);
        let root = desk.config.root.clone();
        let look = move |tree: &Tree<'_>| -> Result<BTreeSet<PathBuf>, SearchError> {
            let excludes = match defaults {
                Flag::On => Excludes::for_reading_many(),
                Flag::Off => Excludes::nothing(),
            };
            let excludes = excludes.and(exclude.iter().map(String::as_str))?;
            let mut found = BTreeSet::new();
            for pattern in &include {
                let query = GlobQuery {
                    pattern,
                    folder: &root,
                    case: Case::Insensitive,
                    excludes: &excludes,
                    now: SystemTime::UNIX_EPOCH,
                    limit: usize::MAX,
                };
                found.extend(glob(tree, &query)?.paths);
            }
            Ok(found)
        };
        let found = self.0.look(desk, rules, look).await?;
        let found =
            found.map_err(|error| ToolError::new(ErrorKind::ReadManyFiles, error.to_string()))?;
        let total = found.len();
        Ok((found.into_iter().take(MOST_FILES).collect(), total))
    }
}

/// What has been read so far.
#[derive(Default)]
struct Reading {
    text: String,
    attachments: Vec<Part>,
    read: usize,
    skipped: Vec<String>,
}

impl Reading {
    async fn add(
        &mut self,
        desk: &Desk<'_>,
        include: &[String],
        file: &Path,
    ) -> Result<(), ToolError> {
        let root = &desk.config.root;
        let Ok(path) = WorkspacePath::new(root, &file.to_string_lossy()) else {
            return Ok(());
        };
        if let FileKind::Document { mime_type } = FileKind::of(file) {
            // A picture that nobody named is not worth what it costs.
            if is_named(include, file) {
                let document = document(desk, &path, mime_type).await?;
                self.attachments.extend(document.attachments);
                self.read += 1;
            } else {
                self.skipped.push(format!("{path} (not asked for by name)"));
            }
            return Ok(());
        }
        match desk.or_cancelled(desk.config.files.read(&path)).await? {
            Err(error) => self.skipped.push(format!("{path} ({error})")),
            Ok(text) => {
                let excerpt = Excerpt::beginning(&text);
                self.text
                    .push_str(&format!("--- {} ---\n\n", file.display()));
                if !excerpt.has_all_lines() {
                    self.text.push_str(
                        "[WARNING: This file was truncated. Use read_file with start_line to see the rest.]\n",
                    );
                }
                self.text.push_str(&excerpt.text);
                self.text.push_str("\n\n");
                self.read += 1;
            }
        }
        Ok(())
    }

    fn output(mut self, total: usize) -> ToolOutput {
        if total == 0 {
            let told = "No files matching the criteria were found or all were skipped.";
            return ToolOutput::text(told, "no files");
        }
        let left = total.saturating_sub(self.read + self.skipped.len());
        if left > 0 {
            self.text
                .push_str(&format!("[{left} more files match and are not shown.]\n"));
        }
        if !self.skipped.is_empty() {
            self.text
                .push_str(&format!("[Skipped: {}]\n", self.skipped.join(", ")));
        }
        self.text.push_str("\n--- End of content ---");
        let summary = match self.read {
            1 => "1 file".to_owned(),
            read => format!("{read} files"),
        };
        ToolOutput {
            attachments: self.attachments,
            ..ToolOutput::text(self.text, summary)
        }
    }
}

/// Whether a pattern asks for a file by its name or its extension.
fn is_named(include: &[String], file: &Path) -> bool {
    let name = file
        .file_name()
        .map(|name| name.to_string_lossy().to_lowercase());
    let extension = file
        .extension()
        .map(|extension| format!(".{}", extension.to_string_lossy().to_lowercase()));
    include.iter().any(|pattern| {
        let pattern = pattern.to_lowercase();
        [&name, &extension]
            .into_iter()
            .flatten()
            .any(|part| pattern.contains(part.as_str()))
    })
}

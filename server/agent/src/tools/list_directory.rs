//! `list_directory`: what is in a folder.

#[cfg(test)]
mod tests;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use pollux_model::ToolDeclaration;
use pollux_search::{Kind, Listing, list};
use serde_json::{Map, Value, json};

use super::params::Params;
use super::searching::{SearchSetup, failed};
use super::{Desk, ErrorKind, Tool, ToolError, ToolOutput};

const NAME: &str = "list_directory";

/// Entries that a model is told of; a folder with more is better searched than listed.
const MOST_ENTRIES: usize = 2_000;

pub(super) struct ListDirectory(pub(super) SearchSetup);

impl Tool for ListDirectory {
    fn name(&self) -> &str {
        NAME
    }

    fn declaration(&self) -> ToolDeclaration {
        ToolDeclaration {
            name: NAME.to_owned(),
            description: "Lists the files and folders directly in a folder.".to_owned(),
            parameters: json!({
                "type": "object",
                "properties": {
                    "dir_path": { "type": "string", "description": "The folder." },
                    "ignore": {
                        "type": "array",
                        "items": { "type": "string" },
                        "description": "Glob patterns of names to leave out.",
                    },
                    "file_filtering_options": {
                        "type": "object",
                        "description": "Whether ignore files count; they do unless set to false.",
                        "properties": {
                            "respect_git_ignore": { "type": "boolean" },
                            "respect_gemini_ignore": { "type": "boolean" },
                        },
                    },
                },
                "required": ["dir_path"],
            }),
        }
    }

    fn title(&self, args: &Map<String, Value>) -> String {
        let path = Params::new(args).optional_string("dir_path");
        format!("List {}", path.unwrap_or("a folder"))
    }

    fn check(&self, desk: &Desk<'_>) -> Result<(), ToolError> {
        desk.place_in("dir_path").map(drop)
    }

    fn run<'a>(&'a self, desk: &'a Desk<'_>) -> BoxFuture<'a, Result<ToolOutput, ToolError>> {
        async {
            let folder = self.0.open_place(desk, "dir_path").await?;
            let leave_out = desk.params().strings("ignore").unwrap_or_default();
            let options = desk.params().object("file_filtering_options");
            let flag = |name| options.as_ref().and_then(|options| options.set_flag(name));
            let rules = self
                .0
                .respecting(flag("respect_git_ignore"), flag("respect_gemini_ignore"));
            let listing = self
                .0
                .look(desk, rules, move |tree| list(tree, &folder, &leave_out))
                .await?
                .map_err(|error| failed(ErrorKind::List, &error))?;
            let summary = match listing.ignored {
                0 => format!("{} entries", listing.entries.len()),
                ignored => format!("{} entries, {ignored} ignored", listing.entries.len()),
            };
            Ok(ToolOutput::text(told(&listing), summary))
        }
        .boxed()
    }
}

fn told(listing: &Listing) -> String {
    let folder = listing.folder.display();
    let ignored = match listing.ignored {
        0 => String::new(),
        ignored => format!("\n\n({ignored} ignored)"),
    };
    if listing.entries.is_empty() {
        return format!("Directory {folder} is empty.{ignored}");
    }
    let mut text = format!("Directory listing for {folder}:");
    for entry in listing.entries.iter().take(MOST_ENTRIES) {
        text.push('\n');
        match entry.kind {
            Kind::Folder => text.push_str(&format!("[DIR] {}", entry.name)),
            Kind::File => text.push_str(&format!("{} ({} bytes)", entry.name, entry.size)),
        }
    }
    let more = listing.entries.len().saturating_sub(MOST_ENTRIES);
    if more > 0 {
        text.push_str(&format!("\n… and {more} more; search with glob instead"));
    }
    text + &ignored
}

//! `replace`: an edit of one file, proposed to the person and written as far as it is kept.

mod matching;

#[cfg(test)]
mod tests;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use pollux_model::ToolDeclaration;
use serde_json::{Map, Value, json};

use super::desk::Reviewed;
use super::params::{Flag, Params};
use super::{Asks, Desk, Tool, ToolError, ToolOutput};
use crate::api::{Decision, Hunk, Proposal};

pub(super) const NAME: &str = "replace";

/// The model is told about this many hunks one by one; the totals are always exact.
const MOST_HUNKS_TOLD: usize = 50;
/// Characters of each side of a hunk that are repeated to the model.
const LONGEST_SIDE: usize = 400;

pub(super) struct Replace;

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
        desk.path().map(drop)
    }

    fn asks<'a>(&'a self, _: &'a Desk<'_>) -> BoxFuture<'a, Result<Asks, ToolError>> {
        async { Ok(Asks::InReview) }.boxed()
    }

    fn run<'a>(&'a self, desk: &'a Desk<'_>) -> BoxFuture<'a, Result<ToolOutput, ToolError>> {
        async {
            let path = desk.path()?;
            let params = desk.params();
            let (old, new) = (params.string("old_string")?, params.string("new_string")?);
            let occurrences = match params.flag("allow_multiple", Flag::Off) {
                Flag::On => matching::Occurrences::All,
                Flag::Off => matching::Occurrences::One,
            };
            let base = desk.read(&path).await?;
            let proposed = matching::replaced(&base, old, new, occurrences)?;
            let reviewed = desk.propose(&path, &base, &proposed).await?;
            desk.apply(&reviewed).await?;
            Ok(output(&reviewed))
        }
        .boxed()
    }
}

/// The decisions as data: what was kept and what was rejected, hunk by hunk.
fn output(reviewed: &Reviewed) -> ToolOutput {
    let Reviewed {
        proposal,
        decisions,
    } = reviewed;
    let mut accepted = Vec::new();
    let mut rejected = Vec::new();
    for (index, (hunk, decision)) in proposal.hunks.iter().zip(decisions).enumerate() {
        let list = match decision {
            Decision::Keep => &mut accepted,
            Decision::Reject => &mut rejected,
        };
        list.push(told(index, hunk, proposal));
    }
    let path = &proposal.path;
    let (kept, total) = (accepted.len(), proposal.hunks.len());
    let text = match kept {
        0 => format!("The person rejected the edit, so {path} is unchanged. Do not send it again."),
        _ if kept == total => format!("The person kept the whole edit; it is written to {path}."),
        _ => format!(
            "The person kept {kept} of {total} hunks; those are written to {path}, the others are not."
        ),
    };
    accepted.truncate(MOST_HUNKS_TOLD);
    rejected.truncate(MOST_HUNKS_TOLD);
    let mut response = Map::new();
    response.insert("output".to_owned(), text.into());
    response.insert("accepted".to_owned(), accepted.into());
    response.insert("rejected".to_owned(), rejected.into());
    ToolOutput {
        response,
        summary: format!("kept {kept} of {total}"),
        ..ToolOutput::default()
    }
}

fn told(index: usize, hunk: &Hunk, proposal: &Proposal) -> Value {
    json!({
        "hunk": index + 1,
        "line": hunk.base_lines().start + 1,
        "removed": shortened(hunk.base_text(&proposal.base)),
        "added": shortened(hunk.current_text(&proposal.proposed)),
    })
}

fn shortened(text: &str) -> String {
    match text.char_indices().nth(LONGEST_SIDE) {
        Some((cut, _)) => format!("{}... [truncated]", text.get(..cut).unwrap_or_default()),
        None => text.to_owned(),
    }
}

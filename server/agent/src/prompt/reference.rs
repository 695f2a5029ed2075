//! `@file` and `@folder` in a prompt: their contents are put behind it.
//!
//! Nothing here fails: a prompt is always sent, and what could not be attached is said to the person as a note and
//! to the model where the content would stand. The person's own words are never cut; whether a request fits into the
//! model's window is checked before it is sent.

mod content;
mod folder;
mod parse;
mod resolve;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;

use pollux_model::Part;

use self::content::{Budget, Content};
use self::parse::{Piece, Token, pieces};
use self::resolve::{Resolution, Target, Workspace};
use super::cap::{clip_with_note, one_line};
use super::reading::{IgnoreRule, Reading};
use crate::api::{SentItem, SentKind};
use crate::tools::wrap;
use crate::{PathError, ServerContent, ServerResource, Servers};

pub use content::{
    MAX_INLINE_BYTES, MAX_INLINE_TOTAL_BYTES, MAX_REFERENCE_FILE_BYTES, MAX_REFERENCE_LINES,
    MAX_REFERENCE_TOTAL_BYTES,
};
pub use folder::MAX_FOLDER_FILES;

/// References that are followed; further ones stay words.
pub const MAX_REFERENCES: usize = 50;

/// Of one resource of a server.
const MAX_RESOURCE_BYTES: usize = 256 * 1024;

/// Where references are looked up.
#[derive(Clone, Copy)]
pub struct ReferenceScope<'a> {
    pub reading: &'a dyn Reading,
    /// Absolute. Paths below the first one are told relative to it, as the tools want them.
    pub roots: &'a [PathBuf],
    pub ignore: IgnoreRule<'a>,
    /// `@name` of one of these means the agent and not a file.
    pub agents: &'a [String],
    /// `@server:address` of a resource of theirs means it and not a file.
    pub servers: Option<&'a dyn Servers>,
    /// Files whose whole text comes with the prompt: to name them does not bring it a second time.
    pub given: &'a [PathBuf],
}

/// A prompt with everything it refers to.
#[derive(Clone, Debug, PartialEq)]
pub struct PromptParts {
    pub parts: Vec<Part>,
    /// What is attached, a folder as one.
    pub attached: Vec<SentItem>,
    pub notes: Vec<ReferenceNote>,
}

/// Something the person should know about a reference.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReferenceNote {
    /// As it stands in the prompt, without the `@`.
    pub reference: String,
    pub problem: ReferenceProblem,
}

/// Why a reference is not, or not wholly, attached.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReferenceProblem {
    #[error("there is no such file in the workspace")]
    NotFound,
    #[error("it is outside the workspace")]
    OutsideWorkspace,
    #[error(transparent)]
    Closed(PathError),
    #[error("it is ignored")]
    Ignored,
    #[error("it has {bytes} bytes, and {limit} is the limit")]
    TooLarge { bytes: u64, limit: u64 },
    #[error("the files attached so far fill the limit for one prompt")]
    NoRoom,
    #[error("a prompt may refer to {MAX_REFERENCES} files")]
    TooMany,
    #[error("it cannot be read: {reason}")]
    Unreadable { reason: String },
    #[error("only a part of it is attached")]
    Cut,
}

/// Reads what a prompt refers to.
pub async fn expand_references(scope: ReferenceScope<'_>, prompt: &str) -> PromptParts {
    let pieces = pieces(prompt);
    // Most prompts name nothing, and then nobody need ask the disk where the workspace really lies.
    let roots = match pieces
        .iter()
        .any(|piece| matches!(piece, Piece::Reference(_)))
    {
        true => scope.roots,
        false => &[],
    };
    let workspace = Workspace::new(scope.reading, roots, scope.ignore).await;
    let mut expansion = Expansion {
        attached: scope.given.iter().cloned().collect(),
        ..Expansion::default()
    };
    for piece in pieces {
        match piece {
            Piece::Text(text) => expansion.text.push_str(&text),
            Piece::Reference(token) if scope.agents.contains(&token.path) => {
                expansion.text.push_str(token.raw);
                expansion.agents.insert(token.path);
            }
            Piece::Reference(token) => match resource(scope, &token) {
                Some((servers, resource)) => {
                    expansion.attach_resource(servers, &resource, &token).await
                }
                None => expansion.refer(&workspace, &token).await,
            },
        }
    }
    expansion.finish()
}

/// The resource that a token means.
fn resource<'a>(
    scope: ReferenceScope<'a>,
    token: &Token<'_>,
) -> Option<(&'a dyn Servers, Arc<ServerResource>)> {
    let servers = scope.servers?;
    let found = servers.offering().resource(&token.path)?;
    Some((servers, found))
}

#[derive(Default)]
struct Expansion {
    text: String,
    agents: BTreeSet<String>,
    budget: Budget,
    references: usize,
    attached: BTreeSet<PathBuf>,
    contents: Vec<Part>,
    items: Vec<SentItem>,
    notes: Vec<ReferenceNote>,
}

impl Expansion {
    async fn refer(&mut self, workspace: &Workspace<'_>, token: &Token<'_>) {
        if self.references == MAX_REFERENCES {
            self.text.push_str(token.raw);
            self.note(&token.path, ReferenceProblem::TooMany);
            return;
        }
        match workspace.resolve(token).await {
            Resolution::Missing => {
                self.text.push_str(token.raw);
                if token.place == parse::Place::Free {
                    self.note(&token.path, ReferenceProblem::NotFound);
                }
            }
            Resolution::Refused(problem) => {
                self.references += 1;
                self.text.push_str(token.raw);
                self.not_attached(&token.path, problem);
            }
            Resolution::File(target, rest) => {
                self.references += 1;
                self.text.push_str(&format!("@{}{rest}", target.label));
                if let Some(bytes) = self.attach(workspace, &target, Wanted::ByName).await {
                    self.item(SentKind::File, &target, bytes);
                }
            }
            Resolution::Folder(target, rest) => {
                self.references += 1;
                let glob = target.label_below("**");
                self.text.push_str(&format!("@{glob}{rest}"));
                self.attach_folder(workspace, &target, &glob).await;
            }
        }
    }

    /// What a server has under an address, marked as somebody else's words.
    async fn attach_resource(
        &mut self,
        servers: &dyn Servers,
        resource: &ServerResource,
        token: &Token<'_>,
    ) {
        self.text.push_str(token.raw);
        if self.references == MAX_REFERENCES {
            return self.note(&token.path, ReferenceProblem::TooMany);
        }
        self.references += 1;
        let label = format!("{}:{}", resource.server, resource.uri);
        if !self.attached.insert(PathBuf::from(format!("@{label}"))) {
            return;
        }
        let content = match servers.read(resource).await {
            Ok(content) => content,
            Err(failure) => {
                let reason = failure.to_string();
                return self.not_attached(&token.path, ReferenceProblem::Unreadable { reason });
            }
        };
        let texts = content.into_iter().filter_map(|piece| match piece {
            ServerContent::Text(text) => Some(text),
            ServerContent::Data { shown, .. } => Some(shown),
            ServerContent::Link { .. } | ServerContent::Unknown(_) => None,
        });
        let whole = texts.collect::<Vec<_>>().join("\n");
        let text = clip_with_note(&whole, MAX_RESOURCE_BYTES, "\n[truncated]");
        if text.len() < whole.len() {
            self.note(&token.path, ReferenceProblem::Cut);
        }
        if self.budget.is_spent() {
            return self.not_attached(&token.path, ReferenceProblem::NoRoom);
        }
        let bytes = text.len();
        self.push(format!("\nContent from @{}:\n", one_line(&label)));
        self.push(wrap(&text));
        self.items.push(SentItem {
            kind: SentKind::Attachment,
            label,
            path: None,
            range: None,
            bytes,
        });
    }

    /// How much of the file is attached, if anything is.
    async fn attach(
        &mut self,
        workspace: &Workspace<'_>,
        target: &Target,
        wanted: Wanted,
    ) -> Option<usize> {
        if !self.attached.insert(target.path.clone()) {
            return None;
        }
        let content = content::read(workspace.reading(), target, &mut self.budget, wanted).await;
        let content = match content {
            Ok(content) => content,
            Err(problem) => {
                self.not_attached(&target.label, problem);
                return None;
            }
        };
        let label = &target.label;
        self.push(format!("\nContent from @{label}:\n"));
        let bytes = match content {
            Content::Whole(text) => {
                let bytes = text.len();
                self.push(text);
                bytes
            }
            Content::Cut(text) => {
                let bytes = text.len();
                self.push(text);
                self.note(label, ReferenceProblem::Cut);
                bytes
            }
            Content::Inline(data) => {
                self.contents.push(Part::InlineData(data));
                usize::try_from(target.bytes).unwrap_or(usize::MAX)
            }
        };
        Some(bytes)
    }

    fn item(&mut self, kind: SentKind, target: &Target, bytes: usize) {
        self.items.push(SentItem {
            kind,
            label: match target.label.as_str() {
                "" => ".".to_owned(),
                label => label.to_owned(),
            },
            path: Some(target.path.clone()),
            range: None,
            bytes,
        });
    }

    async fn attach_folder(&mut self, workspace: &Workspace<'_>, folder: &Target, glob: &str) {
        let found = folder::files(workspace, folder).await;
        if found.files.is_empty() {
            let text = format!("\n[@{glob} has no files to show]\n");
            self.push(text);
        }
        let mut bytes = 0;
        for target in &found.files {
            if self.budget.is_spent() {
                self.not_attached(glob, ReferenceProblem::NoRoom);
                return self.item(SentKind::Folder, folder, bytes);
            }
            let attached = self.attach(workspace, target, Wanted::ByFolder).await;
            bytes += attached.unwrap_or_default();
        }
        self.item(SentKind::Folder, folder, bytes);
        if found.more == folder::More::Left {
            let text =
                format!("\n[@{glob} has more files than the {MAX_FOLDER_FILES} shown here]\n");
            self.push(text);
            self.note(glob, ReferenceProblem::Cut);
        }
    }

    /// Everything costs, labels and notes too: a thousand empty files are no way around the cap.
    fn push(&mut self, text: String) {
        self.budget.charge(text.len());
        self.contents.push(Part::Text(text));
    }

    /// Said to both: a model that is not told would believe that it has seen the file.
    fn not_attached(&mut self, reference: &str, problem: ReferenceProblem) {
        let shown = clip_with_note(&one_line(reference), 500, "...");
        let text = format!("\n[@{shown} is not attached: {problem}]\n");
        self.push(text);
        self.note(reference, problem);
    }

    fn note(&mut self, reference: &str, problem: ReferenceProblem) {
        let reference = clip_with_note(reference, 500, "...");
        let note = ReferenceNote { reference, problem };
        if !self.notes.contains(&note) && self.notes.len() < MAX_REFERENCES * 2 {
            self.notes.push(note);
        }
    }

    fn finish(self) -> PromptParts {
        let mut parts = vec![Part::Text(self.text)];
        if !self.agents.is_empty() {
            let names: Vec<String> = self.agents.into_iter().collect();
            parts.push(Part::Text(format!(
                "\n<system_note>\nThe person asks for these sub-agents: {}. Hand the work to them with `invoke_agent`.\n</system_note>",
                names.join(", ")
            )));
        }
        if !self.contents.is_empty() {
            let head = "\n--- Content from referenced files ---".to_owned();
            parts.push(Part::Text(head));
            parts.extend(self.contents);
            parts.push(Part::Text("\n--- End of content ---".to_owned()));
        }
        PromptParts {
            parts,
            attached: self.items,
            notes: self.notes,
        }
    }
}

/// Whether a file itself was asked for. Images come only then.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Wanted {
    ByName,
    ByFolder,
}

//! What goes to the model with a prompt: what the editor shows, and what the prompt names.

use std::path::PathBuf;

use pollux_model::Part;

use super::Turn;
use crate::api::Prompt;
use crate::prompt::{HistoryEnd, ReferenceScope, expand_references};
use crate::{Ignoring, Surroundings};

/// A prompt as it is sent.
pub(super) struct Sent {
    /// What is new about the editor, before the prompt itself.
    pub(super) editor: Option<String>,
    pub(super) parts: Vec<Part>,
}

impl Turn<'_> {
    /// A prompt into the running turn, with what it names. Nothing when the turn was stopped meanwhile.
    pub(super) async fn send_into_turn(&mut self, prompt: Prompt) -> Option<Vec<Part>> {
        let Some(surroundings) = &self.config.surroundings else {
            return Some(prompt.into_parts());
        };
        let roots = [self.config.root.clone()];
        let ignoring = surroundings.ignoring();
        let scope = scope(&**surroundings, &roots, &*ignoring);
        let expanded = tokio::select! {
            biased;
            () = self.cancel.cancelled() => return None,
            expanded = expand_references(scope, &prompt.text) => expanded,
        };
        let mut parts = expanded.parts;
        parts.extend(prompt.attachments);
        Some(parts)
    }

    /// Nothing when the turn was stopped meanwhile.
    pub(super) async fn send(&mut self, prompt: Prompt) -> Option<Sent> {
        self.untold.prompted(&prompt);
        let Some(surroundings) = &self.config.surroundings else {
            return Some(Sent {
                editor: None,
                parts: prompt.into_parts(),
            });
        };
        let roots = [self.config.root.clone()];
        let ignoring = surroundings.ignoring();
        let scope = scope(&**surroundings, &roots, &*ignoring);
        let gathered = async {
            let editor = surroundings.editor().await;
            let expanded = expand_references(scope, &prompt.text).await;
            (editor, expanded)
        };
        let (editor, expanded) = tokio::select! {
            biased;
            () = self.cancel.cancelled() => return None,
            gathered = gathered => gathered,
        };
        // Not raced against a stop: once they are handed out, nobody else has them.
        self.untold.decided(surroundings.decisions().await);
        let untold = self.untold.parts(&prompt);
        let mut parts = expanded.parts;
        parts.extend(prompt.attachments);
        parts.extend(untold);
        Some(Sent {
            editor: editor.and_then(|editor| self.told.tell(editor, HistoryEnd::Complete)),
            parts,
        })
    }
}

/// Where the files lie that a prompt may name.
fn scope<'a>(
    surroundings: &'a dyn Surroundings,
    roots: &'a [PathBuf],
    ignoring: &'a Ignoring,
) -> ReferenceScope<'a> {
    ReferenceScope {
        reading: surroundings.reading(),
        roots,
        ignore: ignoring,
        agents: &[],
    }
}

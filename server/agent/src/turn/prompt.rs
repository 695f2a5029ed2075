//! What goes to the model with a prompt: what the editor shows, what the prompt names, and what is attached to it.

use std::path::PathBuf;

use pollux_model::Part;

use super::Turn;
use crate::api::{
    Attachment, Prompt, Sending, SentContext, SentItem, SentKind, part_bytes, sent_text,
};
use crate::prompt::{
    EditorNews, Problem, PromptParts, ReferenceScope, expand_references, tell_problems,
};
use crate::{Ignoring, Surroundings};

/// A prompt as it is sent.
pub(super) struct Sent {
    /// What is new about the editor, before the prompt itself.
    pub(super) editor: Option<String>,
    pub(super) parts: Vec<Part>,
    /// The same for people, without their own words.
    pub(super) context: SentContext,
}

impl Turn<'_> {
    /// A prompt into the running turn, with what it names. Nothing when the turn was stopped meanwhile.
    pub(super) async fn send_into_turn(&mut self, prompt: Prompt) -> Option<Vec<Part>> {
        let Some(surroundings) = &self.config.surroundings else {
            return Some(prompt.into_parts());
        };
        let roots = [self.config.root.clone()];
        let ignoring = surroundings.ignoring();
        let given = prompt.whole_files();
        let agents = self.config.tools.agents_in(&prompt.text);
        let scope = self.with_servers(ReferenceScope {
            given: &given,
            agents: &agents,
            ..scope(&**surroundings, &roots, &*ignoring)
        });
        let expanded = tokio::select! {
            biased;
            () = self.cancel.cancelled() => return None,
            expanded = expand_references(scope, &prompt.text) => expanded,
        };
        let mut parts = expanded.parts;
        parts.extend(prompt.attachments.iter().map(|sent| sent.content.clone()));
        Some(parts)
    }

    /// Nothing when the turn was stopped meanwhile.
    pub(super) async fn send(&mut self, prompt: Prompt) -> Option<Sent> {
        self.untold.prompted(&prompt);
        let mut items = self.memory_items();
        let Some(surroundings) = &self.config.surroundings else {
            items.extend(prompt.attachments.iter().map(attachment_item));
            let parts = prompt.into_parts();
            return Some(self.sent(None, parts, items));
        };
        let roots = [self.config.root.clone()];
        let ignoring = surroundings.ignoring();
        let given = prompt.whole_files();
        let agents = self.config.tools.agents_in(&prompt.text);
        let scope = self.with_servers(ReferenceScope {
            given: &given,
            agents: &agents,
            ..scope(&**surroundings, &roots, &*ignoring)
        });
        let choice = prompt.context;
        let gathered = async {
            let editor = surroundings.editor().await;
            let problems = match choice.diagnostics {
                Sending::Yes => surroundings.problems().await,
                Sending::AsConfigured | Sending::No => Vec::new(),
            };
            let expanded = match prompt.stands_for {
                None => expand_references(scope, &prompt.text).await,
                Some(_) => PromptParts {
                    parts: vec![Part::Text(prompt.text.clone())],
                    attached: Vec::new(),
                    notes: Vec::new(),
                },
            };
            (editor, problems, expanded)
        };
        let (editor, problems, expanded) = tokio::select! {
            biased;
            () = self.cancel.cancelled() => return None,
            gathered = gathered => gathered,
        };
        // Not raced against a stop: once they are handed out, nobody else has them.
        self.untold.decided(surroundings.decisions().await);
        let untold = self.untold.parts(&prompt);
        let news = editor.and_then(|editor| self.told.tell_chosen(editor, choice));
        let (editor, about_editor) = match news {
            Some(EditorNews { text, items }) => (Some(text), items),
            None => (None, Vec::new()),
        };
        let PromptParts {
            mut parts,
            attached,
            ..
        } = expanded;
        items.extend(about_editor);
        if let Some(told) = tell_problems(&problems) {
            items.push(problems_item(&problems, told.len()));
            parts.push(Part::Text(told));
        }
        items.extend(attached);
        items.extend(prompt.attachments.iter().map(attachment_item));
        parts.extend(prompt.attachments.iter().map(|sent| sent.content.clone()));
        parts.extend(untold);
        Some(self.sent(editor, parts, items))
    }

    /// What servers let be read can be named as files can.
    fn with_servers<'a>(&self, scope: ReferenceScope<'a>) -> ReferenceScope<'a>
    where
        Self: 'a,
    {
        let servers = self.config.tools.servers();
        ReferenceScope {
            servers: servers.map(|servers| &**servers),
            ..scope
        }
    }

    /// The memory files are before the first prompt, and stay there.
    fn memory_items(&self) -> Vec<SentItem> {
        let is_first = self.history.is_empty();
        let Some(memory) = self.memory.as_ref().filter(|_| is_first) else {
            return Vec::new();
        };
        let item = |file: &crate::prompt::MemoryFile| SentItem {
            kind: SentKind::Memory,
            label: file
                .path
                .file_name()
                .unwrap_or_default()
                .to_string_lossy()
                .into_owned(),
            path: Some(file.path.clone()),
            range: None,
            bytes: file.bytes,
        };
        memory.files().iter().map(item).collect()
    }

    fn sent(&self, editor: Option<String>, parts: Vec<Part>, items: Vec<SentItem>) -> Sent {
        let text = sent_text(editor.as_deref(), &parts);
        Sent {
            editor,
            parts,
            context: SentContext {
                turn: self.id,
                items,
                text,
            },
        }
    }
}

fn problems_item(problems: &[Problem], bytes: usize) -> SentItem {
    SentItem {
        kind: SentKind::Diagnostics,
        label: match problems.len() {
            1 => "1 problem".to_owned(),
            count => format!("{count} problems"),
        },
        path: None,
        range: None,
        bytes,
    }
}

fn attachment_item(sent: &Attachment) -> SentItem {
    SentItem {
        kind: SentKind::Attachment,
        label: sent.label.clone(),
        path: sent.path.clone(),
        range: sent.range,
        bytes: part_bytes(&sent.content),
    }
}

/// Where the files lie that a prompt may name.
pub(super) fn scope<'a>(
    surroundings: &'a dyn Surroundings,
    roots: &'a [PathBuf],
    ignoring: &'a Ignoring,
) -> ReferenceScope<'a> {
    ReferenceScope {
        reading: surroundings.reading(),
        roots,
        ignore: ignoring,
        agents: &[],
        servers: None,
        given: &[],
    }
}

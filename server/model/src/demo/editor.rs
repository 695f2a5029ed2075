//! What the person's editor shows, as far as the texts of a request tell.
//!
//! The demo knows nothing of who wrote these texts, so it takes from them what it understands and leaves the rest.

#[cfg(test)]
mod tests;

use std::path::{Component, Path};

use serde_json::{Deserializer, Value};

use super::turn::as_text;
use crate::{Content, Role};

/// What the session's facts begin with.
const SESSION: &str = "<session_context>";
/// What is told of an editor, in full or as far as it has changed.
const KEYS: [&str; 3] = ["activeFile", "otherOpenFiles", "changes"];

/// The file that has the focus, and what is selected in it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Editor {
    /// As the tools take it. Nothing when the file lies outside of the workspace.
    pub(super) file: Option<String>,
    pub(super) selection: Option<Selection>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Selection {
    /// With line feeds alone, as `read_file` returns its lines.
    pub(super) text: String,
    /// Where the file lies, relative to the workspace if it is in there.
    pub(super) place: String,
    /// The line of the cursor, counted from 1.
    pub(super) cursor: Option<usize>,
}

/// The editor as the texts tell it, one after the other.
#[derive(Default)]
struct Told {
    path: Option<String>,
    selected: Option<String>,
    cursor: Option<usize>,
}

impl Editor {
    /// By the newest word about it.
    pub(super) fn of(contents: &[Content]) -> Self {
        let mut told = Told::default();
        let mut workspace = None;
        for text in texts(contents) {
            if let Some(folder) = workspace_in(text) {
                workspace = Some(folder);
            }
            for json in blocks(text) {
                told.hear(&json);
            }
        }
        let Some(path) = told.path else {
            return Self::default();
        };
        let file = workspace.and_then(|workspace| below(workspace, &path));
        let selection = told.selected.map(|selected| Selection {
            text: selected.replace("\r\n", "\n"),
            place: file.clone().unwrap_or(path),
            cursor: told.cursor,
        });
        Self { file, selection }
    }
}

/// Whether a text is about the session or the editor, and nothing that the person said.
pub(super) fn is_context(text: &str) -> bool {
    let tells = |json: Value| KEYS.iter().any(|key| json.get(key).is_some());
    text.starts_with(SESSION) || blocks(text).any(tells)
}

impl Told {
    fn hear(&mut self, json: &Value) {
        if let Some(active) = json.get("activeFile") {
            self.turn_to(active);
        } else if json.get("otherOpenFiles").is_some() {
            // All that is open is told, and none of it has the focus.
            *self = Self::default();
        }
        let Some(changes) = json.get("changes") else {
            return;
        };
        if let Some(active) = changes.get("activeFileChanged") {
            self.turn_to(active);
        }
        for change in ["cursorMoved", "selectionChanged"] {
            if let Some(change) = changes.get(change) {
                self.move_in(change);
            }
        }
    }

    /// Another file has the focus, or none.
    fn turn_to(&mut self, active: &Value) {
        *self = Self::default();
        self.path = active
            .get("path")
            .and_then(Value::as_str)
            .map(str::to_owned);
        self.move_in(active);
    }

    fn move_in(&mut self, file: &Value) {
        if file.get("path").and_then(Value::as_str) != self.path.as_deref() {
            return;
        }
        if let Some(cursor) = file.pointer("/cursor/line").and_then(Value::as_u64) {
            self.cursor = usize::try_from(cursor).ok();
        }
        if let Some(selected) = file.get("selectedText").and_then(Value::as_str) {
            self.selected = (!selected.is_empty()).then(|| selected.to_owned());
        }
    }
}

fn texts(contents: &[Content]) -> impl Iterator<Item = &str> {
    contents
        .iter()
        .filter(|content| content.role == Role::User)
        .flat_map(|content| &content.parts)
        .filter_map(as_text)
}

/// The JSON in a text: one value behind each opening fence.
fn blocks(text: &str) -> impl Iterator<Item = Value> {
    let fenced = text.split("```json\n").skip(1);
    fenced.filter_map(|block| {
        let mut values = Deserializer::from_str(block).into_iter();
        values.next()?.ok()
    })
}

/// The first of the workspace folders, which is the one that tools work in.
fn workspace_in(text: &str) -> Option<&str> {
    let facts = text.strip_prefix(SESSION)?;
    let (facts, _) = facts.split_once("</session_context>")?;
    let mut lines = facts.lines();
    lines.find(|line| *line == "Workspace folders:")?;
    lines.next()?.strip_prefix("- ")
}

fn below(folder: &str, path: &str) -> Option<String> {
    let relative = Path::new(path).strip_prefix(folder).ok()?;
    let names = relative.components().map(|component| match component {
        Component::Normal(name) => name.to_str(),
        Component::Prefix(_) | Component::RootDir | Component::CurDir | Component::ParentDir => {
            None
        }
    });
    let names: Vec<&str> = names.collect::<Option<_>>()?;
    (!names.is_empty()).then(|| names.join("/"))
}

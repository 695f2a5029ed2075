//! What the person looks at: told in full once, then only what changed.

mod delta;
mod sent;
#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};

use pollux_text::Range;

use super::cap::clip;
use crate::api::{ContextChoice, Sending, SentItem};

/// Open files that are told, the active one included.
pub const MAX_OPEN_FILES: usize = 10;
/// Of the selected text.
pub const MAX_SELECTION_BYTES: usize = 16 * 1024;
/// Files with longer paths are not told.
const MAX_PATH_BYTES: usize = 4 * 1024;

const CUT: &str = "... [TRUNCATED]";

/// What an editor shows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EditorContext {
    pub active: Option<ActiveEditor>,
    /// The other open files, the one used last first.
    pub others: Vec<PathBuf>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ActiveEditor {
    pub path: PathBuf,
    pub cursor: Cursor,
    /// Nothing is the same as an empty selection.
    pub selected_text: Option<String>,
    /// Where that is, as the editor counts. The model is not told.
    pub selected: Option<Range>,
}

/// Counted from 1, as people count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cursor {
    pub line: u32,
    pub character: u32,
}

/// How the conversation ends before the next request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HistoryEnd {
    Complete,
    /// A function call waits for its response, and nothing may come between the two.
    PendingCall,
}

/// What the model is told about the editor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EditorNews {
    pub text: String,
    /// The same for people, one thing at a time.
    pub items: Vec<SentItem>,
}

/// Remembers what the model was told about the editor.
#[derive(Clone, Debug, Default)]
pub struct EditorTold {
    last: Option<EditorContext>,
}

impl EditorTold {
    /// The text to put before the next request; nothing when there is nothing new.
    pub fn tell(&mut self, now: EditorContext, end: HistoryEnd) -> Option<String> {
        if end == HistoryEnd::PendingCall {
            return None;
        }
        let news = self.tell_chosen(now, ContextChoice::default());
        news.map(|news| news.text)
    }

    /// The same, without what the person does not want sent. The model goes on believing what it knew of that.
    pub fn tell_chosen(&mut self, now: EditorContext, choice: ContextChoice) -> Option<EditorNews> {
        let now = self.chosen(now, choice).normalised();
        let items = sent::items(self.last.as_ref(), &now);
        let text = match &self.last {
            None => full(&now).map(|json| fenced("What the person's editor shows", &json)),
            Some(last) => delta::delta(last, &now)
                .map(|json| fenced("What changed in the person's editor", &json)),
        };
        self.last = Some(now);
        text.map(|text| EditorNews { text, items })
    }

    fn chosen(&self, mut now: EditorContext, choice: ContextChoice) -> EditorContext {
        let last = self.last.as_ref();
        if choice.active_file == Sending::No {
            now.active = last.and_then(|last| last.active.clone());
        } else if choice.selection == Sending::No
            && let Some(active) = &mut now.active
        {
            let known = last.and_then(|last| last.active.as_ref());
            let known = known.filter(|known| known.path == active.path);
            active.selected_text = known.and_then(|known| known.selected_text.clone());
            active.selected = known.and_then(|known| known.selected);
        }
        if choice.open_files == Sending::No {
            now.others = last.map(|last| last.others.clone()).unwrap_or_default();
        }
        now
    }

    /// After compression, or when the history is replaced: the model no longer knows, so it is told in full.
    pub fn reset(&mut self) {
        self.last = None;
    }
}

impl EditorContext {
    /// Within the limits, each file once, no empty selection.
    fn normalised(mut self) -> Self {
        self.active = self.active.filter(|active| fits(&active.path));
        if let Some(active) = &mut self.active {
            let selected = active.selected_text.take();
            active.selected_text = selected.filter(|text| !text.is_empty()).map(cut);
        }
        let mut room = MAX_OPEN_FILES - usize::from(self.active.is_some());
        let mut others: Vec<PathBuf> = Vec::new();
        for path in self.others {
            let active = self.active.as_ref();
            let known = active.is_some_and(|active| active.path == path) || others.contains(&path);
            if room > 0 && !known && fits(&path) {
                room -= 1;
                others.push(path);
            }
        }
        self.others = others;
        self
    }
}

fn fits(path: &Path) -> bool {
    path.as_os_str().len() <= MAX_PATH_BYTES
}

fn cut(text: String) -> String {
    if text.len() <= MAX_SELECTION_BYTES {
        return text;
    }
    format!("{}{CUT}", clip(&text, MAX_SELECTION_BYTES))
}

fn full(context: &EditorContext) -> Option<Value> {
    let mut json = Map::new();
    if let Some(active) = &context.active {
        json.insert("activeFile".to_owned(), active_json(active));
    }
    if !context.others.is_empty() {
        let others: Vec<Value> = context.others.iter().map(|path| path_json(path)).collect();
        json.insert("otherOpenFiles".to_owned(), others.into());
    }
    (!json.is_empty()).then_some(Value::Object(json))
}

fn active_json(active: &ActiveEditor) -> Value {
    let mut json = Map::new();
    json.insert("path".to_owned(), path_json(&active.path));
    json.insert("cursor".to_owned(), cursor_json(active.cursor));
    if let Some(text) = &active.selected_text {
        json.insert("selectedText".to_owned(), text.as_str().into());
    }
    Value::Object(json)
}

fn path_json(path: &Path) -> Value {
    path.display().to_string().into()
}

fn cursor_json(cursor: Cursor) -> Value {
    json!({ "line": cursor.line, "character": cursor.character })
}

/// JSON has no line breaks of its own, so no selection can close the fence.
fn fenced(sentence: &str, json: &Value) -> String {
    format!("{sentence}, for your information only:\n```json\n{json}\n```")
}

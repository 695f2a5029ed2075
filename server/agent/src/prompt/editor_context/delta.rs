//! The difference between two editor contexts, in the twin's words.

use std::path::PathBuf;

use serde_json::{Map, Value, json};

use super::{ActiveEditor, EditorContext, active_json, cursor_json, path_json};

/// `{"changes": …}` with the keys that have something to say; nothing when none has.
pub(super) fn delta(last: &EditorContext, now: &EditorContext) -> Option<Value> {
    let mut changes = Map::new();
    for (key, here, there) in [("filesOpened", now, last), ("filesClosed", last, now)] {
        let known = open(there);
        let mut paths = open(here);
        paths.retain(|path| !known.contains(path));
        if !paths.is_empty() {
            let paths: Vec<Value> = paths.into_iter().map(|path| path_json(path)).collect();
            changes.insert(key.to_owned(), paths.into());
        }
    }
    match (&last.active, &now.active) {
        (None, None) => {}
        (Some(before), None) => {
            let gone = json!({ "path": null, "previousPath": path_json(&before.path) });
            changes.insert("activeFileChanged".to_owned(), gone);
        }
        (Some(before), Some(after)) if before.path == after.path => {
            moved(before, after, &mut changes);
        }
        (_, Some(after)) => {
            changes.insert("activeFileChanged".to_owned(), active_json(after));
        }
    }
    (!changes.is_empty()).then(|| json!({ "changes": changes }))
}

/// Within one file.
fn moved(before: &ActiveEditor, after: &ActiveEditor, changes: &mut Map<String, Value>) {
    let path = path_json(&after.path);
    if before.cursor != after.cursor {
        let moved = json!({ "path": path, "cursor": cursor_json(after.cursor) });
        changes.insert("cursorMoved".to_owned(), moved);
    }
    if before.selected_text != after.selected_text {
        let text = after.selected_text.as_deref().unwrap_or_default();
        let selected = json!({ "path": path, "selectedText": text });
        changes.insert("selectionChanged".to_owned(), selected);
    }
}

fn open(context: &EditorContext) -> Vec<&PathBuf> {
    let active = context.active.as_ref().map(|active| &active.path);
    active.into_iter().chain(&context.others).collect()
}

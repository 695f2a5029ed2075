//! What people are shown of what the model was told.

use std::path::{Path, PathBuf};

use super::EditorContext;
use crate::api::{SentItem, SentKind};

/// What of `now` the model did not know.
pub(super) fn items(last: Option<&EditorContext>, now: &EditorContext) -> Vec<SentItem> {
    let mut items = Vec::new();
    if let Some(active) = &now.active {
        let known = last.and_then(|last| last.active.as_ref());
        let known = known.filter(|known| known.path == active.path);
        if known.is_none_or(|known| known.cursor != active.cursor) {
            items.push(SentItem {
                kind: SentKind::ActiveFile,
                label: name(&active.path),
                path: Some(active.path.clone()),
                range: None,
                bytes: active.path.as_os_str().len(),
            });
        }
        if let Some(text) = &active.selected_text
            && known.is_none_or(|known| known.selected_text.as_ref() != Some(text))
        {
            items.push(SentItem {
                kind: SentKind::Selection,
                label: match active.selected {
                    Some(range) => format!(
                        "{} {}–{}",
                        name(&active.path),
                        range.start.line + 1,
                        range.end.line + 1
                    ),
                    None => name(&active.path),
                },
                path: Some(active.path.clone()),
                range: active.selected,
                bytes: text.len(),
            });
        }
    }
    let is_news = |path: &&PathBuf| !last.is_some_and(|last| last.others.contains(path));
    let opened: Vec<&PathBuf> = now.others.iter().filter(is_news).collect();
    if !opened.is_empty() {
        items.push(SentItem {
            kind: SentKind::OpenFiles,
            label: match opened.as_slice() {
                [path] => name(path),
                opened => format!("{} open files", opened.len()),
            },
            path: None,
            range: None,
            bytes: opened.iter().map(|path| path.as_os_str().len()).sum(),
        });
    }
    items
}

fn name(path: &Path) -> String {
    let name = path.file_name().unwrap_or(path.as_os_str());
    name.to_string_lossy().into_owned()
}

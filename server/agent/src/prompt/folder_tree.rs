//! The first look at a workspace: a tree of its folders, breadth first, so that the cap cuts depth and not width.

#[cfg(test)]
mod tests;

use std::collections::VecDeque;
use std::path::{Path, PathBuf};

use super::cap::{clip_with_note, one_line};
use super::reading::{Entry, EntryKind, IgnoreRule, Reading, Visibility};

/// Files and folders that are shown, the root not counted.
pub const MAX_TREE_ITEMS: usize = 200;
/// Whatever the names are.
pub const MAX_TREE_BYTES: usize = 16 * 1024;
/// A folder with more entries than this is not read to its end.
const MAX_ENTRIES_READ: usize = 10_000;

/// Shown by name, never entered.
const CLOSED_FOLDERS: [&str; 4] = ["node_modules", ".git", "dist", "__pycache__"];

/// A folder of the tree, with what is shown of it.
struct Folder {
    path: PathBuf,
    name: String,
    lines: Vec<Line>,
    cut: Cut,
}

enum Line {
    File(String),
    /// Index of another folder in the list.
    Folder(usize),
    Closed(String),
}

/// Whether everything in a folder is shown.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Cut {
    Whole,
    More,
}

/// Reads and draws the tree of a folder. A folder that cannot be read is shown as one that has more.
pub async fn folder_tree(reading: &dyn Reading, root: &Path, ignore: IgnoreRule<'_>) -> String {
    let mut folders = vec![Folder::new(root.to_owned(), root.display().to_string())];
    let mut waiting = VecDeque::from([0]);
    let mut room = MAX_TREE_ITEMS;
    while let Some(index) = waiting.pop_front() {
        let Some(path) = folders.get(index).map(|folder| folder.path.clone()) else {
            continue;
        };
        let entries = match room {
            0 => None,
            _ => reading.list(&path, MAX_ENTRIES_READ).await.ok(),
        };
        let mut lines = Vec::new();
        let mut cut = match &entries {
            Some(entries) if entries.len() < MAX_ENTRIES_READ => Cut::Whole,
            _ => Cut::More,
        };
        for entry in sorted(entries.unwrap_or_default()) {
            let child = path.join(&entry.name);
            let ignored = ignore(&child, entry.kind) == Visibility::Ignored;
            if ignored && entry.kind != EntryKind::Folder {
                continue;
            }
            if room == 0 {
                cut = Cut::More;
                break;
            }
            room -= 1;
            lines.push(match entry.kind {
                EntryKind::File | EntryKind::Link => Line::File(entry.name),
                EntryKind::Folder if ignored || CLOSED_FOLDERS.contains(&entry.name.as_str()) => {
                    Line::Closed(entry.name)
                }
                EntryKind::Folder => {
                    waiting.push_back(folders.len());
                    folders.push(Folder::new(child, entry.name));
                    Line::Folder(folders.len() - 1)
                }
            });
        }
        if let Some(folder) = folders.get_mut(index) {
            folder.lines = lines;
            folder.cut = cut;
        }
    }
    let mut drawing = String::new();
    draw(&folders, 0, 0, &mut drawing);
    clip_with_note(drawing.trim_end(), MAX_TREE_BYTES, "\n...")
}

impl Folder {
    fn new(path: PathBuf, name: String) -> Self {
        Self {
            path,
            name,
            lines: Vec::new(),
            cut: Cut::More,
        }
    }
}

/// Files first, each kind by name.
fn sorted(mut entries: Vec<Entry>) -> Vec<Entry> {
    entries.sort_by(|one, other| {
        let rank = |entry: &Entry| entry.kind == EntryKind::Folder;
        (rank(one), &one.name).cmp(&(rank(other), &other.name))
    });
    entries
}

/// At most [`MAX_TREE_ITEMS`] deep, because every level costs one item.
fn draw(folders: &[Folder], index: usize, depth: usize, drawing: &mut String) {
    let Some(folder) = folders.get(index) else {
        return;
    };
    let slash = match folder.name.ends_with('/') {
        true => "",
        false => "/",
    };
    let indent = |depth: usize| " ".repeat(depth);
    // Nothing of it is shown: the dots go on its own line.
    let closed = folder.lines.is_empty() && folder.cut == Cut::More;
    let dots = if closed { "..." } else { "" };
    let name = one_line(&folder.name);
    drawing.push_str(&format!("{}{name}{slash}{dots}\n", indent(depth)));
    for line in &folder.lines {
        match line {
            Line::File(name) => {
                drawing.push_str(&format!("{}{}\n", indent(depth + 1), one_line(name)));
            }
            Line::Closed(name) => {
                drawing.push_str(&format!("{}{}/...\n", indent(depth + 1), one_line(name)));
            }
            Line::Folder(child) => draw(folders, *child, depth + 1, drawing),
        }
    }
    if folder.cut == Cut::More && !closed {
        drawing.push_str(&format!("{}...\n", indent(depth + 1)));
    }
}

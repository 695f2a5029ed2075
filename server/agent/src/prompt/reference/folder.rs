//! The files of a folder that a prompt refers to.

use std::collections::VecDeque;
use std::path::Path;

use super::resolve::{Target, Workspace};
use crate::prompt::reading::{EntryKind, FileKind};

/// Files that one folder brings along.
pub const MAX_FOLDER_FILES: usize = 100;
/// Entries that are looked at, over all folders below.
const MAX_ENTRIES: usize = 20_000;

/// Never entered: dependencies, version control, what tools generate.
const CLOSED_FOLDERS: [&str; 11] = [
    "node_modules",
    ".git",
    "bower_components",
    ".svn",
    ".hg",
    ".vscode",
    ".idea",
    "dist",
    "build",
    "coverage",
    "__pycache__",
];
/// The model has memory files already; the others are for the system or secret.
const CLOSED_FILES: [&str; 4] = ["GEMINI.md", "AGENTS.md", ".DS_Store", ".env"];
/// By their names alone: archives, programs, office documents, compiled code.
const CLOSED_EXTENSIONS: [&str; 27] = [
    "bin", "exe", "dll", "so", "dylib", "class", "jar", "war", "zip", "tar", "gz", "bz2", "rar",
    "7z", "pak", "rpa", "doc", "docx", "xls", "xlsx", "ppt", "pptx", "odt", "ods", "odp", "pyc",
    "pyo",
];

pub(super) struct FolderFiles {
    /// By path.
    pub(super) files: Vec<Target>,
    pub(super) more: More,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum More {
    None,
    Left,
}

/// Breadth first, so that the cap cuts the depth. Links are not followed.
pub(super) async fn files(workspace: &Workspace<'_>, folder: &Target) -> FolderFiles {
    let mut files = Vec::new();
    let mut more = More::None;
    let mut room = MAX_ENTRIES;
    let mut waiting = VecDeque::from([folder.path.clone()]);
    'walk: while let Some(folder) = waiting.pop_front() {
        if room == 0 {
            more = More::Left;
            break;
        }
        let Ok(mut entries) = workspace.reading().list(&folder, room).await else {
            continue;
        };
        room = room.saturating_sub(entries.len());
        entries.sort();
        for entry in entries {
            let path = folder.join(&entry.name);
            if workspace.is_ignored(&path, entry.kind) {
                continue;
            }
            match entry.kind {
                EntryKind::Folder if !is_any_of(&entry.name, &CLOSED_FOLDERS) => {
                    waiting.push_back(path);
                }
                EntryKind::File if !is_closed_file(&entry.name) => {
                    if files.len() == MAX_FOLDER_FILES {
                        more = More::Left;
                        break 'walk;
                    }
                    // Between the list and this look the file may have become a link to somewhere else.
                    let Ok(found) = workspace.reading().look(&path).await else {
                        continue;
                    };
                    if found.kind == FileKind::File && workspace.holds(&found) {
                        files.push(Target {
                            label: workspace.label(&path),
                            bytes: found.bytes,
                            path,
                        });
                    }
                }
                EntryKind::Folder | EntryKind::File | EntryKind::Link => {}
            }
        }
    }
    files.sort_by(|one, other| one.path.cmp(&other.path));
    FolderFiles { files, more }
}

fn is_closed_file(name: &str) -> bool {
    let extension = Path::new(name)
        .extension()
        .and_then(|extension| extension.to_str());
    let extension = extension.unwrap_or_default();
    // Every spelling of `.env.local` holds what `.env` holds.
    let environment = name.to_ascii_lowercase().starts_with(".env.");
    environment || is_any_of(name, &CLOSED_FILES) || is_any_of(extension, &CLOSED_EXTENSIONS)
}

fn is_any_of(name: &str, closed: &[&str]) -> bool {
    closed.iter().any(|other| name.eq_ignore_ascii_case(other))
}

//! The one file a model means when it forgets the first folders of a path.

#[cfg(test)]
mod tests;

use std::collections::VecDeque;
use std::ffi::OsStr;
use std::fs;
use std::path::{Component, Path, PathBuf};

use crate::closed::closed_name;
use crate::{Kind, Tree};

/// So many folders are looked into; a guess should be quick.
const MOST_FOLDERS: usize = 50;

/// The only file of the project whose path ends like this, if there is exactly one in the upper folders.
///
/// Looks into the nearest fifty folders and leaves out what is ignored. Stops with nothing when cancelled.
pub fn find_by_suffix(tree: &Tree<'_>, relative: &Path) -> Option<PathBuf> {
    let wanted: Vec<&OsStr> = relative
        .components()
        .filter_map(|component| match component {
            Component::Normal(name) => Some(Ok(name)),
            Component::CurDir => None,
            _ => Some(Err(())),
        })
        .collect::<Result<_, _>>()
        .ok()?;
    let name = *wanted.last()?;
    let ends_like_this = |path: &Path| path.ends_with(wanted.iter().collect::<PathBuf>());

    let root = tree.rules.root();
    let mut found = Vec::new();
    let mut waiting = VecDeque::from([root.to_path_buf()]);
    let mut seen = Vec::new();
    while seen.len() < MOST_FOLDERS
        && let Some(folder) = waiting.pop_front()
    {
        if tree.cancel.reason().is_some() {
            return None;
        }
        let candidate = folder.join(name);
        for entry in sorted_entries(&folder) {
            match entry.kind {
                Kind::Folder => {
                    let is_out = closed_name(&entry.name).is_some()
                        || tree.rules.is_ignored(&entry.path, Kind::Folder);
                    if !is_out {
                        waiting.push_back(entry.path);
                    }
                }
                Kind::File if entry.path == candidate => found.push(entry.path),
                Kind::File => {}
            }
        }
        seen.push(folder);
    }
    for (path, _) in tree.overlay.only_here_below(root) {
        let is_seen = path
            .parent()
            .is_some_and(|folder| !folder.exists() || seen.iter().any(|known| known == folder));
        if is_seen && path.file_name() == Some(name) {
            found.push(path.to_path_buf());
        }
    }
    found.retain(|path| ends_like_this(path) && is_open(tree, path));
    match found.as_slice() {
        [only] => Some(only.clone()),
        _ => None,
    }
}

fn is_open(tree: &Tree<'_>, path: &Path) -> bool {
    let below = path.strip_prefix(tree.rules.root()).unwrap_or(path);
    crate::closed_segment(below).is_none() && !tree.rules.is_ignored(path, Kind::File)
}

struct Child {
    name: std::ffi::OsString,
    path: PathBuf,
    kind: Kind,
}

/// Sorted, so that the same fifty folders are seen every time. Links to folders are not followed.
fn sorted_entries(folder: &Path) -> Vec<Child> {
    let Ok(entries) = fs::read_dir(folder) else {
        return Vec::new();
    };
    let mut children: Vec<Child> = entries
        .flatten()
        .filter_map(|entry| {
            let path = entry.path();
            let kind = match entry.file_type().ok()? {
                kind if kind.is_dir() => Kind::Folder,
                kind if kind.is_file() => Kind::File,
                _ if path.is_file() => Kind::File,
                _ => return None,
            };
            Some(Child {
                name: entry.file_name(),
                path,
                kind,
            })
        })
        .collect();
    children.sort_unstable_by(|left, right| left.name.cmp(&right.name));
    children
}

//! What is directly in a folder.

#[cfg(test)]
mod tests;

use std::fmt;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::closed::closed_name;
use crate::collate;
use crate::{Kind, SearchError, Tree};

/// A folder's entries as tools may see them: folders first, each group in the order of names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listing {
    pub folder: PathBuf,
    pub entries: Vec<Entry>,
    /// How many entries ignore files have hidden.
    pub ignored: usize,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    pub name: String,
    pub kind: Kind,
    /// In bytes, with unsaved changes; zero for a folder.
    pub size: u64,
}

/// Lists the folder at an absolute path. `leave_out` holds patterns for names, with `*` and `?`.
///
/// Names that are closed to tools and names that are left out are not counted as ignored.
pub fn list(tree: &Tree<'_>, folder: &Path, leave_out: &[String]) -> Result<Listing, SearchError> {
    let found = fs::read_dir(folder).map_err(|source| {
        let path = folder.to_path_buf();
        match source.kind() {
            io::ErrorKind::NotFound => SearchError::Missing { path },
            io::ErrorKind::NotADirectory => SearchError::NotAFolder { path },
            _ => SearchError::Unreadable { path, source },
        }
    })?;
    let mut listing = Listing {
        folder: folder.to_path_buf(),
        entries: Vec::new(),
        ignored: 0,
    };
    for entry in found.flatten() {
        let path = entry.path();
        // Follows a link. One that leads nowhere is left out.
        if let Ok(metadata) = fs::metadata(&path) {
            let kind = if metadata.is_dir() {
                Kind::Folder
            } else {
                Kind::File
            };
            let size = match tree.overlay.text(&path) {
                Some(text) => text.length(),
                None => metadata.len(),
            };
            listing.consider(tree, &path, kind, size, leave_out);
        }
    }
    for (path, text) in tree.overlay.only_here_below(folder) {
        if path.parent() == Some(folder) {
            listing.consider(tree, path, Kind::File, text.length(), leave_out);
        }
    }
    listing.entries.sort_by(|left, right| {
        let folders_first = (left.kind == Kind::File).cmp(&(right.kind == Kind::File));
        folders_first.then_with(|| collate::compare(&left.name, &right.name))
    });
    Ok(listing)
}

impl Listing {
    fn consider(
        &mut self,
        tree: &Tree<'_>,
        path: &Path,
        kind: Kind,
        size: u64,
        leave_out: &[String],
    ) {
        let Some(file_name) = path.file_name() else {
            return;
        };
        let name = file_name.to_string_lossy();
        let is_out = closed_name(file_name).is_some()
            || leave_out.iter().any(|pattern| fits(pattern, &name));
        if is_out {
            return;
        }
        if tree.rules.is_ignored(path, kind) {
            self.ignored += 1;
            return;
        }
        self.entries.push(Entry {
            name: name.into_owned(),
            kind,
            size: if kind == Kind::Folder { 0 } else { size },
        });
    }
}

impl fmt::Display for Listing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let folder = self.folder.display();
        if self.entries.is_empty() {
            write!(f, "Directory {folder} is empty.")?;
        } else {
            write!(f, "Directory listing for {folder}:")?;
        }
        for entry in &self.entries {
            match entry.kind {
                Kind::Folder => write!(f, "\n[DIR] {}", entry.name)?,
                Kind::File => write!(f, "\n{} ({} bytes)", entry.name, entry.size)?,
            }
        }
        match self.ignored {
            0 => Ok(()),
            ignored => write!(f, "\n\n({ignored} ignored)"),
        }
    }
}

/// Whether a name fits a pattern in which `*` stands for any text and `?` for one character.
fn fits(pattern: &str, name: &str) -> bool {
    let pattern: Vec<char> = pattern.chars().collect();
    let name: Vec<char> = name.chars().collect();
    let (mut at, mut in_name) = (0, 0);
    // Where the last star was, and how much of the name it has eaten. A later star makes an earlier one final.
    let mut star = None;
    while in_name < name.len() {
        match pattern.get(at) {
            Some('*') => {
                star = Some((at, in_name));
                at += 1;
                continue;
            }
            Some(wanted) if *wanted == '?' || name.get(in_name) == Some(wanted) => {
                at += 1;
                in_name += 1;
                continue;
            }
            _ => {}
        }
        let Some((place, eaten)) = star else {
            return false;
        };
        star = Some((place, eaten + 1));
        at = place + 1;
        in_name = eaten + 1;
    }
    pattern.iter().skip(at).all(|rest| *rest == '*')
}

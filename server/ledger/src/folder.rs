//! Which folder belongs to which workspace.

use std::path::{Path, PathBuf};

use crate::hash::Hash;

/// Of the readable part of a name.
const LONGEST_NAME: usize = 40;
/// Of the hash, in digits. Enough for as many workspaces as a person will ever have.
const DIGITS: usize = 16;

/// The folder with the record of a workspace: a name for people, and a hash that tells equal names apart.
pub fn folder_of(base: &Path, root: &Path) -> PathBuf {
    let root = real(root);
    let mut hash = Hash::of(root.as_os_str().as_encoded_bytes()).to_string();
    hash.truncate(DIGITS);
    let name = root.file_name().unwrap_or_default().to_string_lossy();
    let readable: String = name
        .chars()
        .take(LONGEST_NAME)
        .map(|character| match character {
            'a'..='z' | 'A'..='Z' | '0'..='9' | '-' | '_' => character,
            _ => '_',
        })
        .collect();
    base.join(match readable.as_str() {
        "" => hash,
        readable => format!("{readable}-{hash}"),
    })
}

/// A workspace that was opened through a link is the same workspace.
pub(crate) fn real(root: &Path) -> PathBuf {
    std::fs::canonicalize(root).unwrap_or_else(|_| root.to_path_buf())
}

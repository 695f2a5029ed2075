//! The files git tracks, with their text.

use std::collections::BTreeMap;
use std::fs;

use anyhow::{Context, Result};

use crate::shell;

/// Paths are relative to the top folder and use `/`.
pub(crate) struct Tree {
    files: BTreeMap<String, Content>,
}

enum Content {
    Text(String),
    /// Pictures and the like; no rule reads them.
    Binary,
}

impl Tree {
    pub(crate) fn tracked() -> Result<Self> {
        let listing = shell::answer(shell::program("git").args(["ls-files", "-z"]))
            .context("tidy looks at the files git tracks")?;
        let root = shell::root();
        let mut files = BTreeMap::new();
        for path in listing.split('\0').filter(|path| !path.is_empty()) {
            // A file that was deleted but not yet committed is simply gone.
            let Ok(bytes) = fs::read(root.join(path)) else {
                continue;
            };
            let content = String::from_utf8(bytes).map_or(Content::Binary, Content::Text);
            files.insert(path.to_owned(), content);
        }
        Ok(Self { files })
    }

    pub(crate) fn paths(&self) -> impl Iterator<Item = &str> {
        self.files.keys().map(String::as_str)
    }

    pub(crate) fn texts(&self) -> impl Iterator<Item = (&str, &str)> {
        self.files
            .iter()
            .filter_map(|(path, content)| match content {
                Content::Text(text) => Some((path.as_str(), text.as_str())),
                Content::Binary => None,
            })
    }

    pub(crate) fn text(&self, path: &str) -> Option<&str> {
        match self.files.get(path)? {
            Content::Text(text) => Some(text),
            Content::Binary => None,
        }
    }

    /// Whether the path is a tracked file or a folder that holds one.
    pub(crate) fn holds(&self, path: &str) -> bool {
        let folder = format!("{path}/");
        path.is_empty()
            || self.files.contains_key(path)
            || self.paths().any(|file| file.starts_with(&folder))
    }

    /// The first line of a file that begins with these words, counted from one.
    pub(crate) fn line_of(&self, path: &str, beginning: &str) -> usize {
        self.text(path)
            .and_then(|text| {
                text.lines()
                    .position(|line| line.trim_start().starts_with(beginning))
            })
            .map_or(1, |place| place + 1)
    }

    #[cfg(test)]
    pub(crate) fn of(files: &[(&str, &str)]) -> Self {
        let files = files
            .iter()
            .map(|(path, text)| ((*path).to_owned(), Content::Text((*text).to_owned())))
            .collect();
        Self { files }
    }
}

/// The extension of a path, without its dot.
pub(crate) fn extension(path: &str) -> &str {
    path.rsplit_once('.').map_or("", |(_, extension)| extension)
}

/// The last part of a path.
pub(crate) fn file_name(path: &str) -> &str {
    path.rsplit_once('/').map_or(path, |(_, name)| name)
}

/// Rust files that hold nothing but tests: `tests.rs`, and everything under a `tests/` folder.
pub(crate) fn is_test_file(path: &str) -> bool {
    file_name(path) == "tests.rs" || path.starts_with("tests/") || path.contains("/tests/")
}

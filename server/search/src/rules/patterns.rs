//! Ignore files, read as git reads them.

use std::fs;
use std::path::{Path, PathBuf};

use ignore::gitignore::{Gitignore, GitignoreBuilder};

/// The patterns of some files, all relative to one folder. A later pattern beats an earlier one. A file that is
/// missing, or a line that is no pattern, ignores nothing.
pub(super) fn read(folder: &Path, files: &[PathBuf]) -> Gitignore {
    let mut builder = GitignoreBuilder::new(folder);
    for file in files {
        let bytes = fs::read(file).unwrap_or_default();
        let text = String::from_utf8_lossy(&bytes);
        let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
        for line in text.lines().filter(|line| !is_empty(line)) {
            let _no_pattern = builder.add_line(Some(file.clone()), line);
        }
    }
    builder.build().unwrap_or_else(|_| Gitignore::empty())
}

/// To git these say nothing; the builder would take a lone `!` as one that brings back everything.
fn is_empty(line: &str) -> bool {
    line.strip_prefix('!').unwrap_or(line).trim().is_empty()
}

//! Short names made from folders' names.

use std::path::Path;

/// The folder's own name in letters, digits and single hyphens; `-1`, `-2` … behind it when it is taken.
pub(super) fn numbered(root: &Path, number: u64) -> String {
    let base = base(root);
    match number {
        0 => base,
        number => format!("{base}-{number}"),
    }
}

fn base(root: &Path) -> String {
    let name = root.file_name().unwrap_or_default().to_string_lossy();
    let words: Vec<String> = name
        .to_lowercase()
        .split(|letter: char| !(letter.is_ascii_lowercase() || letter.is_ascii_digit()))
        .filter(|word| !word.is_empty())
        .map(str::to_owned)
        .collect();
    if words.is_empty() {
        return "project".to_owned();
    }
    words.join("-")
}

#[cfg(test)]
mod tests;

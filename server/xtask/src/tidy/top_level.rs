//! What may lie at the top of the repository, and nothing else.

use std::collections::BTreeSet;

use super::finding::Finding;
use super::tree::Tree;

#[cfg(test)]
mod tests;

const ALLOWED: &[&str] = &[
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "Cargo.lock",
    "Cargo.toml",
    "LICENSE",
    "README.md",
    "docs",
    "editors",
    "server",
    "tests",
    "vscode-extension",
    "zed-extension",
];

pub(crate) fn check(tree: &Tree) -> Vec<Finding> {
    let names: BTreeSet<&str> = tree
        .paths()
        .filter_map(|path| path.split('/').next())
        .collect();
    names
        .into_iter()
        .filter(|name| !name.starts_with('.') && !ALLOWED.contains(name))
        .map(|name| {
            let what = "does not belong at the top level: move it into the folder that owns it";
            Finding::in_file(name, what)
        })
        .collect()
}

//! Every crate of ours says what it is and takes the workspace's lints.

use super::finding::Finding;
use super::metadata::Metadata;
use super::tree::Tree;

#[cfg(test)]
mod tests;

pub(crate) fn check(tree: &Tree, metadata: &Metadata) -> Vec<Finding> {
    let mut findings = Vec::new();
    for package in metadata.members() {
        let manifest = &package.manifest;
        if package.description.trim().is_empty() {
            let line = tree.line_of(manifest, "description");
            let what = "`description` is empty: one sentence on what the crate owns";
            findings.push(Finding::at(manifest, line, what));
        }
        if !tree.text(manifest).is_some_and(takes_workspace_lints) {
            let what = "add `[lints]` with `workspace = true`";
            findings.push(Finding::in_file(manifest, what));
        }
    }
    findings
}

fn takes_workspace_lints(manifest: &str) -> bool {
    let mut lines = manifest
        .lines()
        .map(str::trim)
        .skip_while(|line| *line != "[lints]")
        .skip(1)
        .take_while(|line| !line.starts_with('['));
    lines.any(|line| line.replace(' ', "") == "workspace=true")
}

//! Which crate may use which: the table in `docs/architecture.md` against cargo's metadata.
//!
//! A new edge is an architecture change, so it is made in the document first.

use std::collections::BTreeMap;

use super::finding::Finding;
use super::metadata::{Metadata, Package, Purpose};
use super::tree::Tree;

#[cfg(test)]
mod tests;

const DOCUMENT: &str = "docs/architecture.md";
const HEADER: &str = "| crate | owns | may use |";

/// Free to every crate as a dev-dependency: it exists for tests.
const TESTKIT: &str = "testkit";

struct Row<'a> {
    line: usize,
    may_use: Vec<&'a str>,
}

pub(crate) fn check(tree: &Tree, metadata: &Metadata) -> Vec<Finding> {
    let Some(table) = tree.text(DOCUMENT).and_then(table) else {
        let what = format!("has no table of crates; its header begins `{HEADER}`");
        return vec![Finding::in_file(DOCUMENT, what)];
    };
    let names: Vec<&str> = metadata.members().map(short).collect();
    let mut findings = Vec::new();
    for package in metadata.members() {
        match table.get(short(package)) {
            Some(row) => findings.extend(new_edges(tree, package, row, &names)),
            None => findings.push(Finding::in_file(
                &package.manifest,
                format!(
                    "crate `{}` is not in the table of {DOCUMENT}: say there what it owns",
                    short(package)
                ),
            )),
        }
    }
    for (name, row) in &table {
        if !names.contains(name) {
            let what = format!("the table names `{name}`, which is no crate: drop the row");
            findings.push(Finding::at(DOCUMENT, row.line, what));
        }
        for target in &row.may_use {
            if !names.contains(target) {
                let what = format!("`{name}` may use `{target}`, which is no crate: drop it");
                findings.push(Finding::at(DOCUMENT, row.line, what));
            }
        }
    }
    findings
}

fn new_edges(tree: &Tree, package: &Package, row: &Row<'_>, names: &[&str]) -> Vec<Finding> {
    let from = short(package);
    package
        .dependencies
        .iter()
        .filter_map(|dependency| {
            let target = without_prefix(&dependency.name);
            let free = dependency.purpose == Purpose::Tests && target == TESTKIT;
            if free || !names.contains(&target) || row.may_use.contains(&target) {
                return None;
            }
            let line = tree.line_of(&package.manifest, &dependency.name);
            let what = format!(
                "new edge `{from}` → `{target}`: drop the dependency, or allow it on purpose in \
                 {DOCUMENT}:{}",
                row.line
            );
            Some(Finding::at(&package.manifest, line, what))
        })
        .collect()
}

/// The rows by crate name, or `None` when there is no such table.
fn table(document: &str) -> Option<BTreeMap<&str, Row<'_>>> {
    let mut lines = document
        .lines()
        .enumerate()
        .skip_while(|(_, line)| !line.starts_with(HEADER));
    lines.next()?;
    let rows = lines
        .skip(1)
        .take_while(|(_, line)| line.starts_with('|'))
        .filter_map(|(place, line)| {
            let mut cells = line.trim_matches('|').split('|');
            let name = in_backticks(cells.next()?).next()?;
            let may_use = in_backticks(cells.nth(1)?).collect();
            let line = place + 1;
            Some((name, Row { line, may_use }))
        });
    Some(rows.collect())
}

fn in_backticks(cell: &str) -> impl Iterator<Item = &str> {
    cell.split('`').skip(1).step_by(2)
}

fn short(package: &Package) -> &str {
    without_prefix(&package.name)
}

fn without_prefix(name: &str) -> &str {
    name.strip_prefix("pollux-").unwrap_or(name)
}

//! A new version of a protocol crate is a change of behaviour, made on purpose: pinned with `=`.

use super::finding::Finding;
use super::metadata::Metadata;
use super::tree::Tree;

#[cfg(test)]
mod tests;

const PROTOCOL_CRATES: &[&str] = &["agent-client-protocol", "rmcp", "tower-lsp-server"];
const MANIFEST: &str = "Cargo.toml";

pub(crate) fn check(tree: &Tree, metadata: &Metadata) -> Vec<Finding> {
    let loose = |name: &&&str| {
        metadata
            .members()
            .flat_map(|package| &package.dependencies)
            .any(|dependency| dependency.name == **name && !dependency.requirement.starts_with('='))
    };
    PROTOCOL_CRATES
        .iter()
        .filter(loose)
        .map(|name| {
            let quoted = format!("\"{name}\"");
            let text = tree.text(MANIFEST).unwrap_or_default();
            let place = text
                .lines()
                .position(|line| line.starts_with(name) || line.contains(&quoted));
            Finding::at(
                MANIFEST,
                place.map_or(1, |place| place + 1),
                format!("protocol crate `{name}` is not pinned: write its version as `\"=x.y.z\"`"),
            )
        })
        .collect()
}

//! An MCP server that does what a test wants of it: a script, so that it is a program like those people configure.

use std::path::PathBuf;

/// How to start it. The words say how it behaves; the script's own first lines list them.
pub fn scripted_mcp(words: &[&str]) -> Vec<String> {
    let script = PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("src")
        .join("scripted_mcp.py");
    let script = script.to_str().expect("a path of ours is text");
    let words = words.iter().copied();
    ["python3", script]
        .into_iter()
        .chain(words)
        .map(str::to_owned)
        .collect()
}

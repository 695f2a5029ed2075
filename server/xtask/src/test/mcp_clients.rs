//! What the official side has to test an MCP server with: the conformance suite and the inspector, and a Node that is new
//! enough for both. Pinned, in a cache folder.

use std::path::PathBuf;

use anyhow::{Result, bail};

use super::cache::{cache, once};
use crate::shell;

const PACKAGES: [&str; 3] = [
    "@modelcontextprotocol/conformance@0.1.16",
    "@modelcontextprotocol/inspector@2.12.0",
    "node@22.23.3",
];
const FOLDER: &str = "mcp-clients";

/// The Node that was installed with them.
pub(super) fn node() -> Result<PathBuf> {
    Ok(cache()?.join(FOLDER).join("node_modules/node/bin/node"))
}

pub(crate) fn installed() -> Result<()> {
    once(FOLDER, &PACKAGES.join(" "), |folder| {
        let mut npm = shell::program("npm");
        npm.args(["install", "--no-audit", "--no-fund", "--prefix"])
            .arg(folder);
        shell::run(npm.args(PACKAGES))?;
        if !shell::answers(shell::program(node()?).arg("--version")) {
            bail!("Node 22 was installed, but does not answer");
        }
        Ok(())
    })
}

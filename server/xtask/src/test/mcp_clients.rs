//! What the official side has to test an MCP server with: the conformance suite and the inspector, and a Node that is new
//! enough for both. Pinned, in a cache folder.

use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result, bail};

use super::helix::cache;
use crate::shell;

const PACKAGES: [&str; 3] = [
    "@modelcontextprotocol/conformance@0.1.16",
    "@modelcontextprotocol/inspector@2.12.0",
    "node@22.23.3",
];
/// Says which versions lie there.
const MARK: &str = "installed";

/// The Node that was installed with them.
pub(super) fn node() -> Result<PathBuf> {
    Ok(folder()?.join("node_modules/node/bin/node"))
}

fn folder() -> Result<PathBuf> {
    Ok(cache()?.join("mcp-clients"))
}

pub(crate) fn installed() -> Result<()> {
    let folder = folder()?;
    let wanted = PACKAGES.join(" ");
    let mark = fs::read_to_string(folder.join(MARK));
    if mark.is_ok_and(|found| found == wanted) {
        return Ok(());
    }
    println!(
        "      the conformance suite and the inspector are installed into {}",
        folder.display()
    );
    if folder.exists() {
        fs::remove_dir_all(&folder).with_context(|| folder.display().to_string())?;
    }
    fs::create_dir_all(&folder)?;
    let mut npm = shell::program("npm");
    npm.args(["install", "--no-audit", "--no-fund", "--prefix"])
        .arg(&folder);
    shell::run(npm.args(PACKAGES))?;
    if !shell::answers(shell::program(node()?).arg("--version")) {
        bail!("Node 22 was installed, but does not answer");
    }
    fs::write(folder.join(MARK), wanted)?;
    Ok(())
}

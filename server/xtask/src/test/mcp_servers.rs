//! MCP servers that other people have written, for the tests that talk to them. Pinned, in a cache folder.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

use super::helix::cache;
use crate::shell;

const NPM: [&str; 2] = [
    "@modelcontextprotocol/server-everything@2026.8.31",
    "@modelcontextprotocol/server-filesystem@2026.8.31",
];
const PYPI: &str = "mcp-server-time==2026.10.19";
const CONFORMANCE: [&str; 2] = ["node@22.23.3", "@modelcontextprotocol/conformance@0.1.16"];
/// Says which versions lie there.
const MARK: &str = "installed";

pub(crate) fn installed() -> Result<()> {
    let wanted = format!("{} {PYPI}", NPM.join(" "));
    once("mcp", &wanted, install)
}

/// The official suite, and the Node.js that it needs: the person's own may be older.
pub(crate) fn conformance() -> Result<()> {
    let wanted = CONFORMANCE.join(" ");
    once("conformance", &wanted, |folder| npm(folder, &CONFORMANCE))
}

/// Installs something into a cache folder, unless just that lies there already.
fn once(name: &str, wanted: &str, install: impl FnOnce(&Path) -> Result<()>) -> Result<()> {
    let folder = cache()?.join(name);
    let mark = fs::read_to_string(folder.join(MARK));
    if mark.is_ok_and(|found| found == wanted) {
        return Ok(());
    }
    println!("      {wanted} is installed into {}", folder.display());
    if folder.exists() {
        fs::remove_dir_all(&folder).with_context(|| folder.display().to_string())?;
    }
    fs::create_dir_all(&folder)?;
    install(&folder)?;
    fs::write(folder.join(MARK), wanted)?;
    Ok(())
}

fn npm(folder: &Path, packages: &[&str]) -> Result<()> {
    let mut npm = shell::program("npm");
    npm.args(["install", "--no-audit", "--no-fund", "--prefix"])
        .arg(folder);
    shell::run(npm.args(packages))
}

fn install(folder: &Path) -> Result<()> {
    npm(folder, &NPM)?;
    let python = folder.join("python");
    shell::run(shell::program("python3").args(["-m", "venv"]).arg(&python))?;
    let mut pip = shell::program(python.join("bin").join("python"));
    shell::run(pip.args(["-m", "pip", "install", "--quiet", PYPI]))
}

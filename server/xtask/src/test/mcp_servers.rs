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
/// Says which versions lie there.
const MARK: &str = "installed";

pub(crate) fn installed() -> Result<()> {
    let wanted = format!("{} {PYPI}", NPM.join(" "));
    once("mcp", &wanted, install)
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

//! MCP servers that other people have written, for the tests that talk to them. Pinned, in a cache folder.

use std::path::Path;

use anyhow::Result;

use super::cache::once;
use crate::shell;

const NPM: [&str; 2] = [
    "@modelcontextprotocol/server-everything@2026.8.31",
    "@modelcontextprotocol/server-filesystem@2026.8.31",
];
const PYPI: &str = "mcp-server-time==2026.10.19";

pub(crate) fn installed() -> Result<()> {
    let wanted = format!("{} {PYPI}", NPM.join(" "));
    once("mcp", &wanted, install)
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

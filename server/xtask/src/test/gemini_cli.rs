//! The agent of others that our companion is tested with. It has a folder of its own in the cache: one that somebody works
//! with may have any version.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail};

use super::cache::cache;
use crate::shell;

/// What the companion goes by is written nowhere, so another version is another test.
const VERSION: &str = "0.61.0";

pub(crate) fn gemini_cli() -> Result<()> {
    let folder = cache()?.join(format!("gemini-cli-{VERSION}"));
    if answers(&folder) {
        return Ok(());
    }
    println!("      no gemini-cli {VERSION}");
    fs::create_dir_all(&folder).with_context(|| folder.display().to_string())?;
    let mut install = shell::program("npm");
    install.args([
        "install",
        "--no-audit",
        "--no-fund",
        "--ignore-scripts",
        "--omit=optional",
    ]);
    install.arg("--prefix").arg(&folder);
    shell::run(install.arg(format!("@google/gemini-cli@{VERSION}")))?;
    if !answers(&folder) {
        bail!("gemini-cli was installed, but does not answer");
    }
    Ok(())
}

fn answers(folder: &Path) -> bool {
    let mut version = shell::program("node");
    version.arg(folder.join("node_modules/@google/gemini-cli/bundle/gemini.js"));
    let said = shell::answer(version.arg("--version").env("GEMINI_CLI_NO_RELAUNCH", "1"));
    said.is_ok_and(|said| said.trim() == VERSION)
}

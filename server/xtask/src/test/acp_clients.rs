//! Clients of the Agent Client Protocol that others have written: the official libraries for TypeScript and Python, and
//! acpx. Pinned beside the tests, installed in a cache folder.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use super::cache::{cache, once};
use super::{Outcome, mcp_clients};
use crate::{run, shell, tidy, vscode};

/// What is pinned, and by what.
const PINS: [&str; 3] = ["package.json", "package-lock.json", "requirements.txt"];
const FOLDER: &str = "acp-clients";

pub(crate) fn installed() -> Result<()> {
    let mut wanted = String::new();
    for name in PINS {
        wanted += &fs::read_to_string(scripts().join(name)).context(name)?;
    }
    once(FOLDER, &wanted, install)
}

fn install(folder: &Path) -> Result<()> {
    for name in PINS {
        fs::copy(scripts().join(name), folder.join(name)).context(name)?;
    }
    let mut npm = shell::program("npm");
    // Not `ci`: some mirrors lack what is meant for other systems, and it takes their absence for a stale lock file.
    npm.args(["install", "--ignore-scripts", "--no-audit", "--no-fund"]);
    shell::run(npm.arg("--prefix").arg(folder).current_dir(folder))?;
    let environment = folder.join("python");
    let mut venv = shell::program("python3");
    shell::run(venv.args(["-m", "venv"]).arg(&environment))?;
    let mut pip = shell::program(python(folder));
    pip.args(["-m", "pip", "install", "--quiet", "--requirement"]);
    shell::run(pip.arg(folder.join("requirements.txt")))
}

/// They drive the server that was just built, with the scripted model behind it.
pub(crate) fn run() -> Result<Outcome> {
    let folder = cache()?.join(FOLDER);
    let mut tests: Vec<PathBuf> = fs::read_dir(scripts())?
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<std::io::Result<_>>()?;
    tests.retain(|file| file.to_string_lossy().ends_with(".test.mjs"));
    tests.sort();
    let mut node = shell::program(mcp_clients::node()?);
    node.env("POLLUX_ACP_CLIENTS", &folder)
        .env("POLLUX_ACP_PYTHON", python(&folder))
        .env("POLLUX_BINARY", run::binary("debug")?)
        .env(
            "POLLUX_SCRIPTED_MODEL",
            tidy::target_folder()?.join("debug/scripted-model"),
        );
    vscode::counted(&mut node, &tests, "acp-clients")
}

fn scripts() -> PathBuf {
    shell::root().join("tests/acp/clients")
}

fn python(folder: &Path) -> PathBuf {
    folder.join("python/bin/python")
}

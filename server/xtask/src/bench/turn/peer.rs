//! The program we are compared with, if it is installed for that.

use std::fs;
use std::path::PathBuf;

use super::agent::{Agent, Kind};

/// The versions that the targets were taken from.
const PACKAGE: &str = "@google/gemini-cli@0.61.0";
const CODEX_ACP: &str = "@zed-industries/codex-acp@0.16.0";

/// gemini-cli as it is started by default and without its relaunch, or nothing. It is looked for
/// in a folder of its own: one that somebody works with may have any version.
pub(super) fn find() -> Vec<Agent> {
    let Some(folder) = folder("gemini-cli") else {
        println!("      no home folder, so no gemini-cli to compare with");
        return Vec::new();
    };
    let program = folder.join("node_modules").join(".bin").join("gemini");
    let install = format!("npm install --prefix {} {PACKAGE}", folder.display());
    if !program.exists() {
        println!("      gemini-cli is not there, so there is nothing to compare with; for that:");
        println!("      $ {install}");
        return Vec::new();
    }
    println!("      beside gemini-cli, installed with: {install}");
    let agent = |name, kind| Agent {
        name,
        program: program.clone(),
        kind,
    };
    vec![
        agent("gemini-cli", Kind::GeminiCli),
        agent("no relaunch", Kind::GeminiCliWithoutRelaunch),
    ]
}

/// The program itself: the script before it would have Node started as well.
pub(super) fn codex_acp() -> Option<Agent> {
    let folder = folder("codex-acp")?;
    let packages = folder.join("node_modules/@zed-industries");
    let programs = fs::read_dir(&packages).into_iter().flatten().flatten();
    let mut programs = programs.map(|package| package.path().join("bin").join("codex-acp"));
    let found = programs.find(|program| program.exists() && !program.with_extension("js").exists());
    if found.is_none() {
        println!("      codex-acp is not there, so start and memory lack their target; for that:");
        println!(
            "      $ npm install --prefix {} {CODEX_ACP}",
            folder.display()
        );
    }
    found.map(|program| Agent {
        name: "codex-acp",
        program,
        kind: Kind::CodexAcp,
    })
}

fn folder(name: &str) -> Option<PathBuf> {
    let cache = match std::env::var_os("XDG_CACHE_HOME") {
        Some(cache) => PathBuf::from(cache),
        None => PathBuf::from(std::env::var_os("HOME")?).join(".cache"),
    };
    Some(cache.join("pollux-bench").join(name))
}

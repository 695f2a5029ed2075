//! The extension for Zed: building it for WebAssembly, and running it in a host that has Zed's interfaces.
//!
//! Neither it nor the host is a member of the workspace. What they are built from lies in the cache folder, because an engine
//! for WebAssembly takes minutes to build and seldom changes.

mod manifest;
mod suites;
#[cfg(test)]
mod tests;
mod toolchain;

use std::path::PathBuf;

use anyhow::Result;

use crate::shell;
use crate::test::cache;

pub(crate) use manifest::Manifest;
pub(crate) use suites::{in_a_host, lint, unit};
pub(crate) use toolchain::Toolchain;

fn folder() -> PathBuf {
    shell::root().join("zed-extension")
}

fn target(name: &str) -> Result<PathBuf> {
    Ok(cache()?.join("zed-extension").join(name))
}

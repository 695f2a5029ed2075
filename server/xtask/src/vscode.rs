//! The extension for VS Code: building it, packing it, testing it in a real workbench.

mod open;
mod package;
mod suites;
mod workbench;

use std::path::PathBuf;
use std::process::Command;

use anyhow::Result;

use crate::shell;

pub(crate) use open::prepare;
pub(crate) use package::{Program, pack};
pub(crate) use suites::{
    counted, figures, in_a_workbench, in_the_host, in_the_oldest_host, unit, view,
};
pub(crate) use workbench::Workbench;

/// Installs the pinned packages, unless they are the installed ones already.
pub(crate) fn install() -> Result<()> {
    shell::run(npm().args(["ci", "--ignore-scripts", "--no-audit", "--no-fund"]))
}

pub(crate) fn check_types() -> Result<()> {
    shell::run(npm().args(["run", "--silent", "check"]))
}

pub(crate) fn lint() -> Result<()> {
    shell::run(npm().args(["run", "--silent", "lint"]))
}

fn folder() -> PathBuf {
    shell::root().join("vscode-extension")
}

fn npm() -> Command {
    in_folder("npm")
}

fn in_folder(name: &str) -> Command {
    let mut command = shell::program(name);
    command.current_dir(folder());
    command
}

//! Building and testing the extension.

use std::path::PathBuf;

use anyhow::{Result, bail};

use super::toolchain::{TARGET, Toolchain};
use super::{folder, target};
use crate::shell;
use crate::test::{Outcome, tests_of_package};

/// As cargo calls it.
const COMPONENT: &str = "pollux_zed.wasm";

/// What the members of the workspace are held to as well. Not the lints of the host: all of its engine would be read a second
/// time for them.
pub(crate) fn lint() -> Result<()> {
    for manifest in [manifest(), host_manifest()] {
        let mut format = shell::cargo();
        format.args(["fmt", "--check", "--manifest-path"]);
        shell::run(format.arg(&manifest))?;
    }
    let mut clippy = shell::cargo();
    clippy.args(["clippy", "--all-targets", "--locked", "--manifest-path"]);
    clippy
        .arg(manifest())
        .arg("--target-dir")
        .arg(target("host")?);
    shell::run(clippy.args(["--", "-D", "warnings"]))
}

/// What it decides, without an editor.
pub(crate) fn unit() -> Result<Outcome> {
    tests_of_package(&manifest(), &target("host")?, &[])
}

/// The component, called as Zed calls it.
pub(crate) fn in_a_host() -> Result<Outcome> {
    let component = build()?;
    let env = [("POLLUX_ZED_COMPONENT", component.as_path())];
    tests_of_package(&host_manifest(), &target("host")?, &env)
}

/// Cargo finds out by itself whether there is anything to do.
fn build() -> Result<PathBuf> {
    let target = target("component")?;
    let mut cargo = Toolchain::installed()?.build()?;
    cargo.arg("--manifest-path").arg(manifest());
    shell::run(cargo.arg("--target-dir").arg(&target))?;
    let component = target.join(TARGET).join("release").join(COMPONENT);
    if !component.exists() {
        bail!(
            "cargo has built something else than {}",
            component.display()
        );
    }
    Ok(component)
}

fn manifest() -> PathBuf {
    folder().join("Cargo.toml")
}

fn host_manifest() -> PathBuf {
    folder().join("tests-host/Cargo.toml")
}

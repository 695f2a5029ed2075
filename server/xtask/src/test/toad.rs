//! Toad for the tests: a client of the agent protocol in a terminal. It wants a newer Python than most machines have, so Debian's
//! next one is unpacked into a cache folder, and Toad is installed into that. Nothing of the system is touched.

#[cfg(test)]
mod tests;

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use super::cache::once;
use super::debian::{Apt, Starter};
use crate::shell;

const RELEASE: &str = "forky";
/// Python with what installs packages, and what both are linked with.
const PACKAGES: [&str; 15] = [
    "python3.14-minimal",
    "libpython3.14-minimal",
    "libpython3.14-stdlib",
    "python3-pip",
    "libbz2-1.0",
    "libc6",
    "libexpat1",
    "libffi8",
    "libgcc-s1",
    "liblzma5",
    "libsqlite3-0",
    "libssl3t64",
    "libuuid1",
    "libzstd1",
    "zlib1g",
];
/// Where that Python looks for packages that are not Debian's.
const SITE: &str = "root/usr/local/lib/python3.14/dist-packages";

const PYTHON: Starter = Starter {
    before: "",
    command: "\"$here/bin/python3.14\"",
};
const TOAD: Starter = Starter {
    before: "",
    command: "\"$here/bin/python3.14\" -m toad",
};

pub(crate) fn toad() -> Result<()> {
    let pins = fs::read_to_string(requirements()).context("requirements of Toad")?;
    let version = version(&pins).context("requirements.txt does not name Toad")?;
    if is(Path::new("toad"), version) {
        return Ok(());
    }
    once("toad", &format!("{RELEASE}\n{pins}"), |folder| {
        install(folder)
            .with_context(|| format!("please install Toad {version} (`batrachian-toad`)"))?;
        if !is(&folder.join("toad"), version) {
            bail!("Toad was installed, but does not answer");
        }
        Ok(())
    })
}

fn install(folder: &Path) -> Result<()> {
    let apt = Apt::of(&[RELEASE], &folder.join("apt"))?;
    apt.unpack(&PACKAGES, &folder.join("root"))?;
    let python = folder.join("python");
    PYTHON.write(&python)?;
    let mut pip = shell::program(&python);
    pip.args(["-m", "pip", "install", "--quiet", "--no-deps"])
        .args(["--root-user-action", "ignore", "--target"])
        .arg(folder.join(SITE));
    shell::run(pip.arg("--requirement").arg(requirements()))?;
    TOAD.write(&folder.join("toad"))
}

/// What tests read on its screen is another text in another version.
fn is(program: &Path, version: &str) -> bool {
    let said = shell::answer(shell::program(program).arg("--version"));
    said.is_ok_and(|said| said.trim() == version)
}

fn version(pins: &str) -> Option<&str> {
    let mut lines = pins.lines();
    lines.find_map(|line| line.strip_prefix("batrachian-toad=="))
}

/// Pinned beside the test.
fn requirements() -> PathBuf {
    shell::root().join("tests/toad/requirements.txt")
}

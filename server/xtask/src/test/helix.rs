//! Helix for the tests. Debian has one that is new enough only in a later release than most machines run, so that one is
//! unpacked into a cache folder, together with the C library it was built for. Nothing of the system is touched.

#[cfg(test)]
mod tests;

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail};

use super::cache::cache;
use super::debian::{Apt, Starter};
use crate::shell;

/// From this one on it runs commands that have an argument.
const OLDEST: (u32, u32) = (25, 7);
const RELEASE: &str = "forky";
/// The editor, and what it is linked with.
const PACKAGES: [&str; 3] = ["hx", "libc6", "libgcc-s1"];

pub(crate) fn helix() -> Result<()> {
    let folder = cache()?.join("helix");
    if is_new_enough(Path::new("hx")) || is_new_enough(&folder.join("hx")) {
        return Ok(());
    }
    println!("      no Helix that is new enough");
    let unfinished = folder.with_extension("unfinished");
    for old in [&folder, &unfinished] {
        if old.exists() {
            fs::remove_dir_all(old).with_context(|| old.display().to_string())?;
        }
    }
    unpack_into(&unfinished)?;
    fs::rename(&unfinished, &folder)?;
    if !is_new_enough(&folder.join("hx")) {
        bail!("Helix was unpacked, but does not answer");
    }
    Ok(())
}

fn unpack_into(folder: &Path) -> Result<()> {
    let apt =
        Apt::of(&[RELEASE], &folder.join("apt")).context("please install Helix 25.07 or newer")?;
    apt.unpack(&PACKAGES, &folder.join("root"))?;
    let starter = Starter {
        before: "export HELIX_RUNTIME=\"$here/lib/hx/runtime\"",
        command: "\"$here/bin/hx\"",
    };
    starter.write(&folder.join("hx"))
}

fn is_new_enough(program: &Path) -> bool {
    let mut command = shell::program(program);
    let output = command.arg("--version").output();
    let said = output.map(|output| String::from_utf8_lossy(&output.stdout).into_owned());
    said.ok()
        .and_then(|said| version(&said))
        .is_some_and(|version| version >= OLDEST)
}

/// "helix 25.07.1 (abcdef)"
fn version(said: &str) -> Option<(u32, u32)> {
    let mut numbers = said.strip_prefix("helix ")?.split(['.', ' ', '\n']);
    let major = numbers.next()?.parse().ok()?;
    Some((major, numbers.next()?.parse().ok()?))
}

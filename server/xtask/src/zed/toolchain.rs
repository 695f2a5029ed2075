//! What Rust needs to build for WebAssembly: the standard library of a target that few machines have.
//!
//! rustup has it. Where rustup cannot download, Debian has the sources of the same version and a C library for WebAssembly, from
//! which cargo builds it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::shell;
use crate::test::{Apt, cache};

#[cfg(test)]
mod tests;

pub(crate) const TARGET: &str = "wasm32-wasip2";

const RELEASES: [&str; 2] = ["trixie", "trixie-backports"];
/// Has a C library, whatever Rust it belongs to.
const C_LIBRARY: &str = "libstd-rust-dev-wasm32/trixie";

pub(crate) enum Toolchain {
    /// It is part of the toolchain.
    Complete,
    /// It is built along, from what lies under this folder.
    Unpacked(PathBuf),
}

impl Toolchain {
    pub(crate) fn installed() -> Result<Self> {
        if has_target()? {
            return Ok(Self::Complete);
        }
        let rust = rust()?;
        let root = cache()?.join(format!("rust-wasm-{rust}"));
        if sources(&root, &rust).exists() {
            return Ok(Self::Unpacked(root));
        }
        println!("      Rust cannot build for {TARGET} yet");
        let mut rustup = shell::program("rustup");
        if shell::answers(rustup.args(["target", "add", TARGET])) && has_target()? {
            return Ok(Self::Complete);
        }
        println!("      rustup does not have it; Debian may");
        let unpacked = unpack(&root, &rust);
        unpacked.with_context(|| format!("please run `rustup target add {TARGET}`"))?;
        Ok(Self::Unpacked(root))
    }

    /// `cargo build` for the target, with whatever it takes.
    pub(crate) fn build(&self) -> Result<Command> {
        let mut cargo = shell::cargo();
        cargo.args(["build", "--release", "--locked", "--target", TARGET]);
        if let Self::Unpacked(root) = self {
            let library = c_library(root);
            let shown = library.display();
            cargo
                .arg("-Zbuild-std=std,panic_abort")
                .env("RUSTC_BOOTSTRAP", "1")
                .env("__CARGO_TESTS_ONLY_SRC_ROOT", sources(root, &rust()?))
                .env(
                    "CARGO_TARGET_WASM32_WASIP2_RUSTFLAGS",
                    format!(
                        "-C link-self-contained=no -C link-arg={shown}/crt1-reactor.o -L native={shown}"
                    ),
                );
        }
        Ok(cargo)
    }
}

fn has_target() -> Result<bool> {
    let mut rustc = shell::program("rustc");
    rustc.args(["--print", "target-libdir", "--target", TARGET]);
    Ok(Path::new(shell::answer(&mut rustc)?.trim()).exists())
}

fn rust() -> Result<String> {
    let said = shell::answer(shell::program("rustc").arg("--version"))?;
    version(&said).context("`rustc --version` does not say its version")
}

/// "rustc 1.95.0 (abcdef 2026-04-14)"
fn version(said: &str) -> Option<String> {
    said.split_whitespace().nth(1).map(str::to_owned)
}

/// A folder appears under its name once it is whole.
fn unpack(root: &Path, rust: &str) -> Result<()> {
    let unfinished = root.with_file_name("rust-wasm-unfinished");
    for old in [root, &unfinished] {
        if old.exists() {
            fs::remove_dir_all(old).with_context(|| old.display().to_string())?;
        }
    }
    let apt = Apt::of(&RELEASES, &unfinished.join("apt"))?;
    // The standard library fits the compiler of its own version only.
    apt.unpack(&[&format!("rust-src={rust}*"), C_LIBRARY], &unfinished)?;
    if !sources(&unfinished, rust).exists() {
        bail!("Debian has no sources of Rust {rust}");
    }
    if !c_library(&unfinished).exists() {
        bail!("Debian's package for WebAssembly has no C library for {TARGET}");
    }
    Ok(fs::rename(&unfinished, root)?)
}

fn sources(root: &Path, rust: &str) -> PathBuf {
    root.join(format!("usr/src/rustc-{rust}/library"))
}

fn c_library(root: &Path) -> PathBuf {
    root.join(format!("usr/lib/rustlib/{TARGET}/lib/self-contained"))
}

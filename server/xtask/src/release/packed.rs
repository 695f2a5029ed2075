//! Relocations as a few words of bits, which the program applies itself.
//!
//! The binary may be loaded anywhere, so everything in it that holds an address is corrected at every start. What says where
//! those are takes 24 bytes each in the usual form, all of it is read, and so it counts as memory: more than half a
//! megabyte. The packed form takes a hundredth of that. The C library knows it from version 2.36 on, and older
//! ones start a program that has it without a word and let it crash. So it is marked in a way that no version reacts to,
//! and code of ours comes first, which does the same everywhere: `packed/entry.rs`.

use std::path::Path;

use anyhow::{Context, Result};

use crate::shell;

#[cfg(test)]
mod tests;
// What is linked has this code in it; here it is only tested.
#[cfg(test)]
mod unpack;

/// What the linker is given besides; a path is as seen from where it runs.
pub(super) const LINK: &[&str] = &[
    OBJECT,
    "--pack-dyn-relocs=relr",
    "--use-android-relr-tags",
    "--entry=pollux_entry",
];

/// To be put in front of all functions.
pub(super) const FIRST: &str = "pollux_entry";

const OBJECT: &str = "entry.o";

/// Compiles what runs first, for a linker that runs in this folder.
pub(super) fn compile(folder: &Path) -> Result<()> {
    let source = shell::root().join("server/xtask/src/release/packed/entry.rs");
    let options = [
        "--edition=2024",
        "--crate-type=lib",
        "--emit=obj",
        "-Copt-level=s",
        "-Cpanic=abort",
        "-Dwarnings",
    ];
    let mut rustc = shell::program("rustc");
    rustc.args(options).arg("-o").arg(folder.join(OBJECT));
    shell::run(rustc.arg(source)).context("what applies the relocations")
}

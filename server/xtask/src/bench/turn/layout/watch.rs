//! Which functions of a program run, in the order of their first calls.
//!
//! A library of ours is loaded into the program and does the watching; see its own words in `watch/library.rs`.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};

use crate::{elf, shell};

#[cfg(test)]
mod tests;

/// Also in the library.
const FUNCTIONS: &str = "WATCH_FUNCTIONS";
const TRACE: &str = "WATCH_TRACE";

/// Ready to watch one program.
pub(super) struct Watch {
    library: PathBuf,
    /// Where its functions begin, for the library.
    functions: PathBuf,
    names: BTreeMap<u32, Vec<String>>,
}

impl Watch {
    /// The program has to have its names still. What is needed is put into the folder.
    pub(super) fn new(program: &Path, folder: &Path) -> Result<Self> {
        let bytes = fs::read(program)?;
        let found = elf::functions(&bytes).context("the program's functions cannot be read")?;
        let mut names: BTreeMap<u32, Vec<String>> = BTreeMap::new();
        for (address, name) in found {
            let address = u32::try_from(address).context("the program is too large")?;
            names.entry(address).or_default().push(name.to_owned());
        }
        ensure!(!names.is_empty(), "the program has no names");
        let addresses: Vec<u8> = names.keys().flat_map(|one| one.to_le_bytes()).collect();
        let watch = Self {
            library: folder.join("libwatch.so"),
            functions: folder.join("functions"),
            names,
        };
        fs::write(&watch.functions, addresses)?;
        let source = "server/xtask/src/bench/turn/layout/watch/library.rs";
        let options = [
            "--edition=2024",
            "--crate-type=cdylib",
            "-Copt-level=s",
            "-Cpanic=abort",
            "-Dwarnings",
        ];
        let mut rustc = shell::program("rustc");
        rustc.args(options).arg("-o").arg(&watch.library);
        shell::run(rustc.arg(shell::root().join(source))).context("the library that watches")?;
        Ok(watch)
    }

    /// Has the program, once it is started, write down what it calls. Those that it starts are not watched.
    pub(super) fn follow(&self, command: &mut Command, trace: &Path) {
        command
            .env("LD_PRELOAD", &self.library)
            .env(FUNCTIONS, &self.functions)
            .env(TRACE, trace);
    }

    /// The names of all functions that were called.
    pub(super) fn called(&self, trace: &Path) -> Result<Vec<&str>> {
        let trace = fs::read(trace).context("the program was not watched")?;
        let (words, _) = trace.as_chunks();
        let mut words = words.iter().map(|word| u32::from_le_bytes(*word));
        let count = usize::try_from(words.next().unwrap_or_default())?;
        let called = words.take(count).filter_map(|one| self.names.get(&one));
        Ok(called.flatten().map(String::as_str).collect())
    }
}

//! `cargo xtask bench`: measures the release binary against the project's targets.
//!
//! Times are given as a ratio to a program that does nothing, started in the same loop: a ratio
//! means the same on a slow machine and on a fast one. This is not a test. The exit code says only
//! whether everything could be measured.

mod client;
mod door;
mod exec;
mod figures;
mod frame;
mod mcp;
mod pages;
mod place;
mod process;
mod review;
mod search;
mod start;
mod sync;
mod table;
pub(crate) mod turn;
mod typist;
mod vscode;

use std::fs;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, Result, bail};

use crate::{release, shell, tidy};
use table::Table;

/// What is measured, and what it is compared with.
struct Programs {
    pollux: PathBuf,
    /// Does nothing; its start is the yardstick.
    empty: PathBuf,
}

#[derive(Clone, Copy)]
enum Bench {
    OfPrograms(fn(&Programs) -> Result<Table>),
    /// Brings what it measures with it.
    Alone(fn() -> Result<Table>),
}

const BENCHES: &[(&str, Bench)] = &[
    ("start", Bench::OfPrograms(start::measure)),
    ("sync", Bench::OfPrograms(sync::measure)),
    ("turn", Bench::OfPrograms(turn::measure)),
    ("acp", Bench::OfPrograms(turn::measure_over_acp)),
    ("mcp", Bench::OfPrograms(mcp::measure)),
    ("vscode", Bench::OfPrograms(vscode::measure)),
    ("search", Bench::Alone(search::measure)),
    ("review", Bench::Alone(review::measure)),
    ("exec", Bench::Alone(exec::measure)),
];

pub(crate) fn main(arguments: &[String]) -> Result<ExitCode> {
    let known: Vec<&str> = BENCHES.iter().map(|(name, _)| *name).collect();
    if let Some(unknown) = arguments
        .iter()
        .find(|name| !known.contains(&name.as_str()))
    {
        bail!(
            "there is no bench `{unknown}`; there are: {}",
            known.join(", ")
        );
    }
    let chosen: Vec<&(&str, Bench)> = BENCHES
        .iter()
        .filter(|(name, _)| arguments.is_empty() || arguments.iter().any(|wanted| wanted == name))
        .collect();

    let steps = chosen.len() + 1;
    let needs_programs = chosen
        .iter()
        .any(|(_, bench)| matches!(bench, Bench::OfPrograms(_)));
    let programs = if needs_programs {
        println!("[1/{steps}] building pollux as it is shipped, and the empty program");
        Some(build()?)
    } else {
        println!("[1/{steps}] pollux itself is not needed");
        None
    };
    let mut unmeasured = Vec::new();
    for (place, (name, bench)) in chosen.into_iter().enumerate() {
        println!("[{}/{steps}] {name}", place + 2);
        let measured = match (bench, &programs) {
            (Bench::OfPrograms(measure), Some(programs)) => measure(programs),
            (Bench::OfPrograms(_), None) => bail!("the programs were not built"),
            (Bench::Alone(measure), _) => measure(),
        };
        match measured {
            Ok(table) => println!("\n{table}"),
            Err(error) => {
                println!("      could not be measured: {error:#}");
                unmeasured.push(*name);
            }
        }
    }
    if !unmeasured.is_empty() {
        bail!("could not be measured: {}", unmeasured.join(", "));
    }
    Ok(ExitCode::SUCCESS)
}

fn build() -> Result<Programs> {
    let pollux = release::build()?;
    let folder = tidy::target_folder()?.join("bench");
    fs::create_dir_all(&folder).context("a folder for the empty program")?;
    let source = folder.join("empty.rs");
    let empty = folder.join(format!("empty{}", std::env::consts::EXE_SUFFIX));
    fs::write(&source, "fn main() {}\n")?;
    shell::run(
        shell::program("rustc")
            .args(["--edition=2024", "-O", "-o"])
            .arg(&empty)
            .arg(&source),
    )?;
    Ok(Programs { pollux, empty })
}

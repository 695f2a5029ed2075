//! `bench vscode`: what the extension costs: its start, its frames, its memory, a minute in which nothing happens, and
//! what has to be downloaded.

use std::fs;

use anyhow::{Context, Result};
use serde::Deserialize;

use super::Programs;
use super::figures::megabytes;
use super::table::{Table, Target};
use crate::test::browser;
use crate::vscode::{self, Program, Workbench};

#[cfg(test)]
mod tests;

/// Processor time that an idle minute may cost beyond the same window without the extension. Below it lies what two
/// windows differ in by chance.
const IDLE_TARGET_MS: f64 = 100.0;

/// One measured thing, as the extension's own program prints it.
#[derive(Debug, Deserialize)]
#[serde(tag = "unit", rename_all = "lowercase")]
enum Figure {
    Ms {
        what: String,
        value: f64,
        p95: Option<f64>,
        worst: Option<f64>,
    },
    Bytes {
        what: String,
        value: f64,
    },
    /// Milliseconds of processor time, beside those of a window without the extension.
    Cpu {
        what: String,
        value: f64,
        without: f64,
    },
}

pub(super) fn measure(programs: &Programs) -> Result<Table> {
    browser()?;
    vscode::install()?;
    let workbench = Workbench::installed()?;
    let with_program = pack_size(&workbench, Program::ForTests(&programs.pollux))?;
    let without_program = pack_size(&workbench, Program::Elsewhere)?;
    let printed = vscode::figures(&workbench, &programs.pollux)?;

    let mut table = Table::beside(vec!["without".to_owned()]);
    for line in printed.lines() {
        add(&mut table, parse(line)?);
    }
    table.row(
        "size of the .vsix with the program",
        megabytes(with_program),
        None,
        Target::None,
    );
    table.row(
        "size of the .vsix without it",
        megabytes(without_program),
        None,
        Target::None,
    );
    Ok(table)
}

fn parse(line: &str) -> Result<Figure> {
    serde_json::from_str(line).with_context(|| format!("this is no figure: {line}"))
}

fn add(table: &mut Table, figure: Figure) {
    match figure {
        Figure::Ms {
            what,
            value,
            p95: Some(p95),
            worst: Some(worst),
        } => {
            let written = format!("{value:.1} ms (p95 {p95:.1}, worst {worst:.1})");
            table.row(what, written, None, Target::None);
        }
        Figure::Ms { what, value, .. } => {
            table.row(what, format!("{value:.1} ms"), None, Target::None);
        }
        Figure::Bytes { what, value } => {
            table.row(what, format!("{:.2} MB", value / 1e6), None, Target::None);
        }
        Figure::Cpu {
            what,
            value,
            without,
        } => {
            let target = Target::Value {
                most: IDLE_TARGET_MS,
                found: value - without,
                written: format!("{IDLE_TARGET_MS} ms more"),
            };
            table.row(what, format!("{value} ms"), None, target);
            table.peers(vec![format!("{without} ms")]);
        }
    }
}

fn pack_size(workbench: &Workbench, program: Program<'_>) -> Result<u64> {
    let package = vscode::pack(workbench, program)?;
    Ok(fs::metadata(package)?.len())
}

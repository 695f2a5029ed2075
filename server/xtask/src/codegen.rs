//! `cargo xtask codegen`: writes out the `pollux/*` methods for everyone who is not Rust.
//!
//! The types in `pollux_lsp::protocol` are the one source. The output depends on nothing else, so
//! `--check` can compare it byte by byte.

mod difference;
mod reference;
mod schema;
mod shape;
mod typescript;
mod zed;

use std::fs;
use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use pollux_lsp::protocol::catalogue;

use crate::shell;

struct Output {
    path: &'static str,
    text: String,
}

pub(crate) fn main(arguments: &[String]) -> Result<ExitCode> {
    match arguments {
        [] => write()?,
        [flag] if flag == "--check" => {
            check()?;
            println!("generated files are up to date");
        }
        _ => bail!("the only argument is --check"),
    }
    Ok(ExitCode::SUCCESS)
}

/// Fails if a generated file differs from what would be written now.
pub(crate) fn check() -> Result<()> {
    let mut stale = Vec::new();
    for output in outputs()? {
        let found = fs::read_to_string(shell::root().join(output.path)).unwrap_or_default();
        if let Some(difference) = difference::first(&found, &output.text) {
            println!(
                "      {} differs (- on disk, + generated), {difference}",
                output.path
            );
            stale.push(output.path);
        }
    }
    if !stale.is_empty() {
        bail!(
            "out of date: {}; run `cargo xtask codegen` and commit",
            stale.join(", ")
        );
    }
    Ok(())
}

fn write() -> Result<()> {
    for output in outputs()? {
        let path = shell::root().join(output.path);
        if fs::read_to_string(&path).is_ok_and(|found| found == output.text) {
            println!("unchanged {}", output.path);
            continue;
        }
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder)?;
        }
        fs::write(&path, output.text).with_context(|| format!("writing {}", output.path))?;
        println!("wrote     {}", output.path);
    }
    Ok(())
}

fn outputs() -> Result<Vec<Output>> {
    let catalogue = catalogue();
    let types = shape::types(&catalogue.definitions);
    let document = "docs/protocol.md";
    let written_by_hand = fs::read_to_string(shell::root().join(document))
        .with_context(|| format!("{document} has a part written by hand and must be there"))?;
    Ok(vec![
        Output {
            path: "docs/protocol/pollux.schema.json",
            text: schema::print(&catalogue)?,
        },
        Output {
            path: zed::PATH,
            text: zed::print(&catalogue.definitions)?,
        },
        Output {
            path: "vscode-extension/src/protocol.ts",
            text: typescript::print(&catalogue.methods, &types),
        },
        Output {
            path: document,
            text: reference::insert(
                &written_by_hand,
                &reference::print(&catalogue.methods, &types),
            )
            .with_context(|| document.to_owned())?,
        },
    ])
}

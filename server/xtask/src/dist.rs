//! `cargo xtask dist`: a release archive with its checksums, the extension for VS Code, and the entry for the registry of
//! agents, under `target/dist/`.

mod archive;
mod registry;

use std::fs;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, Result, bail};

use crate::{release, shell, tidy, vscode};

pub(crate) fn main(arguments: &[String]) -> Result<ExitCode> {
    let pollux = program(arguments)?;

    let version = tidy::version()?;
    let name = format!("pollux-{version}-{}", target()?);
    println!("[2/4] packing {name}.tar.gz");
    let dist = tidy::target_folder()?.join("dist");
    let mut files = vec![pollux.clone()];
    files.extend(["LICENSE", "README.md"].map(|name| shell::root().join(name)));
    let path = archive::pack(&dist, &name, &files)?;
    let bytes = fs::metadata(&path)?.len();
    println!("{} ({bytes} bytes)", path.display());

    println!("[3/4] the entry for the registry of agents");
    println!("{}", registry::write(&dist, &version)?.display());

    println!("[4/4] packing the extension for VS Code");
    vscode::install()?;
    let workbench = vscode::Workbench::installed()?;
    let package = vscode::pack(&workbench, vscode::Program::Bundled(&pollux))?;
    let bytes = fs::metadata(&package)?.len();
    println!("{} ({bytes} bytes)", package.display());
    Ok(ExitCode::SUCCESS)
}

/// Built here, or one that was built as a release before: a build takes long, and packing does not.
fn program(arguments: &[String]) -> Result<PathBuf> {
    match arguments {
        [] => {
            println!("[1/4] building pollux (release profile)");
            release::build()
        }
        [option, file] if option == "--program" => {
            println!("[1/4] packing {file}, which was built before");
            let version = shell::answer(shell::program(file).arg("--version"))?;
            let wanted = tidy::version()?;
            if !version.contains(&wanted) {
                bail!(
                    "`{file} --version` says `{}` and not {wanted}",
                    version.trim()
                );
            }
            Ok(PathBuf::from(file))
        }
        _ => bail!("`dist` takes nothing, or `--program FILE` with the full path of a release"),
    }
}

/// The triple rustc builds for when it is not told otherwise.
fn target() -> Result<String> {
    let version = shell::answer(shell::program("rustc").arg("-vV"))?;
    version
        .lines()
        .find_map(|line| line.strip_prefix("host: "))
        .map(str::to_owned)
        .context("`rustc -vV` does not say its host")
}

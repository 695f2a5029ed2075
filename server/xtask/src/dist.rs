//! `cargo xtask dist`: a release archive with its checksum, and the extension for VS Code, under `target/dist/`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result, bail};

use crate::{release, shell, tidy, vscode};

pub(crate) fn main(arguments: &[String]) -> Result<ExitCode> {
    let pollux = program(arguments)?;

    let name = format!("pollux-{}-{}", tidy::version()?, target()?);
    println!("[2/4] packing {name}.tar.gz");
    let dist = tidy::target_folder()?.join("dist");
    let folder = dist.join(&name);
    fs::create_dir_all(&folder)?;
    copy(&pollux, &folder)?;
    for document in ["LICENSE", "README.md"] {
        copy(&shell::root().join(document), &folder)?;
    }
    let archive = format!("{name}.tar.gz");
    shell::run(
        shell::program("tar")
            .current_dir(&dist)
            .args(["-czf", &archive, &name]),
    )?;
    fs::remove_dir_all(&folder)?;

    println!("[3/4] checksum");
    fs::write(
        dist.join(format!("{archive}.sha256")),
        checksum(&dist, &archive)?,
    )?;
    let path = dist.join(&archive);
    let bytes = fs::metadata(&path)?.len();
    println!("{} ({bytes} bytes)", path.display());

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

fn copy(file: &Path, folder: &Path) -> Result<()> {
    let name = file.file_name().context("a path without a file name")?;
    fs::copy(file, folder.join(name))
        .with_context(|| format!("a release holds {}, which is missing", file.display()))?;
    Ok(())
}

/// In the form that `sha256sum --check` reads. macOS has the same under another name.
fn checksum(folder: &Path, archive: &str) -> Result<String> {
    let linux = shell::answer(shell::program("sha256sum").current_dir(folder).arg(archive));
    linux.or_else(|_no_such_program| {
        shell::answer(
            shell::program("shasum")
                .current_dir(folder)
                .args(["-a", "256", archive]),
        )
    })
}

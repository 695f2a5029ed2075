//! Packing the extension as a `.vsix`.

use std::env::consts;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use super::{Workbench, folder, npm};
use crate::{shell, tidy};

#[cfg(test)]
mod tests;

/// Which program comes with the extension.
pub(crate) enum Program<'path> {
    /// This one, for the platform it was built for.
    Bundled(&'path Path),
    /// This one, in a package that is not for anybody.
    ForTests(&'path Path),
    /// None: a setting says where it is.
    Elsewhere,
}

/// What of the folder goes into the package; the rest is for making it.
const PARTS: &[&str] = &[
    "package.json",
    "package.nls.json",
    "README.md",
    ".vscodeignore",
    "dist",
    "media",
    "l10n",
];

/// What VS Code calls the platform of a program that was built here.
fn platform(os: &str, arch: &str) -> Result<&'static str> {
    Ok(match (os, arch) {
        ("linux", "x86_64") => "linux-x64",
        ("linux", "aarch64") => "linux-arm64",
        ("linux", "arm") => "linux-armhf",
        ("macos", "x86_64") => "darwin-x64",
        ("macos", "aarch64") => "darwin-arm64",
        ("windows", "x86_64") => "win32-x64",
        ("windows", "aarch64") => "win32-arm64",
        _ => bail!("VS Code has no name for {os} on {arch}"),
    })
}

/// Builds the bundles and packs them. The packages must be installed.
pub(crate) fn pack(workbench: &Workbench, program: Program<'_>) -> Result<PathBuf> {
    let platform = platform(consts::OS, consts::ARCH)?;
    let stage = stage(&program)?;
    let name = match program {
        Program::Bundled(_) => format!("pollux-{}-{platform}.vsix", tidy::version()?),
        Program::ForTests(_) => "pollux-for-tests.vsix".to_owned(),
        Program::Elsewhere => "pollux-without-program.vsix".to_owned(),
    };
    let dist = tidy::target_folder()?.join("dist");
    fs::create_dir_all(&dist)?;
    let package = dist.join(name);
    shell::run(
        shell::program(workbench.node())
            .current_dir(&stage)
            .arg(workbench.packer())
            .args(["package", "--no-dependencies", "--allow-missing-repository"])
            .args(["--target", platform, "--out"])
            .arg(&package),
    )?;
    Ok(package)
}

/// Builds the bundles and puts them into a folder, with all that goes with them.
pub(super) fn stage(program: &Program<'_>) -> Result<PathBuf> {
    shell::run(npm().args(["run", "--silent", "build", "--", "--production"]))?;
    let target = tidy::target_folder()?;
    // Packed from a copy, so that nothing of one package can be left over in the next.
    let stage = target.join("vsix");
    if stage.exists() {
        fs::remove_dir_all(&stage)?;
    }
    fs::create_dir_all(&stage)?;
    for part in PARTS {
        copy(&folder().join(part), &stage.join(part))?;
    }
    copy(&shell::root().join("LICENSE"), &stage.join("LICENSE"))?;
    match program {
        Program::Bundled(binary) | Program::ForTests(binary) => {
            let name = format!("bin/pollux{}", consts::EXE_SUFFIX);
            copy(binary, &stage.join(name))?;
        }
        Program::Elsewhere => {}
    }
    Ok(stage)
}

/// A file, or a folder with everything in it.
pub(super) fn copy(from: &Path, to: &Path) -> Result<()> {
    if from.is_dir() {
        fs::create_dir_all(to)?;
        for entry in fs::read_dir(from)? {
            let entry = entry?;
            copy(&entry.path(), &to.join(entry.file_name()))?;
        }
        return Ok(());
    }
    if let Some(parent) = to.parent() {
        fs::create_dir_all(parent)?;
    }
    fs::copy(from, to)
        .with_context(|| format!("the package holds {}, which is missing", from.display()))?;
    Ok(())
}

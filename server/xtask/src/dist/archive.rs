//! The archive of a release, and the checksums beside it.
//!
//! Its files lie at its top: the registry of agents says what to run inside an archive, and a folder with the version in
//! its name would be another command in every release.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::shell;

#[cfg(test)]
mod tests;

/// Packs the files as `<name>.tar.gz`, with `<name>.tar.gz.sha256` for it and `<name>.sha256` for the program, which is the
/// first of the files. Who has it unpacked for them can check only that one.
pub(crate) fn pack(dist: &Path, name: &str, files: &[PathBuf]) -> Result<PathBuf> {
    let stage = dist.join(name);
    fs::create_dir_all(&stage)?;
    let mut names = Vec::new();
    for file in files {
        names.push(copy(file, &stage)?);
    }
    let archive = format!("{name}.tar.gz");
    shell::run(
        shell::program("tar")
            .current_dir(dist)
            .args(["-czf", &archive, "-C", name])
            .args(&names),
    )?;
    let program = names.first().context("an archive without a program")?;
    for (folder, file, checksum_name) in [
        (dist, archive.as_str(), format!("{archive}.sha256")),
        (&stage, program.as_str(), format!("{name}.sha256")),
    ] {
        fs::write(dist.join(checksum_name), checksum(folder, file)?)?;
    }
    fs::remove_dir_all(&stage)?;
    Ok(dist.join(archive))
}

fn copy(file: &Path, folder: &Path) -> Result<String> {
    let name = file.file_name().and_then(|name| name.to_str());
    let name = name.context("a path without a file name")?;
    fs::copy(file, folder.join(name))
        .with_context(|| format!("a release holds {}, which is missing", file.display()))?;
    Ok(name.to_owned())
}

/// In the form that `sha256sum --check` reads. macOS has the same under another name.
fn checksum(folder: &Path, file: &str) -> Result<String> {
    let linux = shell::answer(shell::program("sha256sum").current_dir(folder).arg(file));
    linux.or_else(|_no_such_program| {
        shell::answer(
            shell::program("shasum")
                .current_dir(folder)
                .args(["-a", "256", file]),
        )
    })
}

#[cfg(test)]
mod tests;

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context;

/// A small upload program that does not do what its README says. The demo model knows how to fix it.
const FILES: [(&str, &str); 4] = [
    // Under another name here, because cargo would take it for a package of this workspace.
    ("Cargo.toml", include_str!("sample/Cargo.toml.in")),
    ("README.md", include_str!("sample/README.md")),
    ("src/retry.rs", include_str!("sample/src/retry.rs")),
    ("src/upload.rs", include_str!("sample/src/upload.rs")),
];

/// Writes a fresh copy of the sample into a new temporary folder, which stays until [`remove_untouched`].
pub(super) fn unpack() -> anyhow::Result<PathBuf> {
    let folder = tempfile::Builder::new()
        .prefix("pollux-demo-")
        .tempdir()
        .context("cannot make a temporary folder for the sample")?;
    write_into(folder.path())?;
    Ok(folder.keep())
}

/// Removes a copy of the sample that nobody has changed or added anything to. Says whether it is gone.
pub(super) fn remove_untouched(folder: &Path) -> bool {
    if !is_untouched(folder) {
        return false;
    }
    // Only what we wrote is removed, so that a file that comes into being meanwhile keeps its folder.
    for (name, _) in FILES {
        if fs::remove_file(folder.join(name)).is_err() {
            return false;
        }
    }
    fs::remove_dir(folder.join("src")).is_ok() && fs::remove_dir(folder).is_ok()
}

fn is_untouched(folder: &Path) -> bool {
    let same = FILES
        .iter()
        .all(|(name, text)| fs::read(folder.join(name)).is_ok_and(|now| now == text.as_bytes()));
    // The manifest, the README and the folder; and in there the other two.
    same && entries(folder) == Some(3) && entries(&folder.join("src")) == Some(2)
}

fn entries(folder: &Path) -> Option<usize> {
    Some(fs::read_dir(folder).ok()?.count())
}

pub(super) fn write_into(folder: &Path) -> anyhow::Result<()> {
    for (name, text) in FILES {
        let path = folder.join(name);
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent)?;
        }
        fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))?;
    }
    Ok(())
}

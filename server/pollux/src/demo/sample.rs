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

/// Writes a fresh copy of the sample into a new temporary folder, which is not deleted afterwards.
pub(super) fn unpack() -> anyhow::Result<PathBuf> {
    let folder = tempfile::Builder::new()
        .prefix("pollux-demo-")
        .tempdir()
        .context("cannot make a temporary folder for the sample")?;
    write_into(folder.path())?;
    Ok(folder.keep())
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

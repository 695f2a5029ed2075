//! Where git keeps its index for a folder. No process is started for that.

use std::fs;
use std::path::{Path, PathBuf};

use super::index::ObjectFormat;

/// A work tree and what belongs to it.
pub(super) struct Repository {
    pub(super) root: PathBuf,
    pub(super) index: PathBuf,
    pub(super) format: ObjectFormat,
}

/// The work tree that a folder is in.
pub(super) fn find(folder: &Path) -> Option<Repository> {
    folder.ancestors().find_map(|root| {
        let marker = root.join(".git");
        let kept = match fs::metadata(&marker).ok()? {
            found if found.is_dir() => marker,
            // A linked work tree, or a submodule.
            _ => {
                let text = fs::read_to_string(&marker).ok()?;
                root.join(text.strip_prefix("gitdir:")?.trim())
            }
        };
        kept.join("HEAD").is_file().then(|| Repository {
            root: root.to_path_buf(),
            index: kept.join("index"),
            format: format_of(&kept),
        })
    })
}

/// Nearly all repositories name their objects by SHA-1; one that does not says so.
fn format_of(kept: &Path) -> ObjectFormat {
    let common = match fs::read_to_string(kept.join("commondir")) {
        Ok(common) => kept.join(common.trim()),
        Err(_) => kept.to_path_buf(),
    };
    let config = fs::read_to_string(common.join("config")).unwrap_or_default();
    let is_sha256 = config.lines().any(|line| {
        let line = line.to_ascii_lowercase();
        let mut parts = line.split('=').map(str::trim);
        parts.next() == Some("objectformat") && parts.next() == Some("sha256")
    });
    match is_sha256 {
        true => ObjectFormat::Sha256,
        false => ObjectFormat::Sha1,
    }
}

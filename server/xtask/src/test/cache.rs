//! Where tests keep what can be fetched again: a folder for each thing, which says what lies in it.

#[cfg(test)]
mod tests;

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

/// Written last, so what has it is whole.
const MARK: &str = "installed";

pub(crate) fn cache() -> Result<PathBuf> {
    let cache = std::env::var_os("XDG_CACHE_HOME").map(PathBuf::from);
    let home = std::env::var_os("HOME").map(PathBuf::from);
    let cache = cache.or_else(|| Some(home?.join(".cache")));
    Ok(cache
        .context("there is no home folder")?
        .join("pollux-tests"))
}

/// Installs something into a folder of the cache, unless just what is wanted lies there already.
pub(super) fn once(
    name: &str,
    wanted: &str,
    install: impl FnOnce(&Path) -> Result<()>,
) -> Result<()> {
    once_in(&cache()?.join(name), wanted, install)
}

fn once_in(folder: &Path, wanted: &str, install: impl FnOnce(&Path) -> Result<()>) -> Result<()> {
    let mark = folder.join(MARK);
    if fs::read_to_string(&mark).is_ok_and(|found| found == wanted) {
        return Ok(());
    }
    println!("      not there yet: goes into {}", folder.display());
    if folder.exists() {
        fs::remove_dir_all(folder).with_context(|| folder.display().to_string())?;
    }
    fs::create_dir_all(folder)?;
    install(folder)?;
    Ok(fs::write(mark, wanted)?)
}

//! Paths made comparable: two spellings of one folder must decide alike.
//!
//! Trust rules, the home folder and recorded projects are compared by real path, so that a symbolic
//! link can neither escape a rule nor split a project in two.

use std::ffi::OsString;
use std::path::{Component, Path, PathBuf};

/// The real path, as far as the path exists; what does not exist yet is kept as written, without `.`
/// and `..`.
pub fn real(path: &Path) -> PathBuf {
    let mut missing: Vec<OsString> = Vec::new();
    let mut existing = without_dots(path);
    loop {
        if let Ok(found) = std::fs::canonicalize(&existing) {
            let mut found = plain(found);
            found.extend(missing.iter().rev());
            return found;
        }
        let Some(name) = existing.file_name().map(OsString::from) else {
            return without_dots(path);
        };
        missing.push(name);
        if !existing.pop() {
            return without_dots(path);
        }
    }
}

/// The real path in the form in which two paths may be compared.
pub(crate) fn comparable(path: &Path) -> PathBuf {
    let real = real(path);
    // These systems keep the case of a name but do not tell names apart by it.
    if cfg!(any(windows, target_os = "macos")) {
        return match real.to_str() {
            Some(text) => PathBuf::from(text.to_lowercase()),
            None => real,
        };
    }
    real
}

/// Symbolic links make `a/..` ambiguous, so the disk is asked about the whole path first.
fn without_dots(path: &Path) -> PathBuf {
    if let Ok(found) = std::fs::canonicalize(path) {
        return plain(found);
    }
    let mut clean = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                clean.pop();
            }
            other => clean.push(other),
        }
    }
    clean
}

/// Windows answers with the long form `\\?\C:\…`, which users never write.
fn plain(path: PathBuf) -> PathBuf {
    if !cfg!(windows) {
        return path;
    }
    match path.to_str().and_then(|text| text.strip_prefix(r"\\?\")) {
        Some(rest) if rest.as_bytes().get(1) == Some(&b':') => PathBuf::from(rest),
        _ => path,
    }
}

#[cfg(test)]
mod tests;

//! Names that are closed to tools, however they are spelled.

#[cfg(test)]
mod tests;

use std::ffi::OsStr;
use std::path::{Component, Path};

/// Each with the start of the short name NTFS gives it (`.git` is also `GIT~1`).
const NAMES: [(&str, &str); 3] = [(".git", "git"), (".env", "env"), ("node_modules", "node_m")];

/// What a GitHub workflow leaves behind when it signs in.
const CREDENTIALS: &str = "gha-creds-*.json";

/// The closed name in a path that is relative to its workspace, if there is one.
///
/// Holds by spelling alone. What stands above the workspace does not count, so an absolute path must be made
/// relative first.
pub fn closed_segment(path: &Path) -> Option<&'static str> {
    path.components().find_map(|component| match component {
        Component::Normal(name) => closed_name(name),
        _ => None,
    })
}

/// Asked for every entry of every folder, so most names are let through by their first letter.
pub(crate) fn closed_name(name: &OsStr) -> Option<&'static str> {
    match name.as_encoded_bytes().first()? {
        b'.' | b'g' | b'G' | b'e' | b'E' | b'n' | b'N' => spelled_closed(&name.to_string_lossy()),
        _ => None,
    }
}

/// Windows knows no case, drops dots and blanks at the end, and reads what follows a colon as a stream of the file.
fn spelled_closed(name: &str) -> Option<&'static str> {
    let name = name.split(':').next().unwrap_or_default();
    let name = name.trim_end_matches(['.', ' ']).to_ascii_lowercase();
    if let Some((long, _)) = NAMES
        .iter()
        .find(|(long, short)| name == *long || is_short_name(&name, short, ""))
    {
        return Some(long);
    }
    let is_credentials = name
        .strip_prefix("gha-creds-")
        .is_some_and(|rest| rest.ends_with(".json"));
    (is_credentials || is_short_name(&name, "gha-cr", ".jso")).then_some(CREDENTIALS)
}

/// `start~1end`, with any number.
fn is_short_name(name: &str, start: &str, end: &str) -> bool {
    name.strip_prefix(start)
        .and_then(|rest| rest.strip_prefix('~'))
        .and_then(|rest| rest.strip_suffix(end))
        .is_some_and(|number| {
            !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())
        })
}

//! URIs as editors write them, and the documents they name.
//!
//! Editors differ in what they escape, so a URI is never compared as a string, and one that a
//! strict parser would refuse still names its file.

use std::path::{Component, Path, PathBuf};

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};
use pollux_workspace::DocumentKey;

/// What stays as it is in the path of a file URI.
const ESCAPED: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~')
    .remove(b'/');

pub(crate) fn document_key(uri: &str) -> DocumentKey {
    match file_path(uri) {
        Some(path) => DocumentKey::File(path),
        None => DocumentKey::Virtual(uri.to_owned()),
    }
}

/// The path of a `file:` URI, with `.`, `..` and doubled separators resolved by their letters.
pub(crate) fn file_path(uri: &str) -> Option<PathBuf> {
    let rest = strip_scheme(uri)?;
    let escaped = match rest.strip_prefix("//") {
        // An authority is a host name; for files of this machine it is empty or `localhost`.
        Some(after) => after.strip_prefix("localhost").unwrap_or(after),
        None => rest,
    };
    let bytes: Vec<u8> = percent_decode_str(escaped).collect();
    let path = from_bytes(bytes)?;
    path.is_absolute().then(|| normalized(&path))
}

pub(crate) fn from_path(path: &Path) -> String {
    let text = path.to_string_lossy();
    let text = if cfg!(windows) {
        format!("/{}", text.replace('\\', "/"))
    } else {
        text.into_owned()
    };
    format!("file://{}", utf8_percent_encode(&text, ESCAPED))
}

/// The URI with everything escaped that a strict parser refuses. Clients that use the `url` crate
/// leave brackets as they are, and others leave spaces.
pub(crate) fn escaped(uri: &str) -> String {
    const REFUSED: &AsciiSet = &percent_encoding::CONTROLS
        .add(b' ')
        .add(b'"')
        .add(b'<')
        .add(b'>')
        .add(b'[')
        .add(b']')
        .add(b'\\')
        .add(b'^')
        .add(b'`')
        .add(b'{')
        .add(b'|')
        .add(b'}');
    utf8_percent_encode(uri, REFUSED).to_string()
}

fn strip_scheme(uri: &str) -> Option<&str> {
    let (scheme, rest) = uri.split_once(':')?;
    scheme.eq_ignore_ascii_case("file").then_some(rest)
}

#[cfg(unix)]
fn from_bytes(bytes: Vec<u8>) -> Option<PathBuf> {
    use std::os::unix::ffi::OsStringExt;
    Some(PathBuf::from(std::ffi::OsString::from_vec(bytes)))
}

#[cfg(not(unix))]
fn from_bytes(bytes: Vec<u8>) -> Option<PathBuf> {
    let text = String::from_utf8(bytes).ok()?;
    // `/c:/folder`, with a drive letter whose case editors do not agree on.
    let mut text = text.strip_prefix('/').unwrap_or(&text).to_owned();
    if let Some(drive) = text.get_mut(..1) {
        drive.make_ascii_uppercase();
    }
    Some(PathBuf::from(text))
}

fn normalized(path: &Path) -> PathBuf {
    let mut result = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                result.pop();
            }
            Component::Prefix(_) | Component::RootDir | Component::Normal(_) => {
                result.push(component);
            }
        }
    }
    result
}

#[cfg(test)]
mod tests;

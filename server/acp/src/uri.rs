//! URIs as clients write them: files, with lines of interest behind a `#`.

use std::ops::RangeInclusive;
use std::path::{Component, Path, PathBuf};

use percent_encoding::percent_decode_str;

/// A file, or lines of it, counted from 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FilePlace {
    pub(crate) path: PathBuf,
    pub(crate) lines: Option<RangeInclusive<u32>>,
}

/// Nothing for a URI of another kind.
pub(crate) fn file(uri: &str) -> Option<FilePlace> {
    let (scheme, rest) = uri.split_once(':')?;
    if !scheme.eq_ignore_ascii_case("file") {
        return None;
    }
    let (rest, fragment) = match rest.split_once('#') {
        Some((rest, fragment)) => (rest, Some(fragment)),
        None => (rest, None),
    };
    let rest = rest.split_once('?').map_or(rest, |(path, _)| path);
    let rest = match rest.strip_prefix("//") {
        // For files of this machine the name of the host is empty or `localhost`.
        Some(after) => after.strip_prefix("localhost").unwrap_or(after),
        None => rest,
    };
    let text = percent_decode_str(rest).decode_utf8().ok()?;
    let path = plain(Path::new(native(&text)))?;
    Some(FilePlace {
        path,
        lines: fragment.and_then(lines),
    })
}

/// `/c:/folder` is `c:/folder` where there are drives.
fn native(path: &str) -> &str {
    match cfg!(windows) {
        true => path.strip_prefix('/').unwrap_or(path),
        false => path,
    }
}

/// Without `.` and `..`; nothing for a path that begins nowhere.
fn plain(path: &Path) -> Option<PathBuf> {
    if !path.is_absolute() {
        return None;
    }
    let mut plain = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                plain.pop();
            }
            other => plain.push(other),
        }
    }
    Some(plain)
}

/// `L10`, `L10:20` and `L10-L20`.
fn lines(fragment: &str) -> Option<RangeInclusive<u32>> {
    let numbers = fragment.strip_prefix('L')?;
    let number = |text: &str| text.trim_start_matches('L').parse::<u32>().ok();
    let (first, last) = match numbers.split_once([':', '-']) {
        Some((first, last)) => (number(first)?, number(last)?),
        None => (number(numbers)?, number(numbers)?),
    };
    (1 <= first && first <= last).then_some(first..=last)
}

#[cfg(test)]
mod tests;

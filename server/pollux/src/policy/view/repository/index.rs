//! The index of a repository, as far as it names submodules.

use std::str;

/// The mode of a submodule.
const GITLINK: u32 = 0o160_000;

/// What an entry holds before its path.
const FIXED: usize = 62;
const MODE: usize = 24;
const FLAGS: usize = 60;
/// In the flags of an entry: two more bytes follow them.
const EXTENDED: u8 = 0x40;

/// The paths of the submodules in an index; `None` if they cannot be told.
pub(super) fn submodules(index: &[u8]) -> Option<Vec<String>> {
    let version = number(index, 4)?;
    let entries = number(index, 8)?;
    if index.get(..4)? != b"DIRC" || !(2..=4).contains(&version) {
        return None;
    }
    let mut found = Vec::new();
    let mut path: Vec<u8> = Vec::new();
    let mut at = 12;
    for _ in 0..entries {
        let mode = number(index, at + MODE)?;
        let is_extended = index.get(at + FLAGS)? & EXTENDED != 0;
        let mut end = at + FIXED + if is_extended { 2 } else { 0 };
        if version == 4 {
            // A path repeats the beginning of the one before it.
            let dropped = offset(index, &mut end)?;
            path.truncate(path.len().checked_sub(dropped)?);
        } else {
            path.clear();
        }
        let rest = index.get(end..)?;
        let length = rest.iter().position(|byte| *byte == 0)?;
        path.extend(rest.get(..length)?);
        end += length;
        at = match version {
            4 => end + 1,
            // One to eight zeros make the length of the entry a multiple of eight.
            _ => at + (end - at + 8) / 8 * 8,
        };
        if mode == GITLINK {
            found.push(str::from_utf8(&path).ok()?.to_owned());
        }
    }
    // With this extension most entries are in another file.
    (index.get(at..at + 4)? != b"link").then_some(found)
}

fn number(index: &[u8], at: usize) -> Option<u32> {
    let bytes = index.get(at..at + 4)?;
    Some(u32::from_be_bytes(bytes.try_into().ok()?))
}

/// A number of as many bytes as it needs.
fn offset(index: &[u8], at: &mut usize) -> Option<usize> {
    let mut next = || {
        let byte = index.get(*at).copied();
        *at += 1;
        byte
    };
    let mut byte = next()?;
    let mut value = usize::from(byte & 0x7f);
    while byte & 0x80 != 0 {
        byte = next()?;
        value = value.checked_add(1)?.checked_mul(128)? + usize::from(byte & 0x7f);
    }
    Some(value)
}

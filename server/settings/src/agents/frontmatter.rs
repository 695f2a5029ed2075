//! The head of a file, between two lines of three dashes, and the text below it.

#[cfg(test)]
mod tests;

/// A file taken apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Parts<'a> {
    /// YAML. Its first line is the second of the file.
    pub(super) head: &'a str,
    pub(super) body: &'a str,
}

/// Nothing where the file has no head. Lines may end with CR LF, and the file may begin with a byte order mark.
pub(super) fn split(text: &str) -> Option<Parts<'_>> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let (first, rest) = text.split_once('\n')?;
    if !is_fence(first) {
        return None;
    }
    let mut from = 0;
    for line in rest.split_inclusive('\n') {
        if is_fence(line) {
            return Some(Parts {
                head: rest.get(..from)?,
                body: rest.get(from + line.len()..)?.trim(),
            });
        }
        from += line.len();
    }
    None
}

/// White space behind the dashes is not to be seen, and does not count.
fn is_fence(line: &str) -> bool {
    line.trim_end() == "---"
}

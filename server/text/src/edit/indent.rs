//! Indentation of a replacement that was found in another depth than it was written for.

/// The blanks and tabs before a line's text.
pub(super) fn indent_of(line: &str) -> &str {
    let text = line.trim_start_matches([' ', '\t']);
    line.get(..line.len() - text.len()).unwrap_or_default()
}

/// The text moved to `target`, with its own first line as the measure. Blank lines become empty.
pub(super) fn reindented(text: &str, target: &str) -> String {
    let reference = indent_of(text.split('\n').next().unwrap_or_default());
    let mut moved = String::with_capacity(text.len() + target.len());
    for (index, line) in text.split('\n').enumerate() {
        if index > 0 {
            moved.push('\n');
        }
        if line.trim().is_empty() {
            continue;
        }
        moved.push_str(target);
        moved.push_str(
            line.strip_prefix(reference)
                .unwrap_or_else(|| line.trim_start()),
        );
    }
    moved
}

//! What is left of an output that was saved elsewhere.

use std::path::Path;

/// Characters of an output that stay.
const EXCERPT_CHARS: usize = 40_000;
/// As many more have to go, or the words about them would take more room than they did.
const WORTH_IT: usize = 1_000;
/// Of what stays, so many hundredths come from the beginning: the end of an output says more.
const HEAD: usize = 20;

/// The output's beginning and end, and where the rest is. Nothing when it is short enough as it is.
pub(super) fn excerpt(output: &str, file: &Path) -> Option<String> {
    if !is_too_long(output) {
        return None;
    }
    let chars = output.chars().count();
    let head = EXCERPT_CHARS * HEAD / 100;
    let tail = EXCERPT_CHARS - head;
    let (before, _) = output.split_at_checked(byte_of(output, head))?;
    let (_, after) = output.split_at_checked(byte_of(output, chars - tail))?;
    Some(format!(
        "Output too large. Showing first {head} and last {tail} characters. For full output see: {}\n\
         {before}\n\n... [{} characters omitted] ...\n\n{after}",
        file.display(),
        chars - EXCERPT_CHARS,
    ))
}

pub(super) fn is_too_long(output: &str) -> bool {
    let longest = EXCERPT_CHARS + WORTH_IT;
    output.len() > longest && output.chars().nth(longest).is_some()
}

/// A name as a part of a file's name: nothing in it can lead elsewhere.
pub(crate) fn file_name_part(name: &str) -> String {
    let safe = |char: char| match char {
        'A'..='Z' | 'a'..='z' | '0'..='9' | '_' | '-' => char.to_ascii_lowercase(),
        _ => '_',
    };
    match name {
        "" => "unknown_tool".to_owned(),
        name => name.chars().map(safe).collect(),
    }
}

fn byte_of(text: &str, char: usize) -> usize {
    text.char_indices()
        .nth(char)
        .map_or(text.len(), |(byte, _)| byte)
}

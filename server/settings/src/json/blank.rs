//! Comments become spaces, byte for byte, so that offsets in what remains stay those of the file.

use std::ops::Range;

pub(crate) struct Blanked {
    /// As long as the original. Line breaks inside comments are kept.
    pub(crate) text: String,
    /// Where the comments were, in ascending order.
    pub(crate) comments: Vec<Range<usize>>,
    /// The start of a block comment that never ends.
    pub(crate) unclosed: Option<usize>,
}

pub(crate) fn blank(text: &str) -> Blanked {
    let (comments, unclosed) = find_comments(text.as_bytes());
    let mut kept = String::with_capacity(text.len());
    let mut position = 0;
    if text.starts_with('\u{feff}') {
        position = '\u{feff}'.len_utf8();
        kept.extend(std::iter::repeat_n(' ', position));
    }
    for comment in &comments {
        kept.push_str(text.get(position..comment.start).unwrap_or_default());
        for character in text.get(comment.clone()).unwrap_or_default().chars() {
            match character {
                '\n' | '\r' => kept.push(character),
                _ => kept.extend(std::iter::repeat_n(' ', character.len_utf8())),
            }
        }
        position = comment.end;
    }
    kept.push_str(text.get(position..).unwrap_or_default());
    Blanked {
        text: kept,
        comments,
        unclosed,
    }
}

/// Works on bytes: every byte it looks for is ASCII and never part of a longer character.
fn find_comments(bytes: &[u8]) -> (Vec<Range<usize>>, Option<usize>) {
    let mut comments = Vec::new();
    let mut position = 0;
    while let Some(byte) = bytes.get(position) {
        match (byte, bytes.get(position + 1)) {
            (b'"', _) => position = end_of_string(bytes, position),
            (b'/', Some(b'/')) => {
                let end = find(bytes, position, |rest| {
                    matches!(rest.first(), Some(b'\n' | b'\r'))
                });
                let end = end.unwrap_or(bytes.len());
                comments.push(position..end);
                position = end;
            }
            (b'/', Some(b'*')) => {
                let Some(close) = find(bytes, position + 2, |rest| rest.starts_with(b"*/")) else {
                    comments.push(position..bytes.len());
                    return (comments, Some(position));
                };
                comments.push(position..close + 2);
                position = close + 2;
            }
            _ => position += 1,
        }
    }
    (comments, None)
}

/// The offset after the closing quote. A string cannot hold a line break, so an open one ends there:
/// the next line is read with fresh eyes and the parser reports the missing quote.
fn end_of_string(bytes: &[u8], quote: usize) -> usize {
    let mut position = quote + 1;
    while let Some(byte) = bytes.get(position) {
        match byte {
            b'"' => return position + 1,
            b'\n' | b'\r' => return position,
            b'\\' if !matches!(bytes.get(position + 1), Some(b'\n' | b'\r') | None) => {
                position += 2;
            }
            _ => position += 1,
        }
    }
    bytes.len()
}

fn find(bytes: &[u8], from: usize, matches: impl Fn(&[u8]) -> bool) -> Option<usize> {
    (from..bytes.len()).find(|&at| bytes.get(at..).is_some_and(&matches))
}

#[cfg(test)]
mod tests;

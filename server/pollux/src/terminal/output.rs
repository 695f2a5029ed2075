//! Standard output and standard error for texts of any origin.
//!
//! Models, servers and repositories write parts of what is printed. Everything goes through here, so that nothing of it
//! moves somebody's cursor, changes the title of their window or hides a line.

use std::io::{self, StderrLock, StdoutLock, Write};

/// Writes texts whose control characters are shown, not obeyed. Line feeds and tabs are harmless.
#[derive(Debug)]
pub(crate) struct PlainOutput<W> {
    out: W,
    notation: Notation,
}

/// How a character is written that a terminal would obey.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Notation {
    Text,
    /// As JSON writes it in a text, so that the text stays the same.
    Json,
}

impl<W> PlainOutput<W> {
    pub(crate) fn text(out: W) -> Self {
        Self {
            out,
            notation: Notation::Text,
        }
    }

    pub(crate) fn json(out: W) -> Self {
        Self {
            out,
            notation: Notation::Json,
        }
    }
}

pub(crate) fn stdout() -> PlainOutput<StdoutLock<'static>> {
    PlainOutput::text(io::stdout().lock())
}

pub(crate) fn stderr() -> PlainOutput<StderrLock<'static>> {
    PlainOutput::text(io::stderr().lock())
}

/// Says what is wrong, on standard error.
pub(crate) fn complain(text: &str) {
    // Nobody can be told that standard error is closed.
    let _closed = writeln!(stderr(), "pollux: {text}");
}

impl<W: Write> Write for PlainOutput<W> {
    /// Takes whole texts: what is cut in the middle of a character is shown as such.
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let text = String::from_utf8_lossy(bytes);
        self.out.write_all(plain(&text, self.notation).as_bytes())?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// Control characters, and those that reorder what is read on a line, are shown and not obeyed.
pub(super) fn shown(text: &str) -> String {
    plain(text, Notation::Text)
}

fn plain(text: &str, notation: Notation) -> String {
    let mut plain = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '\n' | '\t' => plain.push(character),
            _ if !is_obeyed(character) => plain.push(character),
            _ if notation == Notation::Json => {
                plain.push_str(&format!("\\u{:04x}", u32::from(character)));
            }
            _ if character.is_control() => plain.extend(character.escape_default()),
            _ => plain.extend(character.escape_unicode()),
        }
    }
    plain
}

fn is_obeyed(character: char) -> bool {
    character.is_control() || matches!(character, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOSTILE: &str = "a\u{1b}]0;x\u{7}\u{9b}2J\r\u{8}\u{202e}b\u{7f}\n\tc";

    #[test]
    fn nothing_that_a_terminal_obeys_gets_through() {
        let mut out = Vec::new();
        write!(PlainOutput::text(&mut out), "{HOSTILE}").unwrap();
        assert_eq!(
            String::from_utf8(out).unwrap(),
            "a\\u{1b}]0;x\\u{7}\\u{9b}2J\\r\\u{8}\\u{202e}b\\u{7f}\n\tc"
        );
    }

    #[test]
    fn json_means_the_same_as_before() {
        let mut out = Vec::new();
        serde_json::to_writer(PlainOutput::json(&mut out), HOSTILE).unwrap();
        let printed = String::from_utf8(out).unwrap();
        assert!(!printed.chars().any(is_obeyed), "{printed}");
        assert_eq!(serde_json::from_str::<String>(&printed).unwrap(), HOSTILE);
    }
}

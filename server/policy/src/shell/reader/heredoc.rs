//! Here-documents.

use super::{Piece, Reader, Stop};
use crate::shell::Stdin;

/// A here-document whose text has not come yet.
pub(super) struct Heredoc {
    delimiter: String,
    strips_tabs: bool,
    /// Whether the text is taken as it stands.
    is_quoted: bool,
    /// The command whose standard input it is.
    pub(super) slot: Option<usize>,
}

impl Heredoc {
    pub(super) fn new(operator: &str, target: &Piece, source: &str) -> Option<Self> {
        let delimiter = target.word.literal()?.to_owned();
        // Anything beyond one plain or one quoted word is read differently by different readers.
        let is_name = |text: &str| {
            !text.is_empty() && text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
        };
        let quoted = [
            format!("'{delimiter}'"),
            format!("\"{delimiter}\""),
            format!("\\{delimiter}"),
        ];
        let is_quoted = quoted.iter().any(|quoted| quoted == source);
        (is_name(&delimiter) && (is_quoted || source == delimiter)).then_some(Self {
            delimiter,
            strips_tabs: operator == "<<-",
            is_quoted,
            slot: None,
        })
    }
}

impl Reader<'_> {
    /// Reads the here-documents that were announced in the line that has just ended.
    pub(super) fn heredocs(&mut self) -> Result<(), Stop> {
        for heredoc in std::mem::take(&mut self.pending) {
            let text = self.heredoc(&heredoc)?;
            let slot = heredoc
                .slot
                .and_then(|slot| self.reading.commands.get_mut(slot));
            if let (Some(text), Some(command)) = (text, slot) {
                command.stdin = Stdin::Text(text);
            }
        }
        Ok(())
    }

    /// The text of a here-document where it is known.
    fn heredoc(&mut self, heredoc: &Heredoc) -> Result<Option<String>, Stop> {
        let start = self.at;
        let mut text = String::new();
        loop {
            let rest = self.rest();
            if rest.is_empty() {
                return Err(self.stop("a here-document has no end"));
            }
            let line = rest.split('\n').next().unwrap_or_default();
            let shown = if heredoc.strips_tabs {
                line.trim_start_matches('\t')
            } else {
                line
            };
            if shown == heredoc.delimiter {
                let body = start..self.at;
                // The line feed after the delimiter ends the command; it is left for whoever comes next.
                let after = self.at + line.len();
                let is_known = heredoc.is_quoted || self.body(body)?;
                self.at = after;
                return Ok(is_known.then_some(text));
            }
            text.push_str(shown);
            text.push('\n');
            self.at = (self.at + line.len() + 1).min(self.end);
        }
    }

    /// Reads the substitutions in the text of a here-document; whether there is nothing in it that bash would touch.
    fn body(&mut self, range: std::ops::Range<usize>) -> Result<bool, Stop> {
        // bash joins the lines before it looks at anything else, inside of quotes and substitutions too.
        if self.slice(range.clone()).contains("\\\n") {
            return Err(self.stop("a line of a here-document is continued"));
        }
        let end = std::mem::replace(&mut self.end, range.end);
        self.at = range.start;
        let mut is_plain = true;
        let result = loop {
            match self.peek() {
                None => break Ok(is_plain),
                Some(b'\\') => {
                    is_plain = false;
                    self.at += 1;
                    if matches!(self.peek(), Some(b'\\' | b'$' | b'`')) {
                        self.at += 1;
                    }
                }
                Some(b'$' | b'`') => {
                    is_plain = false;
                    let mut ignored = Vec::new();
                    if let Err(stop) = self.expansion_in_quotes(&mut ignored) {
                        break Err(stop);
                    }
                }
                Some(_) => self.at += 1,
            }
        };
        self.end = end;
        result
    }
}

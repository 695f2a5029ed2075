//! Text that somebody else wrote: marked as such before a model reads it, and remembered for whoever judges a
//! command.

#[cfg(test)]
mod tests;

use std::collections::VecDeque;

const CLOSING: &str = "</untrusted_context>";

/// Bytes of text from outside that a session remembers; the oldest goes first.
const REMEMBERED: usize = 1024 * 1024;

/// Puts text between the marks. The text cannot close them itself.
pub(crate) fn wrap(text: &str) -> String {
    let text = escaped(text);
    format!("<untrusted_context>\n{text}\n{CLOSING}")
}

/// Closing marks in any case and with blanks, as a model might read them, are taken apart.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find("</") {
        let (before, found) = rest.split_at(start);
        escaped.push_str(before);
        match closing(found) {
            Some(length) => {
                escaped.push_str("&lt;/untrusted_context&gt;");
                rest = found.get(length..).unwrap_or_default();
            }
            None => {
                escaped.push_str("</");
                rest = found.get(2..).unwrap_or_default();
            }
        }
    }
    escaped.push_str(rest);
    escaped
}

/// The length of the closing mark that the text begins with.
fn closing(text: &str) -> Option<usize> {
    const NAME: &str = "untrusted_context";
    let inner = text.get(2..)?.trim_start();
    let name = inner.get(..NAME.len())?;
    if !name.eq_ignore_ascii_case(NAME) {
        return None;
    }
    let end = inner.get(NAME.len()..)?.trim_start();
    let rest = end.strip_prefix('>')?;
    Some(text.len() - rest.len())
}

/// What a session has been told by commands, pages and servers. Whoever wrote that may have wanted the model to pass
/// something on.
#[derive(Default)]
pub(super) struct Outside {
    texts: VecDeque<String>,
    bytes: usize,
}

impl Outside {
    pub(super) fn remember(&mut self, text: &str) {
        let end = text.floor_char_boundary(REMEMBERED);
        let text = text.get(..end).unwrap_or_default().to_owned();
        self.bytes += text.len();
        self.texts.push_back(text);
        while self.bytes > REMEMBERED
            && let Some(oldest) = self.texts.pop_front()
        {
            self.bytes -= oldest.len();
        }
    }

    /// Whether something was there, letter by letter and not as a part of something longer.
    pub(super) fn said(&self, word: &str) -> bool {
        self.texts.iter().any(|text| has_word(text, word))
    }
}

fn has_word(text: &str, word: &str) -> bool {
    let goes_on = |character: char| character.is_alphanumeric() || matches!(character, '-' | '_');
    text.match_indices(word).any(|(start, found)| {
        let before = text.get(..start).and_then(|text| text.chars().next_back());
        let after = text.get(start + found.len()..);
        let after = after.and_then(|text| text.chars().next());
        !before.is_some_and(goes_on) && !after.is_some_and(goes_on)
    })
}

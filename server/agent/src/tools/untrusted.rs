//! Text that came from outside: marked for the model, and remembered for whoever judges a command.

#[cfg(test)]
mod tests;

use std::collections::VecDeque;

/// Bytes of text from outside that a session remembers; the oldest goes first.
const REMEMBERED: usize = 1024 * 1024;

/// Text that came from outside, marked so that a model does not take it for the person's words.
pub(super) fn untrusted(text: &str) -> String {
    let inner = text.replace("</untrusted_context>", "&lt;/untrusted_context&gt;");
    format!("<untrusted_context>\n{inner}\n</untrusted_context>")
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

//! The text as a model sees it: a line feed at the end of every line.

use std::borrow::Cow;

use memchr::memchr_iter;

/// A text with a line feed for every line ending, and the way back to the real one.
pub(super) struct Seen<'text> {
    text: Cow<'text, str>,
    /// Where in `text` a line feed stands for two bytes, in order.
    folded: Vec<usize>,
    endings: Endings,
}

/// The line endings of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Endings {
    Lf,
    CrLf,
    /// Different ones, or carriage returns alone.
    Mixed,
}

impl<'text> Seen<'text> {
    pub(super) fn new(real: &'text str) -> Self {
        let mut folded = Vec::new();
        let text = fold(real, |at| folded.push(at));
        let endings = match text {
            Cow::Borrowed(_) => Endings::Lf,
            Cow::Owned(ref text) => {
                let all = memchr_iter(b'\n', text.as_bytes()).count();
                if folded.len() == all {
                    Endings::CrLf
                } else {
                    Endings::Mixed
                }
            }
        };
        Self {
            text,
            folded,
            endings,
        }
    }

    pub(super) fn text(&self) -> &str {
        &self.text
    }

    pub(super) fn endings(&self) -> Endings {
        self.endings
    }

    /// The byte of the real text at which this one stands. Never inside a line ending.
    pub(super) fn real_offset(&self, at: usize) -> usize {
        at + self.folded.partition_point(|folded| *folded < at)
    }
}

/// The text with a line feed for every line ending.
pub(super) fn normalised(text: &str) -> Cow<'_, str> {
    fold(text, |_| {})
}

/// Tells the place of every line feed that stands for two bytes.
fn fold(real: &str, mut folded: impl FnMut(usize)) -> Cow<'_, str> {
    let mut returns = memchr_iter(b'\r', real.as_bytes()).peekable();
    if returns.peek().is_none() {
        return Cow::Borrowed(real);
    }
    let mut text = String::with_capacity(real.len());
    let mut copied_to = 0;
    for at in returns {
        text.push_str(real.get(copied_to..at).unwrap_or_default());
        copied_to = at + 1;
        if real.as_bytes().get(copied_to) == Some(&b'\n') {
            copied_to += 1;
            folded(text.len());
        }
        text.push('\n');
    }
    text.push_str(real.get(copied_to..).unwrap_or_default());
    Cow::Owned(text)
}

//! Text that a model could have written, in chunks of equal length, the same in every run.

#[cfg(test)]
mod tests;

pub(super) const CHUNK: usize = 20;

/// A heading, a list item or a fence comes once in so many chunks.
const STRUCTURE_EVERY: usize = 12;

const WORDS: &[&str] = &[
    "the", "server", "keeps", "each", "file", "in", "a", "rope", "while", "an", "editor", "sends",
    "small", "changes", "that", "arrive", "out", "of", "order", "when", "network", "is", "slow",
    "so", "every", "message", "carries", "its", "own", "version", "and", "reader", "waits",
    "until", "gap", "closed", "before", "answer", "goes", "back", "to", "whoever", "asked",
    "first", "because", "nothing", "else", "would", "make", "sense", "later", "on", "trees",
    "grow", "from", "many", "tiny", "pieces", "which", "may", "be", "shared",
];

const STRUCTURES: &[&str] = &["\n\n## ", "\n- ", "\n```\n", "\n1. "];

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Style {
    /// No structure at all: the worst case of a loop detector that starts again at a heading.
    Prose,
    Markdown,
}

/// So many chunks of twenty characters. No two windows of fifty characters are alike in practice,
/// so no loop detector has a reason to stop it.
pub(super) fn chunks(style: Style, count: usize) -> Vec<String> {
    let mut words = Words { state: 0x2545_f491 };
    let mut rest = String::new();
    let mut chunks = Vec::with_capacity(count);
    for number in 0..count {
        if style == Style::Markdown && number % STRUCTURE_EVERY == 0 {
            let turn = number / STRUCTURE_EVERY % STRUCTURES.len();
            rest.push_str(STRUCTURES.get(turn).copied().unwrap_or_default());
        }
        while rest.len() < CHUNK {
            rest.push_str(words.next());
            rest.push(' ');
        }
        // All of it is ASCII, so any place is a boundary.
        let behind = rest.split_off(CHUNK);
        chunks.push(std::mem::replace(&mut rest, behind));
    }
    chunks
}

/// A linear congruential generator is random enough for words.
struct Words {
    state: u32,
}

impl Words {
    fn next(&mut self) -> &'static str {
        self.state = self
            .state
            .wrapping_mul(1_664_525)
            .wrapping_add(1_013_904_223);
        let place = usize::try_from(self.state >> 16).unwrap_or_default() % WORDS.len();
        WORDS.get(place).copied().unwrap_or_default()
    }
}

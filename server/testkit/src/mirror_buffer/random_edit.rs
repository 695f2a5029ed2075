//! Random edits in text that is awkward on purpose.

use super::{MirrorBuffer, TextChange};

/// Everything that has broken an editor before: each line ending, characters of one to four
/// UTF-8 bytes and of one and two UTF-16 units, combining marks, joined emoji, a byte order mark
/// in the middle, and Unicode line separators, which the protocol does not count as line ends.
const PIECES: [&str; 24] = [
    "a",
    "word ",
    "fn main() {}",
    " ",
    "\t",
    "\n",
    "\n\n",
    "\r\n",
    "\r\n\r\n",
    "\r",
    "é",
    "e\u{301}",
    "ß",
    "漢字",
    "\u{2028}",
    "\u{85}",
    "\u{feff}",
    "\0",
    "😀",
    "👨\u{200d}👩\u{200d}👧",
    "🇩🇪",
    "𐍈",
    "क\u{94d}ष",
    "\u{10ffff}",
];

/// Ranges are mostly short, as a person's edits are; every eighth may span the whole text.
const SHORT_RANGE: usize = 8;

/// Steele, Lea and Flood's SplitMix64: enough randomness for tests, from a seed that can be
/// printed and typed in again.
#[derive(Debug, Clone)]
pub struct SplitMix64(u64);

impl SplitMix64 {
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub fn next_u64(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `bound`.
    ///
    /// # Panics
    /// When `bound` is zero.
    pub fn below(&mut self, bound: usize) -> usize {
        let bound = u64::try_from(bound).expect("a bound fits 64 bits");
        usize::try_from(self.next_u64() % bound).expect("less than a usize")
    }

    /// A text of up to `max_pieces` awkward pieces.
    pub fn text(&mut self, max_pieces: usize) -> String {
        let count = self.below(max_pieces + 1);
        (0..count)
            .map(|_| PIECES[self.below(PIECES.len())])
            .collect()
    }
}

impl MirrorBuffer {
    /// An edit that fits this text; apply it with [`MirrorBuffer::apply`].
    ///
    /// The range never starts or ends inside a character or between CR and LF, but its result may
    /// join a CR and an LF or part them, as typing does.
    pub fn random_edit(&self, random: &mut SplitMix64) -> TextChange {
        let positions: Vec<usize> = (0..=self.text().len())
            .filter(|&offset| self.is_position(offset))
            .collect();
        let first = random.below(positions.len());
        let longest = if random.below(8) == 0 {
            positions.len()
        } else {
            SHORT_RANGE
        };
        let last = (first + random.below(longest)).min(positions.len() - 1);
        let range = self.range_at(positions[first]..positions[last]);
        TextChange::replace(range, random.text(4))
    }
}

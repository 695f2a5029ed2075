//! The last bytes of something long.

use std::collections::VecDeque;

#[derive(Debug)]
pub(super) struct Ring {
    bytes: VecDeque<u8>,
    limit: usize,
    /// How many bytes came before the ones that are kept.
    dropped: u64,
}

impl Ring {
    pub(super) fn new(limit: usize) -> Ring {
        Ring {
            bytes: VecDeque::new(),
            limit,
            dropped: 0,
        }
    }

    pub(super) fn push(&mut self, bytes: &[u8]) {
        let kept = bytes.len().min(self.limit);
        let (skipped, kept) = bytes.split_at(bytes.len() - kept);
        let surplus = (self.bytes.len() + kept.len()).saturating_sub(self.limit);
        self.bytes.drain(..surplus);
        self.bytes.extend(kept);
        self.dropped += (skipped.len() + surplus) as u64;
    }

    pub(super) fn dropped(&self) -> u64 {
        self.dropped
    }

    pub(super) fn to_vec(&self) -> Vec<u8> {
        let (front, back) = self.bytes.as_slices();
        [front, back].concat()
    }

    /// The bytes as text, from the first whole character on.
    pub(super) fn text(&self) -> String {
        let bytes = self.to_vec();
        let start = bytes
            .iter()
            .position(|byte| !is_inside_a_character(*byte))
            .unwrap_or(bytes.len());
        String::from_utf8_lossy(bytes.get(start..).unwrap_or_default()).into_owned()
    }
}

fn is_inside_a_character(byte: u8) -> bool {
    byte & 0b1100_0000 == 0b1000_0000
}

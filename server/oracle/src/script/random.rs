//! Numbers that are the same for the same seed on every machine.

/// SplitMix64.
pub(super) struct Random {
    state: u64,
}

impl Random {
    pub(super) fn new(seed: u64) -> Random {
        Random { state: seed }
    }

    fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut value = self.state;
        value = (value ^ (value >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        value = (value ^ (value >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        value ^ (value >> 31)
    }

    pub(super) fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.next() % (end as u64)).unwrap()
    }

    /// Whether one of so many cases is the case.
    pub(super) fn one_in(&mut self, cases: usize) -> bool {
        self.below(cases) == 0
    }

    pub(super) fn pick<'a, T: ?Sized>(&mut self, from: &[&'a T]) -> &'a T {
        from[self.below(from.len())]
    }

    pub(super) fn pick_text<'a>(&mut self, from: &'a [String]) -> &'a str {
        &from[self.below(from.len())]
    }
}

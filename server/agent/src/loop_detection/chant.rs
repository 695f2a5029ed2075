//! The same words again and again.
//!
//! A chant is a window of 50 characters that has occurred at least 10 times, whose last 10 occurrences are at most
//! 250 characters apart on average, with at most 5 different texts between them. Characters are UTF-16 units, as in
//! the twin.
//!
//! The twin hashes each window anew and rewrites its index of 5,000 characters for every piece. Two observations
//! make that unnecessary. Ten occurrences at that distance lie within 9 × 250 = 2,250 characters, so nothing older
//! can matter. And with the hash of every prefix at hand, the hash of any stretch is one subtraction. So each
//! character costs one look into a table; texts are compared only when hashes say that a chant was found.

/// Characters in a window.
const WINDOW: u32 = 50;
const OCCURRENCES: u8 = 10;
const MAX_AVERAGE_DISTANCE: u32 = 250;
const MAX_DIFFERENT_PERIODS: usize = 5;

/// The farthest that the first of the last ten occurrences may be away.
const REACH: u32 = MAX_AVERAGE_DISTANCE * (OCCURRENCES as u32 - 1);
/// Reach, and the window that ends there.
const REMEMBERED: usize = (REACH + WINDOW + 1) as usize;

/// Any odd number with well spread bits.
const BASE: u64 = 0x9E37_79B9_7F4A_7C15;
const WINDOW_SHIFT: u64 = BASE.wrapping_pow(WINDOW);
const SLOT_BITS: u32 = 12;
const SLOTS: usize = 1 << SLOT_BITS;

/// Text so far, and where each window occurred last. Units are numbered from 1; a window goes by its last unit.
#[derive(Debug, Default)]
pub(super) struct Chant {
    /// A ring, by number. Grows with the first text, so that short answers stay cheap.
    units: Vec<Unit>,
    /// The newest window of each slot, 0 for none. Allocated with the first window.
    newest: Vec<u32>,
    /// The number of the latest unit.
    latest: u32,
    /// Units up to here belong to another text.
    restarted_at: u32,
    /// How much work was done, for the test that it does not grow with the text.
    #[cfg(test)]
    pub(super) steps: u64,
}

#[derive(Clone, Copy, Debug, Default)]
struct Unit {
    /// Hash of everything up to here, other texts included.
    prefix: u64,
    /// The next older window in the slot, with another hash.
    older_in_slot: u32,
    /// The previous occurrence of the same window.
    previous: u32,
    unit: u16,
    /// How many occurrences are linked by `previous`, up to 10.
    occurrences: u8,
}

impl Chant {
    /// Forgets the text in constant time: old numbers just stop counting.
    pub(super) fn restart(&mut self) {
        self.restarted_at = self.latest;
    }

    /// Takes one more unit. Returns the window if it completes a chant.
    pub(super) fn push(&mut self, unit: u16) -> Option<String> {
        if self.latest == u32::MAX {
            self.clear();
        }
        let before = self.unit(self.latest).prefix;
        self.latest += 1;
        let prefix = before.wrapping_mul(BASE).wrapping_add(u64::from(unit) + 1);
        self.store(Unit {
            prefix,
            unit,
            ..Unit::default()
        });
        if self.latest - self.restarted_at < WINDOW {
            return None;
        }
        let occurrences = self.index_window();
        (occurrences >= OCCURRENCES && self.is_chant()).then(|| self.window_text())
    }

    /// Links the window that ends at the latest unit to its previous occurrence.
    fn index_window(&mut self) -> u8 {
        if self.newest.is_empty() {
            self.newest = vec![0; SLOTS];
        }
        let window = self.window_hash(self.latest);
        let slot = slot_of(window);
        let head = self.newest.get(slot).copied().unwrap_or_default();
        let mut newer = 0;
        let mut found = head;
        while self.is_alive(found) && self.window_hash(found) != window {
            newer = found;
            found = self.unit(found).older_in_slot;
            self.count_step();
        }
        self.count_step();
        let mut entry = self.unit(self.latest);
        entry.occurrences = 1;
        entry.older_in_slot = head;
        if self.is_alive(found) {
            let previous = self.unit(found);
            entry.previous = found;
            entry.occurrences = previous.occurrences.saturating_add(1).min(OCCURRENCES);
            // A slot lists each window once, so that a frequent one does not slow down its neighbours.
            if found == head {
                entry.older_in_slot = previous.older_in_slot;
            } else if let Some(newer) = self.unit_mut(newer) {
                newer.older_in_slot = previous.older_in_slot;
            }
        }
        self.store(entry);
        if let Some(head) = self.newest.get_mut(slot) {
            *head = self.latest;
        }
        entry.occurrences
    }

    /// Whether the last ten occurrences are close and what lies between them is mostly the same.
    fn is_chant(&mut self) -> bool {
        let mut periods: Vec<(u32, u32, u64)> = Vec::with_capacity(usize::from(OCCURRENCES));
        let mut end = self.latest;
        for _ in 1..OCCURRENCES {
            let start = self.unit(end).previous;
            if !self.is_alive(start) {
                return false;
            }
            self.count_step();
            let hash = self.hash_between(start - WINDOW, end - WINDOW);
            periods.push((start, end, hash));
            end = start;
        }
        let mut hashes: Vec<u64> = periods.iter().map(|(_, _, hash)| *hash).collect();
        hashes.sort_unstable();
        hashes.dedup();
        hashes.len() <= MAX_DIFFERENT_PERIODS && self.is_chant_to_the_letter(&periods)
    }

    /// Hashes have found a chant. It is rare enough to make sure.
    fn is_chant_to_the_letter(&self, periods: &[(u32, u32, u64)]) -> bool {
        let window: Vec<u16> = self.stretch(self.latest - WINDOW, self.latest).collect();
        let mut texts: Vec<Vec<u16>> = Vec::with_capacity(periods.len());
        for (start, end, _) in periods {
            if !self
                .stretch(start - WINDOW, *start)
                .eq(window.iter().copied())
            {
                return false;
            }
            texts.push(self.stretch(start - WINDOW, end - WINDOW).collect());
        }
        texts.sort_unstable();
        texts.dedup();
        texts.len() <= MAX_DIFFERENT_PERIODS
    }

    /// Whether a window that ended there is of this text and near enough to count.
    fn is_alive(&self, end: u32) -> bool {
        end >= self.restarted_at.saturating_add(WINDOW) && self.latest - end <= REACH
    }

    fn window_hash(&self, end: u32) -> u64 {
        let before = self.unit(end - WINDOW).prefix;
        self.unit(end)
            .prefix
            .wrapping_sub(before.wrapping_mul(WINDOW_SHIFT))
    }

    /// The hash of the units after `start` up to `end`.
    fn hash_between(&self, start: u32, end: u32) -> u64 {
        let shifted = BASE.wrapping_pow(end - start);
        let before = self.unit(start).prefix.wrapping_mul(shifted);
        self.unit(end).prefix.wrapping_sub(before)
    }

    fn window_text(&self) -> String {
        let units: Vec<u16> = self.stretch(self.latest - WINDOW, self.latest).collect();
        String::from_utf16_lossy(&units).trim().to_owned()
    }

    fn stretch(&self, start: u32, end: u32) -> impl Iterator<Item = u16> {
        (start..end).map(|before| self.unit(before + 1).unit)
    }

    /// Number 0 is the empty prefix, and reads as zeros.
    fn unit(&self, number: u32) -> Unit {
        let place = number as usize % REMEMBERED;
        self.units.get(place).copied().unwrap_or_default()
    }

    fn unit_mut(&mut self, number: u32) -> Option<&mut Unit> {
        let place = number as usize % REMEMBERED;
        self.units.get_mut(place)
    }

    fn store(&mut self, entry: Unit) {
        if self.units.is_empty() {
            self.units.push(Unit::default());
        }
        match self.unit_mut(self.latest) {
            Some(unit) => *unit = entry,
            None => self.units.push(entry),
        }
    }

    fn clear(&mut self) {
        *self = Self::default();
    }

    #[cfg(test)]
    fn count_step(&mut self) {
        self.steps += 1;
    }

    #[cfg(not(test))]
    fn count_step(&self) {}
}

/// The upper bits: in the lower ones, hashes of similar texts are alike.
fn slot_of(hash: u64) -> usize {
    (hash.wrapping_mul(BASE) >> (u64::BITS - SLOT_BITS)) as usize
}

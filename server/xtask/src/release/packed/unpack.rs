//! The packed form: an even word is an address, and an odd one says by its bits which of the 63 words that follow the last
//! ones hold an address too.

#[cfg(test)]
mod tests;

const WORD: usize = size_of::<usize>();

/// How many words an odd one is about.
const BITS: usize = usize::BITS as usize - 1;

/// Names every place that holds an address. Runs when nothing has been relocated, so there is no table, no constant
/// and no panic in it.
#[inline(always)]
pub(crate) fn places(packed: impl Iterator<Item = usize>, mut found: impl FnMut(usize)) {
    let mut next = 0_usize;
    for word in packed {
        if word & 1 == 0 {
            found(word);
            next = word.wrapping_add(WORD);
            continue;
        }
        let (mut bits, mut place) = (word >> 1, next);
        while bits != 0 {
            if bits & 1 == 1 {
                found(place);
            }
            bits >>= 1;
            place = place.wrapping_add(WORD);
        }
        next = next.wrapping_add(BITS * WORD);
    }
}

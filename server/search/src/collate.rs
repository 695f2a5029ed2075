//! The order in which people expect names: punctuation, digits, letters; `a` beside `A`.

#[cfg(test)]
mod tests;

use std::cmp::Ordering;

/// ASCII in the order of the Unicode collation; a letter's capital has the same place.
const ORDER: &[u8] = b"_-,;:!?.'\"()[]{}@*/\\&#%`^+<=>|~$0123456789abcdefghijklmnopqrstuvwxyz";

const PLACES: [u8; 128] = places();

const fn places() -> [u8; 128] {
    let mut places = [0; 128];
    let mut at = 0;
    #[expect(
        clippy::indexing_slicing,
        reason = "evaluated by the compiler, which refuses a bad index"
    )]
    while at < ORDER.len() {
        let byte = ORDER[at];
        // Control characters and blanks share the first place.
        let place = at as u8 + 1;
        places[byte as usize] = place;
        places[byte.to_ascii_uppercase() as usize] = place;
        at += 1;
    }
    places
}

/// Compares as the locales of western Europe do, without their treatment of accents. Equal only if equal.
pub(crate) fn compare(left: &str, right: &str) -> Ordering {
    compare_bytes(left.as_bytes(), right.as_bytes())
}

/// The same for names that may not be Unicode: bytes beyond ASCII come after it, in their own order.
pub(crate) fn compare_bytes(left: &[u8], right: &[u8]) -> Ordering {
    // Paths that are compared share much of their beginning.
    let common = left.iter().zip(right).take_while(|(a, b)| a == b).count();
    let (left, right) = (
        left.get(common..).unwrap_or_default(),
        right.get(common..).unwrap_or_default(),
    );
    let by_place = left
        .iter()
        .map(|byte| place(*byte))
        .cmp(right.iter().map(|byte| place(*byte)));
    // Small letters come before capitals, which is the other way round in ASCII.
    by_place.then_with(|| right.cmp(left))
}

fn place(byte: u8) -> u8 {
    PLACES.get(usize::from(byte)).copied().unwrap_or(byte)
}

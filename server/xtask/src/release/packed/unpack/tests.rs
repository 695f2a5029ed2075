use proptest::collection::btree_set;
use proptest::prelude::*;

use super::places;

/// As the linker packs them.
fn packed(mut places: &[usize]) -> Vec<usize> {
    let mut words = Vec::new();
    while let [first, rest @ ..] = places {
        words.push(*first);
        let (mut next, mut left) = (first + 8, rest);
        loop {
            let near = left.partition_point(|place| *place < next + 63 * 8);
            let (here, further) = left.split_at(near);
            if here.is_empty() {
                break;
            }
            let bits = here.iter().map(|place| 1 << ((place - next) / 8));
            words.push(bits.fold(0_usize, |all, bit| all | bit) << 1 | 1);
            (next, left) = (next + 63 * 8, further);
        }
        places = left;
    }
    words
}

fn unpacked(words: Vec<usize>) -> Vec<usize> {
    let mut found = Vec::new();
    places(words.into_iter(), |place| found.push(place));
    found
}

#[test]
fn a_word_of_bits_goes_on_where_the_last_one_ended() {
    let words = vec![0x1000, 0b1011, 1 << 63 | 1, 0b11, 0x9000];
    let second = 0x1008 + 63 * 8;
    let third = second + 63 * 8;
    assert_eq!(
        unpacked(words),
        [0x1000, 0x1008, 0x1018, second + 62 * 8, third, 0x9000]
    );
}

proptest! {
    #[test]
    fn what_was_packed_is_found_again(places in btree_set(0_usize..3_000, 0..400)) {
        let places: Vec<usize> = places.into_iter().map(|place| place * 8).collect();
        prop_assert_eq!(unpacked(packed(&places)), places);
    }
}

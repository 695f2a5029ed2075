use proptest::prelude::*;

use super::*;

#[test]
fn names_stand_as_in_a_file_manager() {
    let mut names = [
        "Zebra", "apple", "Apple", "_x", "-x", ".x", "10", "2", "banana", "a b", "ab", "é",
        "Cherry",
    ];
    names.sort_by(|left, right| compare(left, right));
    assert_eq!(
        names,
        [
            "_x", "-x", ".x", "10", "2", "a b", "ab", "apple", "Apple", "banana", "Cherry",
            "Zebra", "é"
        ]
    );
}

proptest! {
    #[test]
    fn the_order_is_total(a in "[a-cA-C_é. ]{0,5}", b in "[a-cA-C_é. ]{0,5}", c in "[a-cA-C_é. ]{0,5}") {
        prop_assert_eq!(compare(&a, &b), compare(&b, &a).reverse());
        prop_assert_eq!(compare(&a, &b) == Ordering::Equal, a == b);
        if compare(&a, &b) != Ordering::Greater && compare(&b, &c) != Ordering::Greater {
            prop_assert_ne!(compare(&a, &c), Ordering::Greater);
        }
    }
}

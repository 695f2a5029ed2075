use expect_test::{Expect, expect};

use super::check;
use crate::tidy::finding::listing;
use crate::tidy::tree::Tree;

fn check_list(list: &str, expected: Expect) {
    let tree = Tree::of(&[
        ("docs/decisions/README.md", list),
        ("docs/decisions/0001-doors.md", ""),
        ("docs/decisions/0002-ropes.md", ""),
    ]);
    expected.assert_eq(&listing(&check(&tree)));
}

#[test]
fn a_full_list_passes() {
    check_list(
        "- [doors](0001-doors.md)\n- [ropes](0002-ropes.md)\n",
        expect![""],
    );
}

#[test]
fn a_note_that_is_not_listed_is_named() {
    check_list(
        "- [doors](0001-doors.md)\n",
        expect![[r#"
            docs/decisions/0002-ropes.md: is not listed in docs/decisions/README.md: add a line for it
        "#]],
    );
}

#[test]
fn without_a_list_there_is_nothing_to_compare() {
    let tree = Tree::of(&[("docs/decisions/0001-doors.md", "")]);
    expect![""].assert_eq(&listing(&check(&tree)));
}

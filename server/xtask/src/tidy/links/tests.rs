use expect_test::{Expect, expect};

use super::check;
use crate::tidy::finding::listing;
use crate::tidy::tree::Tree;

fn check_document(text: &str, expected: Expect) {
    let tree = Tree::of(&[
        ("docs/guide.md", text),
        ("docs/map.md", ""),
        ("server/text/src/lib.rs", ""),
        ("LICENSE", ""),
    ]);
    expected.assert_eq(&listing(&check(&tree)));
}

#[test]
fn links_that_lead_somewhere_pass() {
    check_document(
        "[map](map.md#crates), [code](../server/text/), [top](..), [licence](/LICENSE)\n\
         [site](https://example.org/a.md) and [here](#below) and `[not](a-link)`\n\
         ```\n[also not](a-link)\n```\n\
         [m]: ./map.md \"the map\"\n",
        expect![""],
    );
}

#[test]
fn links_that_lead_nowhere_are_named_with_their_line() {
    check_document(
        "fine\n[a](gone.md)\n[b]: ../../outside.md\n<img src=\"shot.png\">\n",
        expect![[r#"
            docs/guide.md:2: link to `gone.md`, which is no tracked file
            docs/guide.md:3: link to `../../outside.md`, which is no tracked file
            docs/guide.md:4: link to `shot.png`, which is no tracked file
        "#]],
    );
}

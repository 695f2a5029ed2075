use expect_test::expect;

use super::check;
use crate::tidy::finding::listing;
use crate::tidy::tree::Tree;

#[test]
fn the_fixed_names_and_dot_files_pass() {
    let tree = Tree::of(&[("Cargo.toml", ""), (".ci/run", ""), ("server/a/b.rs", "")]);
    expect![""].assert_eq(&listing(&check(&tree)));
}

#[test]
fn anything_else_is_named_once() {
    let tree = Tree::of(&[("scripts/a.sh", ""), ("scripts/b.sh", ""), ("notes.md", "")]);
    expect![[r#"
        notes.md: does not belong at the top level: move it into the folder that owns it
        scripts: does not belong at the top level: move it into the folder that owns it
    "#]]
    .assert_eq(&listing(&check(&tree)));
}

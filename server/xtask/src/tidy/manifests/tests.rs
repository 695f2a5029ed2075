use expect_test::{Expect, expect};

use super::check;
use crate::tidy::finding::listing;
use crate::tidy::metadata::{Metadata, Origin, Package};
use crate::tidy::tree::Tree;

fn check_manifest(description: &str, text: &str, expected: Expect) {
    let tree = Tree::of(&[("server/a/Cargo.toml", text)]);
    let metadata = Metadata::of(vec![Package {
        name: "pollux-a".to_owned(),
        manifest: "server/a/Cargo.toml".to_owned(),
        description: description.to_owned(),
        origin: Origin::Ours,
        ..Package::default()
    }]);
    expected.assert_eq(&listing(&check(&tree, &metadata)));
}

#[test]
fn a_described_crate_with_the_workspace_lints_passes() {
    check_manifest(
        "Ropes",
        "[package]\n\n[lints]\nworkspace = true\n",
        expect![""],
    );
}

#[test]
fn an_empty_description_and_missing_lints_are_found() {
    check_manifest(
        "",
        "[package]\ndescription = \"\"\n[lints.rust]\nworkspace = true\n",
        expect![[r#"
            server/a/Cargo.toml:2: `description` is empty: one sentence on what the crate owns
            server/a/Cargo.toml: add `[lints]` with `workspace = true`
        "#]],
    );
}

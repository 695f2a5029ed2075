use expect_test::{Expect, expect};

use super::check;
use crate::tidy::finding::listing;
use crate::tidy::metadata::{Dependency, Metadata, Origin, Package, Purpose};
use crate::tidy::tree::Tree;

fn check_requirement(requirement: &str, expected: Expect) {
    let manifest = "[workspace.dependencies]\n\
                    serde = \"1\"\n\
                    tower-lsp = { package = \"tower-lsp-server\", version = \"…\" }\n";
    let metadata = Metadata::of(vec![Package {
        origin: Origin::Ours,
        dependencies: vec![Dependency {
            name: "tower-lsp-server".to_owned(),
            requirement: requirement.to_owned(),
            purpose: Purpose::Product,
        }],
        ..Package::default()
    }]);
    let tree = Tree::of(&[("Cargo.toml", manifest)]);
    expected.assert_eq(&listing(&check(&tree, &metadata)));
}

#[test]
fn a_pinned_protocol_crate_passes() {
    check_requirement("=0.23.0", expect![""]);
}

#[test]
fn a_range_of_versions_is_found_in_the_root_manifest() {
    check_requirement(
        "^0.23",
        expect![[r#"
            Cargo.toml:3: protocol crate `tower-lsp-server` is not pinned: write its version as `"=x.y.z"`
        "#]],
    );
}

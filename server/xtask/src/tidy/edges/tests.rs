use expect_test::{Expect, expect};

use super::check;
use crate::tidy::finding::listing;
use crate::tidy::metadata::{Dependency, Metadata, Origin, Package, Purpose};
use crate::tidy::tree::Tree;

const DOCUMENT: &str = "\
# Map

| crate | owns | may use | must not |
|---|---|---|---|
| `text` | ropes | none | do IO |
| `lsp` | the wire | `text` | wait |
| `testkit` | fakes | none | ship |
";

fn member(folder: &str, uses: &[(&str, Purpose)]) -> Package {
    Package {
        name: format!("pollux-{folder}"),
        manifest: format!("server/{folder}/Cargo.toml"),
        origin: Origin::Ours,
        dependencies: uses
            .iter()
            .map(|(name, purpose)| Dependency {
                name: (*name).to_owned(),
                requirement: String::new(),
                purpose: *purpose,
            })
            .collect(),
        ..Package::default()
    }
}

fn check_edges(document: &str, lsp_uses: &[(&str, Purpose)], expected: Expect) {
    let tree = Tree::of(&[
        ("docs/architecture.md", document),
        (
            "server/text/Cargo.toml",
            "[package]\npollux-testkit.workspace = true\n",
        ),
    ]);
    let metadata = Metadata::of(vec![
        member("text", &[("ropey", Purpose::Product)]),
        member("lsp", lsp_uses),
        member("testkit", &[]),
    ]);
    expected.assert_eq(&listing(&check(&tree, &metadata)));
}

#[test]
fn edges_of_the_table_and_testkit_in_tests_are_fine() {
    check_edges(
        DOCUMENT,
        &[
            ("pollux-text", Purpose::Product),
            ("pollux-testkit", Purpose::Tests),
            ("serde", Purpose::Product),
        ],
        expect![""],
    );
}

#[test]
fn a_new_edge_names_both_crates() {
    let tree = Tree::of(&[
        ("docs/architecture.md", DOCUMENT),
        (
            "server/text/Cargo.toml",
            "[package]\n[dependencies]\npollux-lsp.workspace = true\n",
        ),
    ]);
    let metadata = Metadata::of(vec![
        member("text", &[("pollux-lsp", Purpose::Product)]),
        member("lsp", &[]),
        member("testkit", &[]),
    ]);
    expect![[r#"
        server/text/Cargo.toml:3: new edge `text` → `lsp`: drop the dependency, or allow it on purpose in docs/architecture.md:5
    "#]]
    .assert_eq(&listing(&check(&tree, &metadata)));
}

#[test]
fn testkit_does_not_get_into_the_product() {
    check_edges(
        DOCUMENT,
        &[("pollux-testkit", Purpose::Product)],
        expect![[r#"
            server/lsp/Cargo.toml:1: new edge `lsp` → `testkit`: drop the dependency, or allow it on purpose in docs/architecture.md:6
        "#]],
    );
}

#[test]
fn table_and_workspace_list_the_same_crates() {
    let document = DOCUMENT.replace(
        "| `lsp` | the wire | `text`",
        "| `acp` | panels | `text`, `mcp`",
    );
    check_edges(
        &document,
        &[],
        expect![[r#"
            server/lsp/Cargo.toml: crate `lsp` is not in the table of docs/architecture.md: say there what it owns
            docs/architecture.md:6: the table names `acp`, which is no crate: drop the row
            docs/architecture.md:6: `acp` may use `mcp`, which is no crate: drop it
        "#]],
    );
}

#[test]
fn without_the_table_nothing_is_allowed() {
    check_edges(
        "# Map\n",
        &[],
        expect![[r#"
            docs/architecture.md: has no table of crates; its header begins `| crate | owns | may use |`
        "#]],
    );
}

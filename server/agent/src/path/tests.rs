use expect_test::{Expect, expect};

use super::*;

fn check(spelled: &[&str], expected: Expect) {
    let shown: String = spelled
        .iter()
        .map(
            |path| match WorkspacePath::new(Path::new("/w/project/app"), path) {
                Ok(inside) => format!("{path:?} is {inside}\n"),
                Err(error) => format!("{path:?}: {error}\n"),
            },
        )
        .collect();
    expected.assert_eq(&shown);
}

#[test]
fn paths_inside_are_made_relative_to_the_root() {
    check(
        &[
            "a.rs",
            "./src//a.rs",
            "/w/project/app/src/a.rs",
            "src/..a.rs",
        ],
        expect![[r#"
            "a.rs" is a.rs
            "./src//a.rs" is src/a.rs
            "/w/project/app/src/a.rs" is src/a.rs
            "src/..a.rs" is src/..a.rs
        "#]],
    );
}

#[test]
fn paths_that_lead_out_are_refused() {
    check(
        &[
            "../a.rs",
            "src/../../a.rs",
            "src/../a.rs",
            "/etc/passwd",
            "/w/project/application/a.rs",
            "/w/project/app/../other",
        ],
        expect![[r#"
            "../a.rs": the path leads out of the workspace; send one relative to its root, without `..`
            "src/../../a.rs": the path leads out of the workspace; send one relative to its root, without `..`
            "src/../a.rs": the path leads out of the workspace; send one relative to its root, without `..`
            "/etc/passwd": the path leads out of the workspace; send one relative to its root, without `..`
            "/w/project/application/a.rs": the path leads out of the workspace; send one relative to its root, without `..`
            "/w/project/app/../other": the path leads out of the workspace; send one relative to its root, without `..`
        "#]],
    );
}

#[test]
fn the_root_itself_and_odd_spellings_are_refused() {
    check(
        &["", ".", "/w/project/app", "a\nb", "a\0b"],
        expect![[r#"
        "": the path is empty
        ".": the path is empty
        "/w/project/app": the path is empty
        "a\nb": the path holds a control character
        "a\0b": the path holds a control character
    "#]],
    );
}

#[test]
fn closed_folders_are_refused_in_every_spelling() {
    check(
        &[
            ".git/config",
            "sub/.GIT/config",
            ".env",
            ".env. ",
            "node_modules/x/index.js",
            ".github/workflows/ci.yml",
        ],
        expect![[r#"
            ".git/config": files in `.git` are not open to tools
            "sub/.GIT/config": files in `.GIT` are not open to tools
            ".env": files in `.env` are not open to tools
            ".env. ": files in `.env. ` are not open to tools
            "node_modules/x/index.js": files in `node_modules` are not open to tools
            ".github/workflows/ci.yml" is .github/workflows/ci.yml
        "#]],
    );
}

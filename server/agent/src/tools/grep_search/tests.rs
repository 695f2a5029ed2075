use expect_test::expect;
use serde_json::json;

use super::*;
use crate::testing::Workspace;

fn numbered(lines: std::ops::RangeInclusive<usize>) -> String {
    lines.map(|line| format!("line {line}\n")).collect()
}

#[tokio::test]
async fn tools_6_a_single_hit_comes_with_fifty_lines_around_it() {
    let text = format!("{}needle\n{}", numbered(1..=99), numbered(101..=200));
    let workspace = Workspace::new(&[("a.txt", &text)]);
    let told = workspace.told(NAME, json!({ "pattern": "NEEDLE" })).await;
    let lines: Vec<&str> = told.lines().collect();
    assert_eq!(
        lines[..4],
        [
            "Found 1 match for pattern \"NEEDLE\" in path \".\":",
            "---",
            "File: a.txt",
            "L50- line 50"
        ]
    );
    assert_eq!(lines[53], "L100: needle");
    assert_eq!(lines[lines.len() - 2..], ["L150- line 150", "---"]);
}

#[tokio::test]
async fn tools_6_many_hits_are_limited_and_this_is_said() {
    let workspace = Workspace::new(&[("a.txt", &"needle\n".repeat(150))]);
    let told = workspace.told(NAME, json!({ "pattern": "needle" })).await;
    assert!(told.starts_with(
        "Found 100 matches for pattern \"needle\" in path \".\" (results limited to 100 matches for performance):\n"
    ));
    assert_eq!(told.matches(": needle").count(), 100);
    let args = json!({ "pattern": "needle", "total_max_matches": 7.0 });
    let told = workspace.told(NAME, args).await;
    assert_eq!(told.matches(": needle").count(), 7);
}

#[tokio::test]
async fn every_parameter_does_what_it_says() {
    let workspace = Workspace::new(&[
        (".geminiignore", "out/\n"),
        ("src/a.rs", "fn a() {}\nfn A() {}\n// fn b\n"),
        ("src/b.ts", "fn a() {}\n"),
        ("out/c.rs", "fn a() {}\n"),
    ]);
    let check = async |args, expected: expect_test::Expect| {
        expected.assert_eq(&workspace.told(NAME, args).await);
    };
    check(
        json!({ "pattern": "fn", "include_pattern": "*.rs", "exclude_pattern": "^//", "case_sensitive": true, "context": 0 }),
        expect![[r#"
            Found 2 matches for pattern "fn" in path "." (filter: "*.rs"):
            ---
            File: src/a.rs
            L1: fn a() {}
            L2: fn A() {}
            ---"#]],
    )
    .await;
    check(
        json!({ "pattern": "fn", "names_only": true, "no_ignore": true }),
        expect![[r#"
            Found 3 files with matches for pattern "fn" in path ".":
            out/c.rs
            src/a.rs
            src/b.ts"#]],
    )
    .await;
    check(
        json!({ "pattern": "a()", "fixed_strings": true, "dir_path": "src/a.rs", "max_matches_per_file": 1, "after": 1 }),
        expect![[r#"
            Found 1 match for pattern "a()" in path "src/a.rs":
            ---
            File: src/a.rs
            L1: fn a() {}
            L2- fn A() {}
            ---"#]],
    )
    .await;
    check(
        json!({ "pattern": "nowhere" }),
        expect![[r#"No matches found for pattern "nowhere" in path "."."#]],
    )
    .await;
}

#[tokio::test]
async fn the_old_name_still_works() {
    let workspace = Workspace::new(&[("a.txt", "needle\n")]);
    let args = json!({ "pattern": "needle" });
    let told = workspace.told("search_file_content", args).await;
    assert!(told.starts_with("Found 1 match"));
}

#[tokio::test]
async fn what_cannot_be_searched_is_an_error_of_its_kind() {
    let workspace = Workspace::new(&[(".git/config", "needle")]);
    std::fs::create_dir(workspace.outside()).unwrap();
    std::fs::write(workspace.outside().join("a.txt"), "needle\n").unwrap();
    std::os::unix::fs::symlink(workspace.outside(), workspace.root().join("link")).unwrap();
    std::os::unix::fs::symlink(
        workspace.outside().join("a.txt"),
        workspace.root().join("b.txt"),
    )
    .unwrap();
    for (args, error_type) in [
        (json!({ "pattern": "(" }), "invalid_tool_params"),
        (
            json!({ "pattern": "x", "dir_path": "missing" }),
            "search_path_not_found",
        ),
        (
            json!({ "pattern": "needle", "dir_path": "link" }),
            "path_not_in_workspace",
        ),
        (
            json!({ "pattern": "needle", "dir_path": "b.txt" }),
            "path_not_in_workspace",
        ),
        (
            json!({ "pattern": "needle", "dir_path": ".git" }),
            "path_not_in_workspace",
        ),
    ] {
        let played = workspace.call(NAME, args.clone()).await;
        assert_eq!(played.error_type(), error_type, "{args}");
    }
    let args = json!({ "pattern": "needle", "no_ignore": true });
    assert!(workspace.told(NAME, args).await.starts_with("No matches"));
}

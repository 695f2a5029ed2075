use std::fs::File;
use std::time::Duration;

use expect_test::expect;
use serde_json::json;

use super::*;
use crate::testing::Workspace;

const HOUR: Duration = Duration::from_secs(60 * 60);

fn age(workspace: &Workspace, path: &str, hours: u32) {
    let file = File::options()
        .write(true)
        .open(workspace.root().join(path))
        .unwrap();
    file.set_modified(SystemTime::now() - HOUR * hours).unwrap();
}

#[tokio::test]
async fn tools_7_what_changed_today_comes_first_and_the_rest_by_name() {
    let workspace = Workspace::new(&[
        ("a.txt", ""),
        ("b.txt", ""),
        ("sub/new.txt", ""),
        ("sub/newer.txt", ""),
    ]);
    age(&workspace, "a.txt", 72);
    age(&workspace, "b.txt", 48);
    age(&workspace, "sub/new.txt", 2);
    age(&workspace, "sub/newer.txt", 1);
    let told = workspace.told(NAME, json!({ "pattern": "**/*.txt" })).await;
    expect![[r#"
        Found 4 file(s) matching "**/*.txt" within <root>, sorted by modification time (newest first):
        <root>/sub/newer.txt
        <root>/sub/new.txt
        <root>/a.txt
        <root>/b.txt"#]]
    .assert_eq(&told);
}

#[tokio::test]
async fn case_counts_only_when_asked_for_and_ignore_files_unless_told_otherwise() {
    let workspace = Workspace::new(&[
        (".geminiignore", "out/\n"),
        ("README.md", ""),
        ("out/readme.md", ""),
        ("node_modules/x/readme.md", ""),
    ]);
    let found = async |args| {
        let told = workspace.told(NAME, args).await;
        let paths: Vec<&str> = told.lines().skip(1).collect();
        paths.join(" ")
    };
    assert_eq!(
        found(json!({ "pattern": "**/readme.md" })).await,
        "<root>/README.md"
    );
    assert_eq!(
        found(json!({ "pattern": "**/readme.md", "case_sensitive": true, "respect_gemini_ignore": false })).await,
        "<root>/out/readme.md"
    );
    assert_eq!(
        found(json!({ "pattern": "*.md", "dir_path": "out", "respect_gemini_ignore": false }))
            .await,
        "<root>/out/readme.md"
    );
    assert_eq!(
        workspace.told(NAME, json!({ "pattern": "*.rs" })).await,
        "No files found matching pattern \"*.rs\" within <root>"
    );
}

#[tokio::test]
async fn what_cannot_be_searched_is_an_error() {
    let workspace = Workspace::new(&[("a.txt", "")]);
    std::fs::create_dir(workspace.outside()).unwrap();
    std::fs::write(workspace.outside().join("secret"), "x").unwrap();
    std::os::unix::fs::symlink(workspace.outside(), workspace.root().join("link")).unwrap();
    for (args, error_type) in [
        (json!({ "pattern": "a[" }), "invalid_tool_params"),
        (json!({ "pattern": "" }), "invalid_tool_params"),
        (
            json!({ "pattern": "*", "dir_path": "link" }),
            "path_not_in_workspace",
        ),
        (
            json!({ "pattern": "*", "dir_path": "../outside" }),
            "path_not_in_workspace",
        ),
    ] {
        let played = workspace.call(NAME, args.clone()).await;
        assert_eq!(played.error_type(), error_type, "{args}");
    }
}

#[tokio::test]
async fn a_pattern_does_not_lead_out_of_the_workspace() {
    let workspace = Workspace::new(&[("a.txt", "")]);
    std::fs::create_dir(workspace.outside()).unwrap();
    std::fs::write(workspace.outside().join("secret"), "x").unwrap();
    std::os::unix::fs::symlink(workspace.outside(), workspace.root().join("link")).unwrap();
    for pattern in ["../outside/*", "link/*", "**/secret", "link/secret"] {
        let told = workspace.call(NAME, json!({ "pattern": pattern })).await;
        assert!(
            !told.text().contains("/secret\n") && !told.text().ends_with("/secret"),
            "{}",
            told.text()
        );
    }
}

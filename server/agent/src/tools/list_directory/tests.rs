use expect_test::expect;
use serde_json::json;

use super::*;
use crate::testing::Workspace;

fn workspace() -> Workspace {
    Workspace::new(&[
        (".geminiignore", "*.log\n"),
        ("b.txt", "12345"),
        ("A.txt", ""),
        ("noise.log", "x"),
        ("more.log", "x"),
        ("src/deep/a.rs", "x"),
        ("docs/a.md", "x"),
        (".env", "secret"),
        (".git/HEAD", "x"),
        ("node_modules/x/index.js", "x"),
    ])
}

#[tokio::test]
async fn tools_5_folders_come_first_and_what_is_ignored_is_counted() {
    let told = workspace().told(NAME, json!({ "dir_path": "." })).await;
    expect![[r#"
        Directory listing for <root>:
        [DIR] docs
        [DIR] src
        .geminiignore (6 bytes)
        A.txt (0 bytes)
        b.txt (5 bytes)

        (2 ignored)"#]]
    .assert_eq(&told);
}

#[tokio::test]
async fn a_call_may_leave_names_out_and_ignore_files_out_of_account() {
    let args = json!({
        "dir_path": ".",
        "ignore": ["*.txt", "?ocs"],
        "file_filtering_options": { "respect_gemini_ignore": false },
    });
    expect![[r#"
        Directory listing for <root>:
        [DIR] src
        .geminiignore (6 bytes)
        more.log (1 bytes)
        noise.log (1 bytes)"#]]
    .assert_eq(&workspace().told(NAME, args).await);
}

#[tokio::test]
async fn an_absolute_path_and_an_empty_folder_are_told() {
    let workspace = workspace();
    std::fs::create_dir(workspace.root().join("empty")).unwrap();
    let place = workspace.root().join("empty").display().to_string();
    let told = workspace.told(NAME, json!({ "dir_path": place })).await;
    assert_eq!(told, "Directory <root>/empty is empty.");
}

#[tokio::test]
async fn what_cannot_be_listed_is_an_error_of_its_kind() {
    let workspace = workspace();
    std::fs::create_dir(workspace.outside()).unwrap();
    std::fs::write(workspace.outside().join("secret"), "x").unwrap();
    std::os::unix::fs::symlink(workspace.outside(), workspace.root().join("link")).unwrap();
    std::os::unix::fs::symlink(".git", workspace.root().join("repository")).unwrap();
    for (place, error_type) in [
        ("missing", "ls_execution_error"),
        ("b.txt", "path_is_not_a_directory"),
        ("..", "path_not_in_workspace"),
        ("/", "path_not_in_workspace"),
        (".git", "path_not_in_workspace"),
        ("link", "path_not_in_workspace"),
        ("repository", "path_not_in_workspace"),
    ] {
        let played = workspace.call(NAME, json!({ "dir_path": place })).await;
        assert_eq!(played.error_type(), error_type, "{place}");
        assert!(!played.text().contains("secret"), "{place}");
    }
}

#[tokio::test]
async fn a_folder_with_very_many_entries_is_cut() {
    let workspace = Workspace::new(&[]);
    for number in 0..MOST_ENTRIES + 7 {
        workspace.put(&format!("f{number:05}"), b"");
    }
    let told = workspace.told(NAME, json!({ "dir_path": "." })).await;
    assert_eq!(told.lines().count(), MOST_ENTRIES + 2);
    assert!(told.ends_with("\n… and 7 more; search with glob instead"));
}

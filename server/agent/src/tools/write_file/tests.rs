use serde_json::json;

use super::*;
use crate::api::{Answer, Event};
use crate::testing::Workspace;

#[tokio::test]
async fn a_new_file_is_made_with_the_folders_that_lead_to_it() {
    let workspace = Workspace::editing(&[]);
    let args = json!({ "file_path": "deep/er/a.txt", "content": "one\ntwo\n" });
    let played = workspace.call(NAME, args).await;
    assert!(!played.asked());
    assert!(
        played
            .text()
            .starts_with("Successfully created and wrote to new file: ")
    );
    assert_eq!(workspace.text("deep/er/a.txt"), "one\ntwo\n");
    assert_eq!(played.end.unwrap().summary, "2 added, 0 removed");
}

#[tokio::test]
async fn a_file_keeps_its_line_endings() {
    let workspace = Workspace::editing(&[("a.txt", "one\r\ntwo\r\n")]);
    let args = json!({ "file_path": "a.txt", "content": "1\ntwo\nthree\n" });
    let told = workspace.told(NAME, args).await;
    assert!(told.starts_with("Successfully overwrote file: <root>/a.txt. Here is"));
    assert_eq!(workspace.text("a.txt"), "1\r\ntwo\r\nthree\r\n");
}

#[tokio::test]
async fn an_empty_file_is_a_file() {
    for workspace in [Workspace::editing(&[]), Workspace::new(&[])] {
        let args = json!({ "file_path": "src/__init__.py", "content": "" });
        let told = workspace.told(NAME, args).await;
        assert!(
            told.contains("Successfully created and wrote to new file: <root>/src/__init__.py."),
            "{told}"
        );
        assert_eq!(workspace.text("src/__init__.py"), "");
    }
}

#[tokio::test]
async fn a_file_can_be_emptied() {
    let workspace = Workspace::new(&[("a.txt", "one\n")]);
    let args = json!({ "file_path": "a.txt", "content": "" });
    workspace.call(NAME, args).await.end.unwrap();
    assert_eq!(workspace.text("a.txt"), "");
}

#[tokio::test]
async fn the_text_that_is_there_already_is_not_written_again() {
    let workspace = Workspace::new(&[("a.txt", "one\r\n")]);
    let args = json!({ "file_path": "a.txt", "content": "one\n" });
    let played = workspace.call(NAME, args).await;
    assert!(!played.asked());
    assert!(played.text().ends_with("holds exactly this text already."));
}

#[tokio::test]
async fn text_that_stands_for_other_text_is_always_refused() {
    let workspace = Workspace::editing(&[("a.txt", "one\n(rest of code ...)\n")]);
    let args = json!({ "file_path": "a.txt", "content": "two\n(rest of code ...)\n" });
    let played = workspace.call(NAME, args).await;
    assert_eq!(played.error_type(), "invalid_tool_params");
    assert_eq!(
        played.text(),
        "line 2 of content, `(rest of code ...)`, stands for text that is left out; send all of the file's text"
    );
}

#[tokio::test]
async fn what_cannot_be_written_is_an_error_of_its_kind_and_nobody_is_asked() {
    let workspace = Workspace::new(&[("src/a.rs", "x\n")]);
    workspace.put("a.bin", b"\0\x01\x02\0\0");
    for (path, error_type) in [
        ("src", "target_is_directory"),
        ("a.bin", "read_content_failure"),
        ("../a.txt", "path_not_in_workspace"),
        (".env", "path_not_in_workspace"),
        (".git/hooks/pre-commit", "path_not_in_workspace"),
        ("", "invalid_tool_params"),
    ] {
        let args = json!({ "file_path": path, "content": "new\n" });
        let played = workspace.call(NAME, args).await;
        assert_eq!(played.error_type(), error_type, "{path}");
        assert!(!played.asked(), "{path}");
    }
}

#[tokio::test]
async fn edit_13_the_person_may_write_something_else() {
    let workspace = Workspace::new(&[]);
    let args = json!({ "file_path": "a.txt", "content": "theirs\n" });
    let answer = Answer::AllowWith {
        content: "mine\n".to_owned(),
    };
    let played = workspace.call_answered(NAME, args, &answer).await;
    assert_eq!(workspace.text("a.txt"), "mine\n");
    assert!(played.text().contains("The person changed the text"));
}

#[tokio::test]
async fn build_files_that_were_written_are_remembered_and_others_are_not() {
    let workspace = Workspace::new(&[]);
    for path in ["package.json", "app/Dockerfile.dev", "src/a.ts"] {
        let args = json!({ "file_path": path, "content": "x\n" });
        workspace.call(NAME, args).await.end.unwrap();
    }
    let rejected = Answer::Deny { feedback: None };
    let args = json!({ "file_path": "Makefile", "content": "x\n" });
    let played = workspace.call_answered(NAME, args, &rejected).await;
    assert!(
        played
            .events
            .iter()
            .any(|event| matches!(event, Event::EditDecided { .. }))
    );
    let changed = workspace.config.tools.watched().changed_build_files();
    let changed: Vec<&str> = changed.iter().map(String::as_str).collect();
    assert_eq!(changed, ["app/Dockerfile.dev", "package.json"]);
}

use expect_test::{Expect, expect};
use serde_json::{Value, json};

use super::*;
use crate::testing::{MemoryFiles, call_tool};

async fn read(text: &str, args: Value) -> Value {
    let files = MemoryFiles::new(&[("a.txt", text)]);
    call_tool(files, NAME, args, &[]).await
}

async fn check(args: Value, expected: Expect) {
    let response = read("one\r\ntwo\rthree\nfour", args).await;
    expected.assert_eq(&response.to_string());
}

#[tokio::test]
async fn the_whole_file_comes_without_a_banner_and_with_line_feeds() {
    check(
        json!({ "file_path": "a.txt" }),
        expect![[r#"{"output":"one\ntwo\nthree\nfour"}"#]],
    )
    .await;
}

#[tokio::test]
async fn a_range_comes_with_a_banner_that_says_how_to_go_on() {
    check(
        json!({ "file_path": "a.txt", "start_line": 2, "end_line": 3 }),
        expect![[r#"{"output":"These are lines 2-3 of 4. Read on with start_line 4.\n--- FILE CONTENT (truncated) ---\ntwo\nthree\n"}"#]],
    )
    .await;
    check(
        json!({ "file_path": "a.txt", "start_line": 4 }),
        expect![[
            r#"{"output":"These are lines 4-4 of 4.\n--- FILE CONTENT (truncated) ---\nfour"}"#
        ]],
    )
    .await;
    check(
        json!({ "file_path": "a.txt", "start_line": 9 }),
        expect![[r#"{"output":"The file has 4 lines, so there is nothing from line 9 on."}"#]],
    )
    .await;
}

#[tokio::test]
async fn wrong_parameters_are_told_in_one_sentence() {
    check(
        json!({}),
        expect![[
            r#"{"error":"the parameters must have `file_path`","error_type":"invalid_tool_params"}"#
        ]],
    )
    .await;
    check(
        json!({ "file_path": 7 }),
        expect![[
            r#"{"error":"`file_path` must be of type string","error_type":"invalid_tool_params"}"#
        ]],
    )
    .await;
    check(
        json!({ "file_path": "a.txt", "start_line": 0 }),
        expect![[
            r#"{"error":"`start_line` must be at least 1","error_type":"invalid_tool_params"}"#
        ]],
    )
    .await;
    check(
        json!({ "file_path": "a.txt", "start_line": 3, "end_line": 2 }),
        expect![[r#"{"error":"start_line cannot be greater than end_line","error_type":"invalid_tool_params"}"#]],
    )
    .await;
}

#[tokio::test]
async fn a_missing_file_and_a_path_that_leads_out_are_errors() {
    check(
        json!({ "file_path": "b.txt" }),
        expect![[r#"{"error":"there is no such file","error_type":"file_not_found"}"#]],
    )
    .await;
    check(json!({ "file_path": "../a.txt" }), expect![[r#"{"error":"Path not in workspace: Attempted path \"../a.txt\" is refused: the path leads out of the workspace; send one relative to its root, without `..`","error_type":"path_not_in_workspace"}"#]]).await;
}

#[tokio::test]
async fn a_long_file_is_cut_after_its_window() {
    let text = "x\n".repeat(WINDOW + 5);
    let response = read(&text, json!({ "file_path": "a.txt" })).await;
    let output = response["output"].as_str().unwrap();
    assert!(output.starts_with(
        "These are lines 1-2000 of 2005. Read on with start_line 2001.\n--- FILE CONTENT (truncated) ---\nx\n"
    ));
    assert_eq!(output.lines().filter(|line| *line == "x").count(), WINDOW);
}

#[tokio::test]
async fn a_long_line_is_cut_at_a_character() {
    let text = format!("{}\nrest\n", "ä".repeat(LONGEST_LINE + 1));
    let response = read(&text, json!({ "file_path": "a.txt" })).await;
    let expected = format!("{}... [truncated]\nrest\n", "ä".repeat(LONGEST_LINE));
    assert_eq!(response["output"], expected);
}

#[tokio::test]
async fn no_range_gets_around_the_cap_on_the_whole_output() {
    let text = format!("{}\n", "y".repeat(LONGEST_LINE)).repeat(2_000);
    let args = json!({ "file_path": "a.txt", "start_line": 1, "end_line": 2_000 });
    let response = read(&text, args).await;
    let output = response["output"].as_str().unwrap();
    assert!(output.len() < LONGEST_OUTPUT + 2 * LONGEST_LINE);
    assert!(output.starts_with("These are lines 1-500 of 2000. Read on with start_line 501."));
}

mod facts;

use std::sync::Arc;

use expect_test::{Expect, expect};
use serde_json::{Value, json};

use super::*;
use crate::api::Decision;
use crate::testing::{MemoryFiles, call_tool};

const TEXT: &str = "one\ntwo\nthree\nfour\nfive\n";

fn files() -> Arc<MemoryFiles> {
    MemoryFiles::new(&[("a.txt", TEXT)])
}

fn edit(old: &str, new: &str) -> Value {
    json!({ "file_path": "a.txt", "instruction": "try", "old_string": old, "new_string": new })
}

async fn check(args: Value, expected: Expect) {
    let files = files();
    let response = call_tool(files.clone(), NAME, args, &[]).await;
    expected.assert_eq(&response.to_string());
    assert_eq!(files.text("a.txt"), TEXT);
}

#[tokio::test]
async fn text_that_is_not_there_is_an_error() {
    check(edit("six", "6"), expect![[r#"{"error":"old_string does not occur in the file, and nothing in it comes close; read it again with read_file and copy the text exactly, blanks and indentation included","error_type":"edit_no_occurrence_found"}"#]]).await;
}

#[tokio::test]
async fn text_that_is_there_twice_is_an_error() {
    check(edit("e\n", "E\n"), expect![[r#"{"error":"old_string occurs 3 times, at lines 1, 3, 5; add lines around it until it is unique, or set allow_multiple","error_type":"edit_expected_occurrence_mismatch"}"#]]).await;
}

#[tokio::test]
async fn an_edit_that_changes_nothing_is_an_error() {
    check(edit("two", "two"), expect![[r#"{"error":"the file would stay as it is, because old_string and new_string come to the same text","error_type":"edit_no_change"}"#]]).await;
    check(edit("two\n", "two\r\n"), expect![[r#"{"error":"the file would stay as it is, because old_string and new_string come to the same text","error_type":"edit_no_change"}"#]]).await;
}

#[tokio::test]
async fn an_empty_old_string_is_an_error_for_a_file_that_exists() {
    check(edit("", "new"), expect![[r#"{"error":"old_string is empty, which stands for a new file, but the file exists; send the text to replace","error_type":"attempt_to_create_existing_file"}"#]]).await;
}

#[tokio::test]
async fn a_missing_file_is_an_error() {
    let mut args = edit("a", "b");
    args["file_path"] = "b.txt".into();
    check(
        args,
        expect![[r#"{"error":"there is no file b.txt; send an empty old_string to create it","error_type":"file_not_found"}"#]],
    )
    .await;
}

#[tokio::test]
async fn wrong_parameters_are_told_in_one_sentence() {
    let mut args = edit("two", "2");
    args["allow_multiple"] = "yes".into();
    check(args, expect![[r#"{"error":"`allow_multiple` must be of type boolean","error_type":"invalid_tool_params"}"#]]).await;
    check(
        json!({ "file_path": "a.txt", "old_string": "two", "new_string": "2" }),
        expect![[r#"{"error":"the parameters must have `instruction`","error_type":"invalid_tool_params"}"#]],
    )
    .await;
}

#[tokio::test]
async fn the_model_is_told_what_was_kept_and_what_was_rejected() {
    let files = files();
    let args = edit("two\nthree\nfour\n", "2\nthree\n4\n");
    let decisions = [Decision::Reject, Decision::Keep];
    let response = call_tool(files.clone(), NAME, args, &decisions).await;
    expect![[r#"
        {
          "output": "The person kept 1 of 2 hunks; those are written to a.txt, the others are not.",
          "accepted": [
            {
              "hunk": 2,
              "line": 4,
              "removed": "four\n",
              "added": "4\n"
            }
          ],
          "rejected": [
            {
              "hunk": 1,
              "line": 2,
              "removed": "two\n",
              "added": "2\n"
            }
          ]
        }"#]]
    .assert_eq(&serde_json::to_string_pretty(&response).unwrap());
    assert_eq!(files.text("a.txt"), "one\ntwo\nthree\n4\nfive\n");
}

#[tokio::test]
async fn a_rejected_edit_writes_nothing() {
    let files = files();
    let response = call_tool(files.clone(), NAME, edit("two", "2"), &[Decision::Reject]).await;
    assert_eq!(
        response["output"],
        "The person rejected the edit, so a.txt is unchanged. Do not send it again."
    );
    assert_eq!(files.text("a.txt"), TEXT);
}

#[tokio::test]
async fn every_occurrence_is_replaced_when_asked_for() {
    let files = files();
    let mut args = edit("e\n", "E\n");
    args["allow_multiple"] = true.into();
    let response = call_tool(files.clone(), NAME, args, &[Decision::Keep; 3]).await;
    assert_eq!(response["accepted"].as_array().unwrap().len(), 3);
    assert_eq!(files.text("a.txt"), "onE\ntwo\nthreE\nfour\nfivE\n");
}

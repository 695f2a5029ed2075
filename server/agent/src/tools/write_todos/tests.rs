use expect_test::{Expect, expect};
use serde_json::{Value, json};

use super::*;
use crate::testing::{Bench, MemoryFiles, config};
use crate::{Equipment, Offered, ToolSet};

fn bench() -> Bench {
    let mut config = config(MemoryFiles::new(&[]));
    config.tools = ToolSet::built_in(&Equipment {
        todos: Offered::Yes,
        ..Equipment::default()
    });
    Bench::new(config)
}

async fn check(args: Value, expected: Expect) {
    expected.assert_eq(&bench().call(NAME, args).await.to_string());
}

fn todo(description: &str, status: &str) -> Value {
    json!({ "description": description, "status": status })
}

#[tokio::test]
async fn the_list_comes_back_numbered_and_goes_to_the_doors() {
    let bench = bench();
    let todos = json!([todo("look", "completed"), todo("act", "in_progress")]);
    let response = bench.call(NAME, json!({ "todos": todos })).await;
    expect![[r#"{"output":"The list is now:\n1. [completed] look\n2. [in_progress] act"}"#]]
        .assert_eq(&response.to_string());
    let step = |description: &str, status| Todo {
        description: description.to_owned(),
        status,
    };
    let changed = Event::TodosChanged(vec![
        step("look", TodoStatus::Completed),
        step("act", TodoStatus::InProgress),
    ]);
    assert_eq!(bench.events(), [changed]);
}

#[tokio::test]
async fn an_empty_list_is_a_list() {
    check(
        json!({ "todos": [] }),
        expect![[r#"{"output":"The list is empty now."}"#]],
    )
    .await;
}

#[tokio::test]
async fn tools_12_two_steps_in_progress_are_refused() {
    let bench = bench();
    let todos = json!([todo("a", "in_progress"), todo("b", "in_progress")]);
    let response = bench.call(NAME, json!({ "todos": todos })).await;
    expect![[r#"{"error":"only one todo can be in_progress at a time, and 2 are","error_type":"invalid_tool_params"}"#]]
        .assert_eq(&response.to_string());
    assert_eq!(bench.events(), []);
}

#[tokio::test]
async fn a_list_of_the_wrong_shape_is_refused() {
    check(
        json!({ "todos": [todo("a", "done")] }),
        expect![[r#"{"error":"`todos[0].status` must be one of [\"pending\",\"in_progress\",\"completed\",\"cancelled\",\"blocked\"]","error_type":"invalid_tool_params"}"#]],
    )
    .await;
    check(
        json!({ "todos": [todo(" ", "pending")] }),
        expect![[
            r#"{"error":"every todo must have a description","error_type":"invalid_tool_params"}"#
        ]],
    )
    .await;
    check(
        json!({ "todos": [], "extra": 1 }),
        expect![[
            r#"{"error":"the parameters must not have `extra`","error_type":"invalid_tool_params"}"#
        ]],
    )
    .await;
}

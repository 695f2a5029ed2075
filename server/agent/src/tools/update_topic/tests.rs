use expect_test::expect;
use serde_json::json;

use super::*;
use crate::testing::{Bench, MemoryFiles, config};
use crate::{Equipment, Offered, ToolSet};

fn bench() -> Bench {
    let mut config = config(MemoryFiles::new(&[]));
    config.tools = ToolSet::built_in(&Equipment {
        topics: Offered::Yes,
        ..Equipment::default()
    });
    Bench::new(config)
}

#[tokio::test]
async fn an_intent_alone_stays_within_the_topic() {
    let bench = bench();
    let first = json!({ "title": "Uploads", "summary": "found it", "strategic_intent": "read" });
    expect![[r#"{"output":"Topic: Uploads\nIntent: read\nSummary: found it"}"#]]
        .assert_eq(&bench.call(NAME, first).await.to_string());
    let second = json!({ "strategic_intent": "fix", "wait_for_previous": true });
    expect![[r#"{"output":"Topic: Uploads\nIntent: fix"}"#]]
        .assert_eq(&bench.call(NAME, second).await.to_string());
    let changed = |intent: &str, summary: Option<&str>| {
        Event::TopicChanged(Topic {
            title: Some("Uploads".to_owned()),
            summary: summary.map(str::to_owned),
            intent: intent.to_owned(),
        })
    };
    assert_eq!(
        bench.events(),
        [changed("read", Some("found it")), changed("fix", None)]
    );
}

#[tokio::test]
async fn an_empty_intent_is_refused() {
    let response = bench().call(NAME, json!({ "strategic_intent": " " })).await;
    expect![[
        r#"{"error":"`strategic_intent` must not be empty","error_type":"invalid_tool_params"}"#
    ]]
    .assert_eq(&response.to_string());
}

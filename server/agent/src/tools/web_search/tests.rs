use std::sync::Arc;

use expect_test::{Expect, expect};
use pollux_testkit::{Reply, Script, ScriptedModel};
use serde_json::json;

use super::*;
use crate::testing::{Bench, MemoryFiles, ServingVoices, config};
use crate::{Equipment, Offered, ToolSet};

fn bench(voices: ServingVoices) -> Bench {
    let mut config = config(MemoryFiles::new(&[]));
    config.tools = ToolSet::built_in(&Equipment {
        web_search: Offered::Yes,
        ..Equipment::default()
    });
    config.voices = Arc::new(voices);
    Bench::new(config)
}

async fn check(reply: Reply, query: &str, expected: Expect) {
    let server = ScriptedModel::start(Script::new().reply(reply)).await;
    let bench = bench(ServingVoices::new(&server.url()));
    let response = bench.call(NAME, json!({ "query": query })).await;
    expected.assert_eq(&response.to_string());
}

#[tokio::test]
async fn the_answer_comes_with_its_sources() {
    let reply = Reply::json(&json!({ "candidates": [{
        "content": { "parts": [{ "text": "Kühl. Nass." }] },
        "finishReason": "STOP",
        "groundingMetadata": {
            "groundingChunks": [{ "web": { "uri": "https://a.example", "title": "A" } }],
            "groundingSupports": [{ "segment": { "endIndex": 6 }, "groundingChunkIndices": [0] }],
        },
    }] }));
    check(reply, "weather", expect![[r#"{"output":"Web search results for \"weather\":\n\nKühl.[1] Nass.\n\nSources:\n[1] A (https://a.example)"}"#]]).await;
}

#[tokio::test]
async fn the_service_is_asked_to_search() {
    let reply = Reply::text("ok").finish("STOP");
    let server = ScriptedModel::start(Script::new().reply(reply)).await;
    let bench = bench(ServingVoices::new(&server.url()));
    bench.call(NAME, json!({ "query": "weather" })).await;
    let body = server.requests()[0].json();
    expect![[r#"{"contents":[{"role":"user","parts":[{"text":"weather"}]}],"tools":[{"googleSearch":{}}]}"#]]
        .assert_eq(&body.to_string());
}

#[tokio::test]
async fn a_search_that_fails_is_told() {
    let reply = Reply::error(400, "INVALID_ARGUMENT", "no");
    check(reply, "weather", expect![[r#"{"error":"the web search for \"weather\" failed: the provider rejects the request: no","error_type":"web_search_failed"}"#]]).await;
    let empty = Reply::new().finish("STOP");
    check(
        empty,
        "weather",
        expect![[r#"{"output":"No search results or information found for query: \"weather\""}"#]],
    )
    .await;
    check(
        Reply::new(),
        "  ",
        expect![[r#"{"error":"`query` must not be empty","error_type":"invalid_tool_params"}"#]],
    )
    .await;
}

#[tokio::test]
async fn a_model_that_cannot_search_is_not_asked() {
    let server = ScriptedModel::start(Script::new()).await;
    let bench = bench(ServingVoices::new(&server.url()).without_tools());
    expect![[r#"{"error":"the model that is set up cannot search the web","error_type":"web_search_failed"}"#]]
        .assert_eq(&bench.call(NAME, json!({ "query": "q" })).await.to_string());
    assert_eq!(server.requests().len(), 0);
}

//! What each kind of request gets for the same script.

use expect_test::{Expect, expect};
use serde_json::json;

use super::*;

fn full_reply() -> Reply {
    Reply::text("hello")
        .chunk(" world")
        .thought("**Plan**\nthink")
        .call(
            Call::new("read_file", json!({ "path": "a.rs" }))
                .id("c1")
                .thought_signature("sig"),
        )
        .citation("https://example.org", "Example")
        .finish_with_usage(
            "STOP",
            Usage {
                prompt: 10,
                output: 4,
                thoughts: 2,
                cached: 3,
            },
        )
}

async fn check(target: &str, body: &str, content_type: &str, expected: Expect) {
    let server = start(full_reply()).await;
    let answer = ask(&server, target, body).await;
    assert!(answer.is_complete);
    assert!(
        answer
            .head
            .contains(&format!("content-type: {content_type}\r\n")),
        "{}",
        answer.head
    );
    expected.assert_eq(&answer.body().replace("\r\n", "\n"));
    server.assert_exhausted();
}

#[tokio::test]
async fn gemini_streams_events() {
    check(STREAM, "{}", "text/event-stream", expect![[r#"
        data: {"candidates":[{"content":{"role":"model","parts":[{"text":"hello"}]},"index":0}],"modelVersion":"gemini-test","responseId":"scripted-1"}

        data: {"candidates":[{"content":{"role":"model","parts":[{"text":" world"}]},"index":0}],"modelVersion":"gemini-test","responseId":"scripted-1"}

        data: {"candidates":[{"content":{"role":"model","parts":[{"text":"**Plan**\nthink","thought":true}]},"index":0}],"modelVersion":"gemini-test","responseId":"scripted-1"}

        data: {"candidates":[{"content":{"role":"model","parts":[{"functionCall":{"name":"read_file","args":{"path":"a.rs"},"id":"c1"},"thoughtSignature":"sig"}]},"index":0}],"modelVersion":"gemini-test","responseId":"scripted-1"}

        data: {"candidates":[{"citationMetadata":{"citationSources":[{"uri":"https://example.org","title":"Example"}]},"index":0}],"modelVersion":"gemini-test","responseId":"scripted-1"}

        data: {"candidates":[{"finishReason":"STOP","index":0}],"usageMetadata":{"promptTokenCount":10,"candidatesTokenCount":4,"totalTokenCount":16,"thoughtsTokenCount":2,"cachedContentTokenCount":3},"modelVersion":"gemini-test","responseId":"scripted-1"}

    "#]]).await;
}

#[tokio::test]
async fn gemini_without_alt_sse_streams_an_array() {
    let server = start(Reply::text("a").chunk("b").finish("STOP")).await;
    let answer = ask(&server, "/v1beta/models/m:streamGenerateContent", "{}").await;
    let texts = answer.json();
    assert_eq!(texts.as_array().unwrap().len(), 3);
    assert_eq!(
        texts[1]["candidates"][0]["content"]["parts"][0]["text"],
        "b"
    );
}

#[tokio::test]
async fn gemini_answers_in_one_body() {
    check(
        "/v1beta/models/m:generateContent",
        "{}",
        "application/json; charset=utf-8",
        expect![[r#"{"candidates":[{"content":{"role":"model","parts":[{"text":"hello world"},{"text":"**Plan**\nthink","thought":true},{"functionCall":{"name":"read_file","args":{"path":"a.rs"},"id":"c1"},"thoughtSignature":"sig"}]},"citationMetadata":{"citationSources":[{"uri":"https://example.org","title":"Example"}]},"finishReason":"STOP","index":0}],"usageMetadata":{"promptTokenCount":10,"candidatesTokenCount":4,"totalTokenCount":16,"thoughtsTokenCount":2,"cachedContentTokenCount":3},"modelVersion":"m","responseId":"scripted-1"}"#]],
    )
    .await;
}

#[tokio::test]
async fn vertex_names_citations_its_own_way() {
    let server = start(Reply::new().citation("https://example.org", "Example")).await;
    let target = "/v1/projects/p/locations/l/publishers/google/models/m:generateContent";
    let answer = ask(&server, target, "{}").await;
    assert_eq!(
        answer.json()["candidates"][0]["citationMetadata"],
        json!({ "citations": [{ "uri": "https://example.org", "title": "Example" }] })
    );
}

#[tokio::test]
async fn chat_completions_stream_deltas() {
    check(
        "/v1/chat/completions",
        r#"{"model":"llama","stream":true}"#,
        "text/event-stream",
        expect![[r#"
            data: {"id":"chatcmpl-scripted-1","object":"chat.completion.chunk","created":0,"model":"llama","choices":[{"index":0,"delta":{"content":"hello","role":"assistant"},"finish_reason":null}]}

            data: {"id":"chatcmpl-scripted-1","object":"chat.completion.chunk","created":0,"model":"llama","choices":[{"index":0,"delta":{"content":" world"},"finish_reason":null}]}

            data: {"id":"chatcmpl-scripted-1","object":"chat.completion.chunk","created":0,"model":"llama","choices":[{"index":0,"delta":{"reasoning_content":"**Plan**\nthink"},"finish_reason":null}]}

            data: {"id":"chatcmpl-scripted-1","object":"chat.completion.chunk","created":0,"model":"llama","choices":[{"index":0,"delta":{"tool_calls":[{"id":"c1","type":"function","function":{"name":"read_file","arguments":"{\"path\":\"a.rs\"}"},"index":0}]},"finish_reason":null}]}

            data: {"id":"chatcmpl-scripted-1","object":"chat.completion.chunk","created":0,"model":"llama","choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}

            data: {"id":"chatcmpl-scripted-1","object":"chat.completion.chunk","created":0,"model":"llama","choices":[],"usage":{"prompt_tokens":10,"completion_tokens":6,"total_tokens":16}}

            data: [DONE]

        "#]],
    )
    .await;
}

#[tokio::test]
async fn chat_completions_answer_in_one_body() {
    check(
        "/v1/chat/completions",
        r#"{"model":"llama"}"#,
        "application/json; charset=utf-8",
        expect![[r#"{"id":"chatcmpl-scripted-1","object":"chat.completion","created":0,"model":"llama","choices":[{"index":0,"message":{"role":"assistant","content":"hello world","reasoning_content":"**Plan**\nthink","tool_calls":[{"id":"c1","type":"function","function":{"name":"read_file","arguments":"{\"path\":\"a.rs\"}"}}]},"finish_reason":"tool_calls"}],"usage":{"prompt_tokens":10,"completion_tokens":6,"total_tokens":16}}"#]],
    )
    .await;
}

#[tokio::test]
async fn a_stream_of_deltas_may_lack_its_last_event() {
    let server = start(Reply::text("x").finish("STOP").without_done()).await;
    let answer = ask(&server, "/v1/chat/completions", r#"{"stream":true}"#).await;
    assert_eq!(answer.events().len(), 2);
}

#[tokio::test]
async fn errors_have_googles_shape_with_details() {
    let server = start(
        Reply::error(429, "RESOURCE_EXHAUSTED", "Please retry in 10s")
            .retry_delay("10s")
            .quota_failure("GenerateRequestsPerDayPerProject")
            .error_info("RATE_LIMIT_EXCEEDED", "googleapis.com", &[("model", "m")])
            .detail(ErrorDetail::Other(json!({ "@type": "x" }))),
    )
    .await;
    let answer = ask(&server, STREAM, "{}").await;
    assert_eq!(answer.status, 429);
    assert!(answer.head.contains("content-type: application/json"));
    expect![[r#"{"error":{"code":429,"message":"Please retry in 10s","status":"RESOURCE_EXHAUSTED","details":[{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"10s"},{"@type":"type.googleapis.com/google.rpc.QuotaFailure","violations":[{"quotaId":"GenerateRequestsPerDayPerProject"}]},{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"RATE_LIMIT_EXCEEDED","domain":"googleapis.com","metadata":{"model":"m"}},{"@type":"x"}]}}"#]].assert_eq(&answer.body());
}

#[tokio::test]
async fn chat_errors_have_their_own_shape() {
    let server = start(Reply::error(401, "UNAUTHENTICATED", "no key")).await;
    let answer = ask(&server, "/v1/chat/completions", "{}").await;
    assert_eq!(
        answer.json()["error"],
        json!({
            "message": "no key", "type": "unauthenticated", "param": null,
            "code": "unauthenticated",
        })
    );
}

#[tokio::test]
async fn other_paths_are_raw_replies() {
    let tags = json!({ "models": [{ "name": "llama3:8b" }] });
    let script = Script::new()
        .reply(Reply::json(&tags).when_path("/api/tags"))
        .reply(Reply::token_count(31).when_path(":countTokens"))
        .reply(
            Reply::raw("text/html", "<h1>teapot</h1>")
                .status(418)
                .header("X-Tea", "green"),
        );
    let server = ScriptedModel::start(script).await;
    let teapot = ask(&server, "/v1/models", "").await;
    assert_eq!(
        (teapot.status, teapot.body().as_str()),
        (418, "<h1>teapot</h1>")
    );
    assert!(teapot.head.contains("x-tea: green\r\n"));
    assert!(teapot.head.contains("content-type: text/html\r\n"));
    let count = ask(&server, "/v1beta/models/m:countTokens", "{}").await;
    assert_eq!(count.json(), json!({ "totalTokens": 31 }));
    assert_eq!(ask(&server, "/api/tags", "").await.json(), tags);
    server.assert_exhausted();
}

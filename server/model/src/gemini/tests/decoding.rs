//! What comes back.

use std::collections::VecDeque;

use expect_test::{Expect, expect};
use pollux_testkit::{Call, Reply, Usage as Tokens};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::gemini::thought;
use crate::http::Endpoint;
use crate::testing::{Shape, arbitrary_json, ask, model, serve, shown};
use crate::wire::CallIds;
use crate::*;

async fn check(reply: Reply, expected: Expect) {
    let server = serve(reply.clone().split(3)).await;
    let split = ask(&model(Shape::Gemini, &server.url(), 1)).await;
    let server = serve(reply).await;
    let events = ask(&model(Shape::Gemini, &server.url(), 1)).await;
    assert_eq!(split, events);
    expected.assert_eq(&shown(&events));
}

fn candidate(candidate: Value) -> Value {
    json!({ "candidates": [candidate] })
}

#[tokio::test]
async fn every_kind_of_event() {
    let usage = Tokens {
        prompt: 10,
        output: 5,
        thoughts: 3,
        cached: 2,
    };
    check(
        Reply::new()
            .thought("**Plan**\nLook first.")
            .chunk("Hello")
            .chunk(" wörld")
            .call(
                Call::new("read_file", json!({ "a": [1, null] }))
                    .id("c1")
                    .thought_signature("sig"),
            )
            .call(Call::new("glob", json!({})).id("c2"))
            .citation("https://example.com", "Example")
            .finish_with_usage("STOP", usage),
        expect![[r#"
            thought "Plan" "Look first."
            text "Hello"
            text " wörld"
            call c1 read_file {"a":[1,null]} sig
            call c2 glob {} -
            citation Some("Example") https://example.com
            finished Stop [10, 2, 5, 3, 0, 18]
        "#]],
    )
    .await;
}

#[tokio::test]
async fn finish_reasons() {
    for reason in [
        "STOP",
        "MAX_TOKENS",
        "SAFETY",
        "RECITATION",
        "MALFORMED_FUNCTION_CALL",
        "UNEXPECTED_TOOL_CALL",
        "LANGUAGE",
    ] {
        let server = serve(Reply::new().finish(reason)).await;
        let events = ask(&model(Shape::Gemini, &server.url(), 1)).await;
        let expected = match reason {
            "STOP" => FinishReason::Stop,
            "MAX_TOKENS" => FinishReason::MaxTokens,
            "SAFETY" => FinishReason::Safety,
            "RECITATION" => FinishReason::Recitation,
            "MALFORMED_FUNCTION_CALL" => FinishReason::MalformedFunctionCall,
            "UNEXPECTED_TOOL_CALL" => FinishReason::UnexpectedToolCall,
            other => FinishReason::Other(other.to_owned()),
        };
        let usage = Usage::default();
        assert_eq!(
            events,
            [Ok(StreamEvent::Finished {
                reason: expected,
                usage
            })]
        );
    }
}

#[tokio::test]
async fn a_blocked_prompt_is_a_finish_reason() {
    check(
        Reply::new().event(json!({ "promptFeedback": { "blockReason": "PROHIBITED_CONTENT" } })),
        expect![[r#"
            finished Other("PROHIBITED_CONTENT") [0, 0, 0, 0, 0, 0]
        "#]],
    )
    .await;
    check(
        Reply::new().event(json!({ "promptFeedback": { "blockReason": "SAFETY" }, "usageMetadata": { "promptTokenCount": 4, "toolUsePromptTokenCount": 1 } })),
        expect![[r#"
            finished Safety [4, 0, 0, 0, 1, 0]
        "#]],
    )
    .await;
}

#[tokio::test]
async fn an_error_in_the_stream_ends_it() {
    let error =
        json!({ "error": { "code": 429, "status": "RESOURCE_EXHAUSTED", "message": "slow" } });
    check(
        Reply::text("half").event(error),
        expect![[r#"
        text "half"
        error the model is busy (HTTP 429): slow
    "#]],
    )
    .await;
    let error = json!({ "error": { "status": "UNAVAILABLE", "message": "gone" } });
    check(
        Reply::new().event(error),
        expect![[r#"
        error the model is busy (HTTP 503): gone
    "#]],
    )
    .await;
    check(
        Reply::new().event(json!({ "error": "odd" })),
        expect![[r#"
        error the provider failed (HTTP 500): odd
    "#]],
    )
    .await;
}

#[tokio::test]
async fn what_is_odd_but_harmless_is_taken() {
    check(
        Reply::new()
            .event(json!({}))
            .event(json!({ "candidates": null, "usageMetadata": null, "promptFeedback": {} }))
            .event(json!({ "candidates": [] }))
            .event(candidate(json!({ "content": {} })))
            .event(candidate(json!({ "content": { "parts": [{ "text": "" }, { "thoughtSignature": "x" }, { "executableCode": {} }] } })))
            .event(candidate(json!({ "citationMetadata": { "citations": [{ "title": "no uri" }, { "uri": "u" }] } })))
            .event(candidate(json!({ "finishReason": "FINISH_REASON_UNSPECIFIED" })))
            .event(candidate(json!({ "finishReason": "STOP" })))
            .event(candidate(json!({ "content": { "parts": [{ "text": "after" }] } }))),
        expect![[r#"
            citation None u
            text "after"
            finished Stop [0, 0, 0, 0, 0, 0]
        "#]],
    )
    .await;
}

#[tokio::test]
async fn the_signature_of_a_text_stays_with_it() {
    let parts = json!([
        { "text": "One" },
        { "text": "two", "thoughtSignature": "first" },
        { "text": "", "thoughtSignature": "second" },
        { "text": "hm", "thought": true, "thoughtSignature": "third" },
    ]);
    check(
        Reply::new()
            .event(candidate(json!({ "content": { "parts": parts } })))
            .finish("STOP"),
        expect![[r#"
            text "One"
            text "two" first
            text "" second
            thought "" "hm"
            finished Stop [0, 0, 0, 0, 0, 0]
        "#]],
    )
    .await;
}

#[tokio::test]
async fn a_model_that_stops_with_every_event_can_still_be_cut_off() {
    let said = |text: &str| {
        candidate(json!({ "content": { "parts": [{ "text": text }] }, "finishReason": "STOP" }))
    };
    let reply = Reply::new().event(said("a")).event(said("b")).cut();
    let server = serve(reply).await;
    let events = ask(&model(Shape::Gemini, &server.url(), 1)).await;
    let [Ok(_), Ok(_), Err(ModelError::Network(error))] = events.as_slice() else {
        panic!("{}", shown(&events));
    };
    assert_eq!(
        (error.cause, error.phase),
        (NetworkCause::ClosedEarly, Phase::MidAnswer)
    );
}

#[tokio::test]
async fn one_json_value_instead_of_a_stream_is_understood() {
    let body = json!({ "candidates": [{ "content": { "parts": [{ "text": "all" }] }, "finishReason": "STOP" }] });
    check(
        Reply::json(&body),
        expect![[r#"
        text "all"
        finished Stop [0, 0, 0, 0, 0, 0]
    "#]],
    )
    .await;
    let error = json!({ "error": { "code": 503, "message": "busy" } });
    check(
        Reply::json(&error),
        expect![[r#"
        error the model is busy (HTTP 503): busy
    "#]],
    )
    .await;
}

#[tokio::test]
async fn a_call_without_name_and_id_gets_both_and_no_id_comes_twice() {
    let nameless = candidate(
        json!({ "content": { "parts": [{ "functionCall": {} }, { "functionCall": { "id": "", "name": "", "args": 3 } }] } }),
    );
    let server = serve(Reply::new().event(nameless).finish("STOP").always()).await;
    let model = model(Shape::Gemini, &server.url(), 1);
    let mut ids = std::collections::HashSet::new();
    for _ in 0..2 {
        let answer = Answer::collect(crate::testing::stream(&model))
            .await
            .unwrap();
        for part in answer.parts {
            let Part::FunctionCall(call) = part else {
                panic!("{part:?}")
            };
            assert_eq!(call.name, "generic_tool");
            assert!(call.id.as_str().starts_with("generic_tool_"), "{}", call.id);
            assert!(ids.insert(call.id));
        }
    }
    assert_eq!(ids.len(), 4);
}

#[test]
fn the_subject_of_a_thought_stands_between_stars() {
    let cases = [
        "**A b**\nc",
        " x **A** y ",
        "no stars",
        "**open",
        "****",
        "**A** **B**",
    ];
    let shown = cases.map(|case| {
        let Thought {
            subject,
            description,
        } = thought::parse(case);
        format!("{case:?} -> {subject:?} {description:?}\n")
    });
    expect![[r#"
        "**A b**\nc" -> "A b" "c"
        " x **A** y " -> "A" "x  y"
        "no stars" -> "" "no stars"
        "**open" -> "" "**open"
        "****" -> "" ""
        "**A** **B**" -> "A" "**B**"
    "#]]
    .assert_eq(&shown.concat());
}

proptest! {
    #[test]
    fn no_event_makes_the_decoder_panic(events in prop::collection::vec(arbitrary_json(), 0..6), garbage in ".{0,40}") {
        let endpoint = Endpoint::new("http://localhost", None, &CustomHeaders::default()).unwrap();
        let mut decoder = crate::gemini::Decoder::new(endpoint, CallIds::default());
        let mut out = VecDeque::new();
        for event in &events {
            let _any_result = decoder.event(&event.to_string(), &mut out);
        }
        let _any_result = decoder.event(&garbage, &mut out);
        decoder.end(&mut out);
        let finished = out.iter().filter(|event| matches!(event, StreamEvent::Finished { .. }));
        prop_assert!(finished.count() <= 1);
    }
}

#[tokio::test]
async fn what_the_answer_rests_on() {
    let reply = candidate(json!({
        "content": { "parts": [{ "text": "It rains." }] },
        "finishReason": "STOP",
        "groundingMetadata": {
            "groundingChunks": [
                { "web": { "uri": "https://weather.example", "title": "Weather" } },
                { "retrievedContext": {} },
                { "web": null },
            ],
            "groundingSupports": [
                { "segment": { "endIndex": 9, "text": "It rains." }, "groundingChunkIndices": [0, 1] },
                { "segment": { "startIndex": 3 }, "groundingChunkIndices": [0] },
            ],
            "webSearchQueries": ["rain"],
        },
        "urlContextMetadata": { "urlMetadata": [
            { "retrievedUrl": "https://a.example", "urlRetrievalStatus": "URL_RETRIEVAL_STATUS_SUCCESS" },
            { "retrievedUrl": "https://b.example", "urlRetrievalStatus": "URL_RETRIEVAL_STATUS_ERROR" },
            {},
        ] },
    }));
    check(
        Reply::json(&reply),
        expect![[r#"
            text "It rains."
            Grounding { sources: [Source { title: Some("Weather"), uri: Some("https://weather.example") }, Source { title: None, uri: None }, Source { title: None, uri: None }], supports: [Support { end: 9, sources: [0, 1] }], pages: [Page { url: "https://a.example", retrieval: Succeeded }, Page { url: "https://b.example", retrieval: Failed }] }
            finished Stop [0, 0, 0, 0, 0, 0]
        "#]],
    )
    .await;
}

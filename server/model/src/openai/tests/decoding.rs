//! What comes back.

use std::collections::VecDeque;

use expect_test::{Expect, expect};
use pollux_testkit::{Call, Reply, Usage as Tokens};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::http::Endpoint;
use crate::testing::{Shape, arbitrary_json, ask, model, serve, shown};
use crate::wire::CallIds;
use crate::*;

async fn check(reply: Reply, expected: Expect) {
    let server = serve(reply.clone().split(3)).await;
    let split = ask(&model(Shape::OpenAi, &server.url(), 1)).await;
    let server = serve(reply).await;
    let events = ask(&model(Shape::OpenAi, &server.url(), 1)).await;
    assert_eq!(split, events);
    expected.assert_eq(&shown(&events));
}

fn delta(delta: Value) -> Value {
    json!({ "choices": [{ "index": 0, "delta": delta, "finish_reason": null }] })
}

fn call(call: Value) -> Value {
    delta(json!({ "tool_calls": [call] }))
}

#[tokio::test]
async fn every_kind_of_event() {
    let usage = Tokens {
        prompt: 10,
        output: 5,
        thoughts: 3,
        cached: 0,
    };
    check(
        Reply::new()
            .thought("Look ")
            .thought("first.")
            .chunk("Hello")
            .chunk(" wörld")
            .call(Call::new("read_file", json!({ "a": [1, null] })).id("c1"))
            .call(Call::new("glob", json!({})).id("c2"))
            .finish_with_usage("STOP", usage),
        expect![[r#"
            thought "" "Look "
            thought "" "first."
            text "Hello"
            text " wörld"
            call c1 read_file {"a":[1,null]} -
            call c2 glob {} -
            finished Stop [10, 0, 8, 0, 0, 18]
        "#]],
    )
    .await;
}

#[tokio::test]
async fn calls_are_put_together_by_index() {
    check(
        Reply::new()
            .event(call(json!({ "index": 0, "id": "a", "type": "function", "function": { "name": "one", "arguments": "" } })))
            .event(call(json!({ "index": 1, "id": "b", "function": { "name": "two", "arguments": "{\"x\"" } })))
            .event(call(json!({ "index": 0, "function": { "arguments": "{\"y\":" } })))
            .event(call(json!({ "index": 1, "id": "", "function": { "name": null, "arguments": ": 1}" } })))
            .event(call(json!({ "index": 0, "function": { "arguments": "\"z\"}" } })))
            .finish("tool_calls"),
        expect![[r#"
            call a one {"y":"z"} -
            call b two {"x":1} -
            finished Stop [0, 0, 0, 0, 0, 0]
        "#]],
    )
    .await;
}

#[tokio::test]
async fn servers_without_proper_indices_are_understood() {
    check(
        Reply::new()
            .event(call(json!({ "index": 0, "id": "a", "function": { "name": "one", "arguments": "{}" } })))
            .event(call(json!({ "index": 0, "id": "b", "function": { "name": "two", "arguments": "{}" } })))
            .event(call(json!({ "id": "c", "function": { "name": "three", "arguments": { "as": "object" } } })))
            .event(call(json!({ "id": "d", "function": { "name": "four", "arguments": "{\"k\":" } })))
            .event(call(json!({ "function": { "arguments": "2}" } })))
            .finish("stop"),
        expect![[r#"
            call a one {} -
            call b two {} -
            call c three {"as":"object"} -
            call d four {"k":2} -
            finished Stop [0, 0, 0, 0, 0, 0]
        "#]],
    )
    .await;
}

#[tokio::test]
async fn a_broken_call_is_a_finish_reason() {
    let broken = || {
        Reply::new().event(call(
            json!({ "index": 0, "id": "a", "function": { "name": "one", "arguments": "{\"x" } }),
        ))
    };
    check(
        broken().finish("tool_calls"),
        expect![[r#"
        finished MalformedFunctionCall [0, 0, 0, 0, 0, 0]
    "#]],
    )
    .await;
    check(
        broken().finish("length"),
        expect![[r#"
        finished MaxTokens [0, 0, 0, 0, 0, 0]
    "#]],
    )
    .await;
}

#[tokio::test]
async fn a_stream_that_is_cut_off_has_no_calls_and_no_end() {
    let begun =
        call(json!({ "index": 0, "id": "a", "function": { "name": "one", "arguments": "{}" } }));
    check(
        Reply::text("so").event(begun).without_done(),
        expect![[r#"
        text "so"
    "#]],
    )
    .await;
}

#[tokio::test]
async fn the_end_may_be_told_in_several_ways() {
    check(
        Reply::text("done without reason"),
        expect![[r#"
        text "done without reason"
        finished Stop [0, 0, 0, 0, 0, 0]
    "#]],
    )
    .await;
    check(
        Reply::text("reason without done")
            .finish("STOP")
            .without_done(),
        expect![[r#"
        text "reason without done"
        finished Stop [0, 0, 0, 0, 0, 0]
    "#]],
    )
    .await;
    for (told, expected) in [
        ("stop", FinishReason::Stop),
        ("tool_calls", FinishReason::Stop),
        ("length", FinishReason::MaxTokens),
        ("content_filter", FinishReason::Safety),
        ("novel", FinishReason::Other("novel".to_owned())),
    ] {
        let server = serve(Reply::text("x").finish(told)).await;
        let stream = crate::testing::stream(&model(Shape::OpenAi, &server.url(), 1));
        assert_eq!(Answer::collect(stream).await.unwrap().reason, expected);
    }
}

#[tokio::test]
async fn details_of_usage_and_other_names_for_thinking() {
    let usage = json!({
        "prompt_tokens": 20, "completion_tokens": 9,
        "prompt_tokens_details": { "cached_tokens": 15 }, "completion_tokens_details": { "reasoning_tokens": 4 },
    });
    check(
        Reply::new()
            .event(delta(json!({ "reasoning": "hm", "content": "" })))
            .event(delta(json!({ "refusal": "no" })))
            .finish("stop")
            .event(json!({ "choices": [], "usage": usage })),
        expect![[r#"
            thought "" "hm"
            text "no"
            finished Stop [20, 15, 5, 4, 0, 29]
        "#]],
    )
    .await;
}

#[tokio::test]
async fn a_message_in_one_piece_is_understood() {
    let message = json!({
        "role": "assistant", "content": null, "reasoning_content": "hm",
        "tool_calls": [{ "id": "a", "type": "function", "function": { "name": "one", "arguments": "{\"x\":1}" } },
                       { "id": "b", "type": "function", "function": { "name": "two", "arguments": "" } }],
    });
    check(
        Reply::json(&json!({ "choices": [{ "message": message, "finish_reason": null }] })),
        expect![[r#"
        thought "" "hm"
        call a one {"x":1} -
        call b two {} -
        finished Stop [0, 0, 0, 0, 0, 0]
    "#]],
    )
    .await;
}

#[tokio::test]
async fn an_error_in_the_stream_ends_it() {
    check(
        Reply::text("half").event(json!({ "error": { "message": "out of memory", "code": 503 } })),
        expect![[r#"
        text "half"
        error the model is busy (HTTP 503): out of memory
    "#]],
    )
    .await;
    check(
        Reply::new().event(json!({ "error": "model crashed" })),
        expect![[r#"
        error the provider failed (HTTP 500): model crashed
    "#]],
    )
    .await;
}

#[tokio::test]
async fn a_call_without_name_and_id_gets_both() {
    let server = serve(
        Reply::new()
            .event(call(json!({ "function": null })))
            .finish("stop"),
    )
    .await;
    let stream = crate::testing::stream(&model(Shape::OpenAi, &server.url(), 1));
    let answer = Answer::collect(stream).await.unwrap();
    let [Part::FunctionCall(call)] = answer.parts.as_slice() else {
        panic!("{answer:?}")
    };
    assert_eq!(call.name, "generic_tool");
    assert!(call.id.as_str().starts_with("generic_tool_"));
}

fn decoder() -> crate::openai::Decoder {
    let endpoint = Endpoint::new("http://localhost", None, &CustomHeaders::default()).unwrap();
    crate::openai::Decoder::new(endpoint, CallIds::default())
}

#[test]
fn calls_without_end_are_an_error() {
    let mut decoder = decoder();
    let mut out = VecDeque::new();
    let error = (0..2000).find_map(|index| {
        let event = call(json!({ "index": index, "function": { "name": "x" } }));
        decoder.event(&event.to_string(), &mut out).err()
    });
    assert!(matches!(
        error,
        Some(ModelError::BadReply {
            flaw: ReplyFlaw::TooLong,
            ..
        })
    ));
}

proptest! {
    #[test]
    fn no_event_makes_the_decoder_panic(events in prop::collection::vec(arbitrary_json(), 0..6), garbage in ".{0,40}") {
        let mut decoder = decoder();
        let mut out = VecDeque::new();
        for event in &events {
            let _any_result = decoder.event(&event.to_string(), &mut out);
        }
        let _any_result = decoder.event(&garbage, &mut out);
        let _any_result = decoder.event("[DONE]", &mut out);
        decoder.end(&mut out);
        let finished = out.iter().filter(|event| matches!(event, StreamEvent::Finished { .. }));
        prop_assert_eq!(finished.count(), 1);
    }
}

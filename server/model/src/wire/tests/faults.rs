//! Every way in which a reply goes wrong ends in its own event.

use std::time::Duration;

use expect_test::{Expect, expect};
use futures_util::StreamExt as _;
use pollux_testkit::{RefusedPort, Reply, Step};
use serde_json::json;

use crate::testing::{SHAPES, Shape, ask, model, serve, shown, stream};
use crate::*;

/// Both protocols tell the same; addresses are replaced.
async fn check(reply: Reply, expected: Expect) {
    for shape in SHAPES {
        let server = serve(reply.clone()).await;
        let events = ask(&model(shape, &server.url(), 1)).await;
        expected.assert_eq(&shown(&events).replace(&server.address().to_string(), "<host>"));
    }
}

fn phase(event: Option<Result<StreamEvent, ModelError>>) -> (NetworkCause, Phase) {
    match event {
        Some(Err(ModelError::Network(error))) => (error.cause, error.phase),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_refused_connection() {
    let port = RefusedPort::reserve();
    for shape in SHAPES {
        let events = ask(&model(shape, &port.url(), 1)).await;
        let shown = shown(&events).replace(&port.address().to_string(), "<host>");
        expect![[r#"
            error the connection was refused (<host>: Connection refused)
        "#]]
        .assert_eq(&shown);
        assert_eq!(
            phase(events.last().cloned()),
            (NetworkCause::Refused, Phase::BeforeAnswer)
        );
    }
}

#[tokio::test]
async fn a_connection_that_ends_in_the_middle() {
    check(
        Reply::text("half").reset(),
        expect![[r#"
        text "half"
        error the connection was reset (<host>: Connection reset by peer)
    "#]],
    )
    .await;
    check(Reply::text("half").cut(), expect![[r#"
        text "half"
        error the connection closed before the reply ended (<host>: end of file before message length reached)
    "#]]).await;
    check(
        Reply::new().before_headers(Step::Reset),
        expect![[r#"
        error the connection was reset (<host>: Connection reset by peer)
    "#]],
    )
    .await;
    check(Reply::new().before_headers(Step::Cut), expect![[r#"
        error the connection closed before the reply ended (<host>: connection closed before message completed)
    "#]]).await;
    check(
        Reply::new().reset(),
        expect![[r#"
        error the connection was reset (<host>: Connection reset by peer)
    "#]],
    )
    .await;
}

#[tokio::test]
async fn a_fault_in_the_middle_says_so() {
    let server = serve(Reply::text("half").reset().always()).await;
    for shape in SHAPES {
        let events = ask(&model(shape, &server.url(), 5)).await;
        assert_eq!(
            phase(events.last().cloned()),
            (NetworkCause::Reset, Phase::MidAnswer)
        );
        assert_eq!(
            events.len(),
            2,
            "what was handed out cannot be taken back, so there is no retry"
        );
    }
}

#[tokio::test(start_paused = true)]
async fn a_reply_that_stalls() {
    check(
        Reply::text("half").stall(),
        expect![[r#"
        text "half"
        error the reply stalled (<host>)
    "#]],
    )
    .await;
    check(
        Reply::new().before_headers(Step::Stall),
        expect![[r#"
        error the server did not answer in time (<host>)
    "#]],
    )
    .await;
}

#[tokio::test(start_paused = true)]
async fn a_stall_after_the_last_word_does_not_keep_the_answer() {
    for shape in SHAPES {
        let server = serve(Reply::text("all").finish("STOP").stall()).await;
        let started = tokio::time::Instant::now();
        let answer = Answer::collect(stream(&model(shape, &server.url(), 1))).await;
        assert_eq!(answer.unwrap().text(), "all");
        assert!(started.elapsed() < Duration::from_secs(10));
    }
    let server = serve(Reply::text("all").finish("STOP").reset()).await;
    let answer = Answer::collect(stream(&model(Shape::Gemini, &server.url(), 1))).await;
    assert_eq!(answer.unwrap().text(), "all");
}

#[tokio::test]
async fn events_that_are_not_json() {
    check(
        Reply::text("so").raw_event("{not json").chunk("never"),
        expect![[r#"
        text "so"
        error the model's reply cannot be read: not JSON (line 1, column 2)
    "#]],
    )
    .await;
    check(
        Reply::text("so").raw_event("{\"candidates\": ["),
        expect![[r#"
        text "so"
        error the model's reply cannot be read: the JSON is incomplete (line 1, column 16)
    "#]],
    )
    .await;
    check(
        Reply::new().raw_event("[1, 2]"),
        expect![[r#"
        error the model's reply cannot be read: the JSON has another shape (line 1, column 2)
    "#]],
    )
    .await;
    check(
        Reply::new().bytes(b"data: \xff\xfe\n\n".to_vec()),
        expect![[r#"
        error the model's reply cannot be read: not JSON (line 1, column 1)
    "#]],
    )
    .await;
}

#[tokio::test]
async fn an_empty_stream_ends_without_a_word() {
    check(Reply::new().without_done(), expect![""]).await;
    check(Reply::raw("text/event-stream", ": ping\n\n"), expect![""]).await;
    let server = serve(Reply::new().without_done()).await;
    let answer = Answer::collect(stream(&model(Shape::Gemini, &server.url(), 1))).await;
    let error = answer.unwrap_err().to_string();
    assert_eq!(
        error,
        "the model's reply cannot be read: the answer ended without a finish reason"
    );
}

#[tokio::test]
async fn an_answer_is_cut_at_its_limit() {
    let megabyte = "x".repeat(1 << 20);
    for shape in SHAPES {
        for (megabytes, ends_well) in [(8, true), (100, false)] {
            let reply = Reply::new()
                .repeat(megabytes, |each| each.chunk(megabyte.as_str()))
                .finish("STOP");
            let server = serve(reply).await;
            let mut events = stream(&model(shape, &server.url(), 9));
            let mut bytes = 0;
            let mut last = None;
            while let Some(event) = events.next().await {
                if let Ok(StreamEvent::Text(text)) = &event {
                    bytes += text.len();
                }
                last = Some(event);
            }
            assert_eq!(bytes, 8 << 20);
            match last.unwrap() {
                Ok(last) => assert!(ends_well && matches!(last, StreamEvent::Finished { .. })),
                Err(error) => {
                    assert!(!ends_well);
                    assert!(!error.is_retryable());
                    expect!["the model's reply cannot be read: the answer is longer than 8 MB, which is the limit"]
                        .assert_eq(&error.to_string());
                }
            }
        }
    }
}

#[tokio::test]
async fn long_arguments_and_names_of_tools_are_refused() {
    let written = |bytes: usize| json!({ "content": "x".repeat(bytes) });
    let long = pollux_testkit::Call::new("write_file", written(5 << 20)).id("1");
    check(
        Reply::new().call(long).finish("STOP"),
        expect![[r#"
            error the model's reply cannot be read: an argument list of `write_file` is longer than 4 MB, which is the limit
        "#]],
    )
    .await;
    let named = pollux_testkit::Call::new("n".repeat(100_000), json!({})).id("1");
    check(
        Reply::new().call(named).finish("STOP"),
        expect![[r#"
            error the model's reply cannot be read: the name of a tool is longer than 256 bytes, which is the limit
        "#]],
    )
    .await;
    let many = Reply::new().event(json!({ "candidates": [{ "content": { "parts": [{
        "functionCall": { "name": "a", "args": { "list": vec![0; 1 << 20] } }
    }] } }] }));
    let server = serve(many).await;
    let events = ask(&model(Shape::Gemini, &server.url(), 1)).await;
    assert!(matches!(
        events[..],
        [Err(ModelError::BadReply {
            flaw: ReplyFlaw::TooLong,
            ..
        })]
    ));
}

#[tokio::test]
async fn half_of_a_surrogate_pair_becomes_the_replacement_character() {
    let gemini = Reply::new()
        .raw_event(r#"{"candidates":[{"content":{"parts":[{"text":"a\ud83d"}]}}]}"#)
        .raw_event(
            r#"{"candidates":[{"content":{"parts":[{"functionCall":{"id":"1","name":"f","args":{"x":"\ude00b"}}}]},"finishReason":"STOP"}]}"#,
        );
    let open_ai = Reply::new()
        .raw_event(r#"{"choices":[{"delta":{"content":"a\ud83d"}}]}"#)
        .raw_event(
            r#"{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"1","function":{"name":"f","arguments":"{\"x\":\"\\ude00b\"}"}}]},"finish_reason":"stop"}]}"#,
        );
    for (shape, reply) in [(Shape::Gemini, gemini), (Shape::OpenAi, open_ai)] {
        let server = serve(reply).await;
        let events = ask(&model(shape, &server.url(), 3)).await;
        assert_eq!(
            shown(&events),
            "text \"a\u{fffd}\"\ncall 1 f {\"x\":\"\u{fffd}b\"} -\nfinished Stop [0, 0, 0, 0, 0, 0]\n"
        );
    }
}

#[tokio::test]
async fn a_reply_that_is_cut_within_its_first_bytes_is_no_wrong_address() {
    for cut in ["d", "da", "dat", "data", "data:", "e", "id", "ret"] {
        for kind in ["text/event-stream", "text/plain"] {
            for shape in SHAPES {
                let server = serve(Reply::raw(kind, cut)).await;
                let events = ask(&model(shape, &server.url(), 1)).await;
                assert_eq!(shown(&events), "", "{cut} of {kind}");
            }
        }
    }
}

#[tokio::test]
async fn what_an_answer_has_cost_is_told_before_its_end() {
    let piece = |total: u64| {
        json!({
            "candidates": [{ "content": { "parts": [{ "text": "x" }] } }],
            "usageMetadata": { "promptTokenCount": 5, "totalTokenCount": total },
        })
    };
    let reply = Reply::new()
        .event(piece(6))
        .event(piece(6))
        .event(piece(7))
        .reset();
    let server = serve(reply).await;
    let events = ask(&model(Shape::Gemini, &server.url(), 1)).await;
    let shown = shown(&events).replace(&server.address().to_string(), "<host>");
    expect![[r#"
        text "x"
        used 6 so far
        text "x"
        text "x"
        used 7 so far
        error the connection was reset (<host>: Connection reset by peer)
    "#]]
    .assert_eq(&shown);
}

#[tokio::test]
async fn an_event_of_a_hundred_megabytes_is_an_error() {
    let megabyte = vec![b'x'; 1 << 20];
    let endless = Reply::new()
        .bytes(b"data: ".to_vec())
        .repeat(100, |each| each.bytes(megabyte));
    let server = serve(endless).await;
    let events = ask(&model(Shape::Gemini, &server.url(), 3)).await;
    let [
        Err(ModelError::BadReply {
            flaw: ReplyFlaw::TooLong,
            ..
        }),
    ] = events.as_slice()
    else {
        panic!("{}", shown(&events));
    };
}

async fn count_to_a_hundred_thousand(shape: Shape) {
    let count = Reply::new().repeat(100_000, |each| each.chunk("{n} "));
    let server = serve(count.finish("STOP")).await;
    let mut events = stream(&model(shape, &server.url(), 1));
    let mut next = 0;
    while let Some(event) = events.next().await {
        if let StreamEvent::Text(text) = event.unwrap() {
            assert_eq!(text, format!("{next} "));
            next += 1;
        }
    }
    assert_eq!(next, 100_000);
}

#[tokio::test]
async fn a_reply_of_a_hundred_thousand_chunks_arrives_whole_from_gemini() {
    count_to_a_hundred_thousand(Shape::Gemini).await;
}

#[tokio::test]
async fn a_reply_of_a_hundred_thousand_chunks_arrives_whole_from_chat_completions() {
    count_to_a_hundred_thousand(Shape::OpenAi).await;
}

//! Whatever a server sends, it is an answer or an error.

use pollux_testkit::Reply;
use proptest::prelude::*;
use tokio::runtime::Runtime;

use crate::testing::{SHAPES, Shape, model, serve, stream};
use crate::{ModelError, ReplyFlaw, StreamEvent};
use futures_util::StreamExt as _;

/// Everything that comes of a body, with one attempt.
async fn heard(
    shape: Shape,
    content_type: &str,
    body: &[u8],
) -> Vec<Result<StreamEvent, ModelError>> {
    let server = serve(Reply::raw(content_type, body)).await;
    stream(&model(shape, &server.url(), 1)).collect().await
}

/// Bytes of any kind, and such as look like a stream until one looks closer.
fn garbage() -> impl Strategy<Value = Vec<u8>> {
    let bytes = proptest::collection::vec(any::<u8>(), 1..400);
    let pieces: &[&[u8]] = &[
        b"data: ",
        b"data: {\"candidates\": [",
        b"data: [1, null]",
        b"\n\n",
        b"\r",
        b": comment",
        b"event: error",
        b"<html><body>",
        b"\xff\xfe\x00",
        b"}}]",
    ];
    let piece = proptest::sample::select(pieces);
    let looks_right = proptest::collection::vec(piece, 1..12).prop_map(|pieces| pieces.concat());
    prop_oneof![bytes, looks_right]
}

/// Whether a line of it can belong to a stream of events.
fn is_stream(body: &[u8]) -> bool {
    let body = body.strip_prefix(b"\xef\xbb\xbf").unwrap_or(body);
    body.split(|byte| matches!(byte, b'\r' | b'\n'))
        .any(|line| {
            let name = line.split(|byte| *byte == b':').next().unwrap_or_default();
            !line.is_empty() && matches!(name, b"" | b"data" | b"event" | b"id" | b"retry")
        })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn garbage_is_an_error_and_no_answer(body in garbage()) {
        let runtime = Runtime::new().unwrap();
        for shape in SHAPES {
            for content_type in ["text/event-stream", "text/html", "application/json"] {
                let heard = runtime.block_on(heard(shape, content_type, &body));
                let finished = heard.iter().any(|item| matches!(item, Ok(StreamEvent::Finished { .. })));
                prop_assert!(!finished, "{heard:?}");
                let failed = heard.iter().position(Result::is_err);
                prop_assert!(failed.is_none_or(|place| place + 1 == heard.len()), "{heard:?}");
                let is_empty = body.trim_ascii().is_empty()
                    || (content_type != "application/json" && is_stream(&body));
                prop_assert!(failed.is_some() || is_empty, "{content_type}: {heard:?}");
            }
        }
    }
}

#[tokio::test]
async fn a_page_that_says_all_is_well_is_no_answer() {
    let page =
        "<!DOCTYPE html>\n<html><head><title>Sign in</title></head>\n<body>Hello</body></html>\n";
    for shape in SHAPES {
        let server = serve(Reply::raw("text/html; charset=utf-8", page)).await;
        // It would be sent again if that could help.
        let heard: Vec<_> = stream(&model(shape, &server.url(), 4)).collect().await;
        let [
            Err(
                error @ ModelError::BadReply {
                    flaw: ReplyFlaw::Incomplete,
                    ..
                },
            ),
        ] = &heard[..]
        else {
            panic!("{heard:?}");
        };
        assert_eq!(
            error.to_string(),
            "the model's reply cannot be read: it is text/html and no stream of events; is the address right?"
        );
        assert_eq!(server.requests().len(), 1);
    }
}

#[tokio::test]
async fn a_stream_that_only_keeps_alive_is_no_garbage() {
    for body in [": keep-alive\n\n", ": cut", "event: ping\n\n", "", "\n\n"] {
        for shape in SHAPES {
            let heard = heard(shape, "text/event-stream", body.as_bytes()).await;
            assert!(heard.is_empty(), "{body:?}: {heard:?}");
        }
    }
}

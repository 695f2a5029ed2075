//! Whatever is going on, a cancelled stream answers at once and lets the connection go.

use std::time::{Duration, Instant};

use futures_util::StreamExt as _;
use pollux_testkit::{Reply, ReplyEnd, ScriptedModel, Step};
use tokio_util::sync::CancellationToken;

use crate::testing::{AT_ONCE, SHAPES, Shape, gemini, model, policy, prompt, serve};
use crate::*;

/// Cancels, and expects the end of the stream.
async fn cancel_now(cancel: &CancellationToken, events: &mut EventStream) {
    cancel.cancel();
    let started = Instant::now();
    assert_eq!(events.next().await, Some(Err(ModelError::Cancelled)));
    assert_eq!(events.next().await, None);
    assert!(started.elapsed() < AT_ONCE, "{:?}", started.elapsed());
}

/// Polls the stream until `reached`, while it has nothing to say.
async fn wait_while_silent(events: &mut EventStream, reached: impl Future<Output = ()>) {
    tokio::select! {
        biased;
        event = events.next() => panic!("{event:?}"),
        () = reached => {}
    }
}

async fn client_left(server: &ScriptedModel) {
    assert_eq!(server.reply_end(1).await, ReplyEnd::ClientLeft);
}

#[tokio::test]
async fn before_anything_is_sent() {
    for shape in SHAPES {
        let server = serve(Reply::text("x").always()).await;
        let cancel = CancellationToken::new();
        let mut events = model(shape, &server.url(), 1).stream(prompt(), cancel.clone());
        cancel_now(&cancel, &mut events).await;
        assert_eq!(server.requests().len(), 0);
    }
}

// Windows refuses where the others keep waiting.
#[cfg(unix)]
#[tokio::test]
async fn while_connecting() {
    // A listener whose queue is full does not answer further connections; nothing here ever accepts.
    let listener = tokio::net::TcpSocket::new_v4().unwrap();
    listener.bind("127.0.0.1:0".parse().unwrap()).unwrap();
    let listener = listener.listen(1).unwrap();
    let address = listener.local_addr().unwrap();
    let mut waiting = Vec::new();
    loop {
        let connect = tokio::net::TcpStream::connect(address);
        match tokio::time::timeout(Duration::from_millis(50), connect).await {
            Ok(stream) => waiting.push(stream.unwrap()),
            Err(_queue_is_full) => break,
        }
    }
    let cancel = CancellationToken::new();
    let mut events =
        model(Shape::Gemini, &format!("http://{address}"), 1).stream(prompt(), cancel.clone());
    wait_while_silent(&mut events, tokio::task::yield_now()).await;
    cancel_now(&cancel, &mut events).await;
}

#[tokio::test]
async fn while_waiting_for_the_first_byte() {
    for shape in SHAPES {
        let server = serve(Reply::new().before_headers(Step::Stall)).await;
        let cancel = CancellationToken::new();
        let mut events = model(shape, &server.url(), 1).stream(prompt(), cancel.clone());
        wait_while_silent(&mut events, async { drop(server.next_request().await) }).await;
        cancel_now(&cancel, &mut events).await;
        client_left(&server).await;
    }
}

#[tokio::test]
async fn while_reading() {
    for shape in SHAPES {
        let server = serve(Reply::text("one").gate("never")).await;
        let cancel = CancellationToken::new();
        let mut events = model(shape, &server.url(), 1).stream(prompt(), cancel.clone());
        assert_eq!(
            events.next().await,
            Some(Ok(StreamEvent::Text("one".to_owned())))
        );
        wait_while_silent(&mut events, server.gate_reached("never")).await;
        cancel_now(&cancel, &mut events).await;
        client_left(&server).await;
    }
}

#[tokio::test]
async fn in_front_of_events_that_have_arrived() {
    let server = serve(
        Reply::text("one")
            .chunk("two")
            .chunk("three")
            .finish("STOP"),
    )
    .await;
    let cancel = CancellationToken::new();
    let mut events = model(Shape::Gemini, &server.url(), 1).stream(prompt(), cancel.clone());
    assert_eq!(
        events.next().await,
        Some(Ok(StreamEvent::Text("one".to_owned())))
    );
    cancel_now(&cancel, &mut events).await;
}

#[tokio::test]
async fn while_reading_an_error() {
    let server = serve(Reply::raw("text/plain", "so ").status(500).gate("never")).await;
    let cancel = CancellationToken::new();
    let mut events = model(Shape::Gemini, &server.url(), 1).stream(prompt(), cancel.clone());
    wait_while_silent(&mut events, server.gate_reached("never")).await;
    cancel_now(&cancel, &mut events).await;
}

#[tokio::test]
async fn during_a_pause() {
    for shape in SHAPES {
        let server = serve(Reply::error(503, "UNAVAILABLE", "busy")).await;
        let cancel = CancellationToken::new();
        let mut events = model(shape, &server.url(), 10).stream(prompt(), cancel.clone());
        assert!(matches!(
            events.next().await,
            Some(Ok(StreamEvent::Retrying(_)))
        ));
        wait_while_silent(&mut events, tokio::task::yield_now()).await;
        cancel_now(&cancel, &mut events).await;
    }
}

#[tokio::test]
async fn whole_answers_and_counts_too() {
    let server = serve(Reply::new().before_headers(Step::Stall).always()).await;
    let gemini = gemini(&server.url(), policy(1));
    let cancel = CancellationToken::new();
    let request = prompt();
    let stop = async {
        server.next_request().await;
        server.next_request().await;
        cancel.cancel();
    };
    let (answer, count, ()) = tokio::join!(
        gemini.generate(&request, cancel.clone()),
        gemini.count_tokens(&request, cancel.clone()),
        stop
    );
    assert_eq!(
        (answer, count),
        (Err(ModelError::Cancelled), Err(ModelError::Cancelled))
    );
}

#[tokio::test]
async fn dropping_the_stream_ends_the_request() {
    let server = serve(Reply::text("one").gate("never")).await;
    let mut events =
        model(Shape::OpenAi, &server.url(), 1).stream(prompt(), CancellationToken::new());
    assert!(events.next().await.is_some());
    drop(events);
    client_left(&server).await;
}

//! Streams that go wrong.

use std::io::ErrorKind;

use super::*;

#[tokio::test]
async fn a_cut_ends_the_connection_inside_a_chunk() {
    let server = start(Reply::text("first").cut()).await;
    let mut bytes = Vec::new();
    let mut stream = send(&server, STREAM, "{}").await;
    stream.read_to_end(&mut bytes).await.unwrap();
    let answer = Answer::parse(&bytes);
    assert_eq!(answer.events().len(), 1);
    assert!(!answer.is_complete);
    assert!(bytes.ends_with(b"\r\n40\r\ndata: {\"candidates\": [{\"content"));
    assert_eq!(server.reply_end(1).await, ReplyEnd::Cut);
}

#[tokio::test]
async fn a_reset_is_seen_as_one_after_the_bytes_before_it() {
    let server = start(Reply::text("first").reset()).await;
    let mut bytes = Vec::new();
    let mut stream = send(&server, STREAM, "{}").await;
    let error = stream.read_to_end(&mut bytes).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::ConnectionReset);
    assert_eq!(Answer::parse(&bytes).events().len(), 1);
    assert_eq!(server.reply_end(1).await, ReplyEnd::Cut);
}

#[tokio::test]
async fn a_body_of_known_length_is_cut_too() {
    let server = start(Reply::text("x").header("content-length", "900").cut()).await;
    let mut bytes = Vec::new();
    let mut stream = send(&server, STREAM, "{}").await;
    stream.read_to_end(&mut bytes).await.unwrap();
    assert!(bytes.ends_with(b"\r\n\r\n{"));
}

#[tokio::test]
async fn a_connection_may_end_before_any_header() {
    let server = start(Reply::new().before_headers(Step::Cut)).await;
    let mut bytes = Vec::new();
    let mut stream = send(&server, STREAM, "{}").await;
    stream.read_to_end(&mut bytes).await.unwrap();
    assert_eq!(bytes, b"");

    let server = start(Reply::new().before_headers(Step::Reset)).await;
    let mut stream = send(&server, STREAM, "{}").await;
    let error = stream.read_to_end(&mut bytes).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::ConnectionReset);
}

#[tokio::test]
async fn a_stalled_reply_ends_when_the_client_leaves() {
    let script = Script::new()
        .reply(Reply::text("x").stall())
        .reply(Reply::new().before_headers(Step::Stall));
    let server = ScriptedModel::start(script).await;
    for order in [1, 2] {
        let stream = send(&server, STREAM, "{}").await;
        server.next_request().await;
        drop(stream);
        assert_eq!(server.reply_end(order).await, ReplyEnd::ClientLeft);
    }
}

#[tokio::test]
async fn a_gate_holds_the_stream_until_the_test_opens_it() {
    let server = start(Reply::text("one").gate("go").chunk("two").finish("STOP")).await;
    let mut stream = send(&server, STREAM, "{}").await;
    server.gate_reached("go").await;
    let mut bytes = Vec::new();
    while !bytes.ends_with(b"\r\n\r\n\r\n") {
        bytes.push(stream.read_u8().await.unwrap());
    }
    assert_eq!(Answer::parse(&bytes).events().len(), 1);
    server.open_gate("go");
    stream.read_to_end(&mut bytes).await.unwrap();
    assert_eq!(Answer::parse(&bytes).events().len(), 3);
    assert_eq!(server.reply_end(1).await, ReplyEnd::Complete);
}

#[tokio::test(start_paused = true)]
async fn pauses_run_on_the_clock_of_the_test() {
    let server = start(Reply::text("x").pause(Duration::from_secs(3600)).chunk("y")).await;
    let started = tokio::time::Instant::now();
    assert_eq!(ask(&server, STREAM, "{}").await.events().len(), 2);
    assert!(started.elapsed() >= Duration::from_secs(3600));
}

#[tokio::test]
async fn malformed_events_arrive_as_written() {
    let server = start(
        Reply::new()
            .raw_event("{not json")
            .bytes(b"data: \xff\xfe\n\n".to_vec())
            .step(Step::Raw(": comment\nretry: x\n\n".to_owned())),
    )
    .await;
    let answer = ask(&server, STREAM, "{}").await;
    assert_eq!(
        answer.chunks.concat(),
        b"data: {not json\r\n\r\ndata: \xff\xfe\n\n: comment\nretry: x\n\n"
    );
}

#[tokio::test]
async fn an_empty_stream_is_a_complete_reply() {
    let server = start(Reply::new()).await;
    let answer = ask(&server, STREAM, "{}").await;
    assert_eq!(
        (answer.status, answer.chunks.len(), answer.is_complete),
        (200, 0, true)
    );
}

#[tokio::test]
async fn a_reply_may_have_a_hundred_thousand_chunks() {
    let server = start(
        Reply::new()
            .repeat(100_000, |each| each.chunk("{n} "))
            .finish("STOP"),
    )
    .await;
    let answer = ask(&server, STREAM, "{}").await;
    let body = answer.body();
    assert_eq!(body.matches("data: ").count(), 100_001);
    assert!(body.contains(r#"{"text":"99999 "}"#));
}

#[tokio::test]
async fn a_reply_may_have_fifty_megabytes() {
    let megabyte = "x".repeat(1 << 20);
    let server = start(Reply::new().repeat(50, |each| each.chunk(megabyte.as_str()))).await;
    let answer = ask(&server, STREAM, "{}").await;
    assert!(answer.chunks.iter().map(Vec::len).sum::<usize>() > 50 << 20);
    assert!(answer.is_complete);
}

#[tokio::test]
async fn a_refused_port_refuses() {
    let port = RefusedPort::reserve();
    let error = TcpStream::connect(port.address()).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::ConnectionRefused);
}

//! The record, the choice of replies, and the end of the server.

use std::time::SystemTime;

use expect_test::expect;
use serde_json::json;

use super::*;

#[tokio::test]
async fn requests_are_recorded_whole_and_in_order() {
    let server = start(Reply::text("x").times(2)).await;
    ask(&server, STREAM, r#"{"contents":[]}"#).await;
    ask(&server, "/v1beta/models/m:countTokens", "not json").await;
    let [first, second] = [server.next_request().await, server.next_request().await];
    assert_eq!((first.order, second.order), (1, 2));
    assert_eq!(first.json(), json!({ "contents": [] }));
    assert_eq!(first.header("Host"), Some("test"));
    assert_eq!(second.json(), Value::Null);
    assert_eq!(server.requests(), [Arc::clone(&first), second.clone()]);
    expect![[r#"{"order":1,"method":"POST","path":"/v1beta/models/gemini-test:streamGenerateContent","query":"alt=sse","headers":{"connection":"close","content-length":"15","host":"test","x-twice":"1, 2"},"body":{"contents":[]}}"#]].assert_eq(&serde_json::to_string(&*first).unwrap());
    expect![[r#"{"order":2,"method":"POST","path":"/v1beta/models/m:countTokens","query":"","headers":{"connection":"close","content-length":"8","host":"test","x-twice":"1, 2"},"bodyText":"not json"}"#]].assert_eq(&serde_json::to_string(&*second).unwrap());
}

#[tokio::test]
async fn the_record_file_and_the_chunks_carry_their_time() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("record.jsonl");
    let script = Script::new().reply(Reply::default().repeat(2, |each| each.chunk("{n} {now}")));
    let before = clock::milliseconds(SystemTime::now());
    let server = ScriptedModel::bind(script, 0, Some(&file)).await.unwrap();
    let answer = ask(&server, STREAM, "{}").await;
    let after = clock::milliseconds(SystemTime::now());
    let line: Value = serde_json::from_str(&std::fs::read_to_string(&file).unwrap()).unwrap();
    let mut times = vec![before, line["arrivedMs"].as_f64().unwrap()];
    for (number, event) in answer.events().iter().enumerate() {
        let text = &event["candidates"][0]["content"]["parts"][0]["text"];
        let (round, sent) = text.as_str().unwrap().split_once(' ').unwrap();
        assert_eq!(round, number.to_string());
        times.push(sent.parse().unwrap());
    }
    times.push(after);
    assert_eq!(times.len(), 5);
    assert!(times.is_sorted(), "{times:?}");
}

#[tokio::test]
async fn a_body_of_several_lines_is_one_line_of_the_record() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("record.jsonl");
    let script = Script::new().reply(Reply::text("x").times(2));
    let server = ScriptedModel::bind(script, 0, Some(&file)).await.unwrap();
    ask(&server, STREAM, "{\r\n  \"contents\": [\"a\\nb\"]\n}").await;
    ask(&server, STREAM, "no\njson").await;
    let record = std::fs::read_to_string(&file).unwrap();
    let lines: Vec<Value> = record
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let [first, second] = lines.as_slice() else {
        panic!("{record}");
    };
    assert_eq!(first["body"], json!({ "contents": ["a\nb"] }));
    assert_eq!(second["bodyText"], "no\njson");
}

#[tokio::test]
async fn one_connection_carries_several_requests() {
    let server = start(
        Reply::json(&json!(1))
            .header("content-length", "1")
            .times(2),
    )
    .await;
    let mut stream = TcpStream::connect(server.address()).await.unwrap();
    for _ in 0..2 {
        let request = b"GET /v1/models HTTP/1.1\r\nHost: test\r\n\r\n";
        stream.write_all(request).await.unwrap();
        let mut bytes = Vec::new();
        while !bytes.ends_with(b"\r\n\r\n1") {
            bytes.push(stream.read_u8().await.unwrap());
        }
    }
    assert_eq!(server.requests().len(), 2);
}

#[tokio::test]
async fn each_request_takes_the_first_reply_that_is_for_it() {
    let script = Script::new()
        .reply(Reply::text("about cats").when_body("cats"))
        .reply(Reply::text("routing").when_path("flash-lite:generate"))
        .reply(Reply::text("anything").times(2))
        .reply(Reply::text("the rest").always());
    let server = ScriptedModel::start(script).await;
    let lite = "/v1beta/models/flash-lite:generateContent";
    let mut order = Vec::new();
    for (target, body) in [
        (lite, "dogs"),
        (lite, "dogs"),
        (STREAM, "cats"),
        (STREAM, "cats"),
        (STREAM, ""),
        (STREAM, ""),
    ] {
        let body = ask(&server, target, body).await.body();
        let start = body.find(r#""text":""#).unwrap() + 8;
        order.push(body[start..].split('"').next().unwrap().to_owned());
    }
    assert_eq!(
        order,
        [
            "routing",
            "anything",
            "about cats",
            "anything",
            "the rest",
            "the rest"
        ]
    );
    server.assert_exhausted();
}

#[tokio::test]
async fn a_request_beyond_the_script_is_told_so() {
    let server = ScriptedModel::start(Script::new()).await;
    let answer = ask(&server, STREAM, "{}").await;
    assert_eq!(answer.status, 500);
    assert_eq!(
        answer.json()["error"]["message"],
        "the script has no reply for request 1 (POST \
         /v1beta/models/gemini-test:streamGenerateContent)"
    );
    let text = panic_text(|| server.assert_exhausted());
    assert_eq!(
        text,
        "the script and the requests differ:\n  request 1 (POST \
         /v1beta/models/gemini-test:streamGenerateContent) had no reply"
    );
}

#[tokio::test]
async fn a_strict_script_fails_the_test_when_replies_are_left() {
    let script = Script::new()
        .reply(Reply::text("a"))
        .reply(Reply::text("b").times(3))
        .reply(Reply::text("c").always())
        .strict();
    let server = ScriptedModel::start(script).await;
    ask(&server, STREAM, "{}").await;
    ask(&server, STREAM, "{}").await;
    assert_eq!(
        panic_text(|| drop(server)),
        "the script and the requests differ:\n  reply 2 was used 1 of 3 times"
    );
}

#[tokio::test]
async fn stopping_closes_the_port_and_the_connections() {
    let server = start(Reply::text("x").stall()).await;
    let address = server.address();
    let mut stream = send(&server, STREAM, "{}").await;
    server.next_request().await;
    server.stop().await;
    let mut bytes = Vec::new();
    stream.read_to_end(&mut bytes).await.unwrap();
    assert!(TcpStream::connect(address).await.is_err());
}

#[tokio::test]
async fn dropping_closes_the_connections() {
    let server = start(Reply::text("x").stall()).await;
    let mut stream = send(&server, STREAM, "{}").await;
    server.next_request().await;
    drop(server);
    let mut bytes = Vec::new();
    stream.read_to_end(&mut bytes).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_long_backoff_on_a_paused_clock_is_no_hang() {
    let server = Arc::new(start(Reply::text("x")).await);
    let client = tokio::spawn({
        let server = Arc::clone(&server);
        async move {
            let backoff =
                tokio::time::timeout(Duration::from_secs(300), std::future::pending::<()>());
            backoff.await.unwrap_err();
            ask(&server, STREAM, "{}").await.is_complete
        }
    });
    assert_eq!(server.next_request().await.order, 1);
    assert!(client.await.unwrap());
}

#[tokio::test(start_paused = true)]
async fn a_request_that_never_comes_ends_the_wait() {
    let server = ScriptedModel::start(Script::new()).await;
    let waiting = tokio::spawn(async move { server.next_request().await.order });
    let panic = waiting.await.unwrap_err().into_panic();
    assert_eq!(
        *panic.downcast::<String>().unwrap(),
        "nothing happened within 60s: awaited request 1\nrequests so far:"
    );
}

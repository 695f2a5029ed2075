//! The editor is tried against a server of a few lines that speaks frames by hand.

use std::panic::AssertUnwindSafe;

use expect_test::expect;
use futures_util::FutureExt;
use tokio::io::{AsyncWriteExt, BufReader, ReadHalf, WriteHalf};

use super::*;
use crate::mirror_buffer::{Position, TextChange};

struct Server {
    input: BufReader<ReadHalf<DuplexStream>>,
    output: WriteHalf<DuplexStream>,
}

impl Server {
    fn start() -> (FakeEditor, Self) {
        let (editor, stream) = FakeEditor::in_memory();
        let (input, output) = tokio::io::split(stream);
        let input = BufReader::new(input);
        (editor, Self { input, output })
    }

    async fn receive(&mut self) -> Value {
        read_frame(&mut self.input).await.unwrap().unwrap()
    }

    async fn send(&mut self, message: Value) {
        self.send_raw(&encode_frame(&message)).await;
    }

    async fn send_raw(&mut self, bytes: &[u8]) {
        self.output.write_all(bytes).await.unwrap();
    }

    async fn notify(&mut self, method: &str, params: Value) {
        self.send(json!({ "jsonrpc": "2.0", "method": method, "params": params }))
            .await;
    }

    async fn ask(&mut self, id: Value, method: &str, params: Value) {
        self.send(json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }))
            .await;
    }

    async fn reply(&mut self, id: &Value, result: Value) {
        self.send(json!({ "jsonrpc": "2.0", "id": id, "result": result }))
            .await;
    }

    /// Answers every request with null until `exit`, then closes.
    async fn run_to_exit(mut self) {
        loop {
            let message = self.receive().await;
            if message["method"] == "exit" {
                return;
            }
            if let Some(id) = message.get("id") {
                self.reply(id, Value::Null).await;
            }
        }
    }
}

async fn panic_text(future: impl Future<Output = ()>) -> String {
    let stopped = AssertUnwindSafe(future).catch_unwind().await;
    *stopped.unwrap_err().downcast::<String>().unwrap()
}

fn drop_text(editor: FakeEditor) -> String {
    let stopped = std::panic::catch_unwind(AssertUnwindSafe(|| drop(editor)));
    *stopped.unwrap_err().downcast::<String>().unwrap()
}

#[tokio::test]
async fn a_request_gets_its_own_reply_whatever_the_order() {
    let (editor, mut server) = Server::start();
    let first = editor.start_request("a", json!([1])).await;
    let second = editor.start_request("b", Value::Null).await;
    let asked = [server.receive().await, server.receive().await];
    assert_eq!(
        asked,
        [
            json!({ "jsonrpc": "2.0", "id": 1, "method": "a", "params": [1] }),
            json!({ "jsonrpc": "2.0", "id": 2, "method": "b" }),
        ]
    );
    server
        .send(json!({ "jsonrpc": "2.0", "id": 2, "error": { "code": -32601, "message": "no b" } }))
        .await;
    server.reply(&asked[0]["id"], json!("one")).await;
    assert_eq!(first.result().await, Ok(json!("one")));
    assert_eq!(second.result().await, Err(RpcError::new(-32601, "no b")));
}

#[tokio::test]
async fn a_cancelled_request_still_waits_for_its_reply() {
    let (editor, mut server) = Server::start();
    let pending = editor.start_request("slow", Value::Null).await;
    server.receive().await;
    pending.cancel().await;
    let cancel = server.receive().await;
    assert_eq!(cancel["method"], "$/cancelRequest");
    assert_eq!(cancel["params"], json!({ "id": 1 }));
    assert!(!pending.is_answered());
    server
        .send(json!({ "jsonrpc": "2.0", "id": 1, "error": { "code": -32800, "message": "cancelled" } }))
        .await;
    assert_eq!(pending.result().await.unwrap_err().code, -32800);
}

#[tokio::test]
async fn initialize_sends_the_chosen_capabilities() {
    let (editor, mut server) = Server::start();
    let options = InitializeOptions {
        roots: vec!["file:///w/app".to_owned()],
        position_encodings: vec![PositionEncoding::Utf8, PositionEncoding::Utf16],
        capabilities: json!({ "workspace": { "applyEdit": true }, "window": null }),
        process_id: Some(7),
        ..InitializeOptions::default()
    };
    let played = async {
        let request = server.receive().await;
        let capabilities = json!({ "capabilities": { "positionEncoding": "utf-8" } });
        server.reply(&request["id"], capabilities).await;
        assert_eq!(server.receive().await["method"], "initialized");
        request["params"].to_string()
    };
    let (result, params) = tokio::join!(editor.initialize(options), played);
    assert_eq!(settled_encoding(&result), PositionEncoding::Utf8);
    expect![[r#"{"processId":7,"rootUri":"file:///w/app","capabilities":{"general":{"positionEncodings":["utf-8","utf-16"]},"workspace":{"workspaceFolders":true,"applyEdit":true}},"workspaceFolders":[{"uri":"file:///w/app","name":"app"}]}"#]]
    .assert_eq(&params);
}

#[tokio::test]
async fn document_helpers_write_what_the_protocol_asks_for() {
    let (editor, mut server) = Server::start();
    let here = Position::new(0, 1);
    editor.open("file:///a", "rust", "text").await;
    editor
        .change(
            "file:///a",
            2,
            &[TextChange::insert(here, "x"), TextChange::full("y")],
        )
        .await;
    editor.save("file:///a").await;
    editor.close("file:///a").await;
    let mut sent = String::new();
    for _ in 0..4 {
        let message = server.receive().await;
        sent += &format!("{} {}\n", message["method"], message["params"]);
    }
    expect![[r#"
        "textDocument/didOpen" {"textDocument":{"uri":"file:///a","languageId":"rust","version":1,"text":"text"}}
        "textDocument/didChange" {"textDocument":{"uri":"file:///a","version":2},"contentChanges":[{"range":{"start":{"line":0,"character":1},"end":{"line":0,"character":1}},"text":"x"},{"text":"y"}]}
        "textDocument/didSave" {"textDocument":{"uri":"file:///a"}}
        "textDocument/didClose" {"textDocument":{"uri":"file:///a"}}
    "#]]
    .assert_eq(&sent);
}

#[tokio::test]
async fn server_requests_are_answered_by_the_test_or_by_the_table() {
    let (editor, mut server) = Server::start();
    server.ask(json!("early"), "register", json!(1)).await;
    server.ask(json!(5), "workspace/applyEdit", json!({})).await;
    let (id, _) = editor.expect_request("workspace/applyEdit").await;
    editor.answer_with("register", |params| json!({ "got": params }));
    assert_eq!(
        server.receive().await,
        json!({ "jsonrpc": "2.0", "id": "early", "result": { "got": 1 } })
    );
    server.ask(json!(6), "register", json!(2)).await;
    assert_eq!(server.receive().await["result"], json!({ "got": 2 }));
    assert_eq!(editor.answered("register"), [json!(1), json!(2)]);

    editor.respond(&id, json!({ "applied": true })).await;
    assert_eq!(
        server.receive().await,
        json!({ "jsonrpc": "2.0", "id": 5, "result": { "applied": true } })
    );
    editor.respond_error(&id, &RpcError::new(1, "no")).await;
    assert_eq!(
        server.receive().await["error"],
        json!({ "code": 1, "message": "no" })
    );
}

#[tokio::test]
async fn unread_messages_fail_the_test_on_drop() {
    let (editor, mut server) = Server::start();
    let answered = editor.start_request("a", Value::Null).await;
    server.reply(&json!(1), json!([])).await;
    server.reply(&json!(99), json!({})).await;
    server
        .notify("window/logMessage", json!({ "type": 3 }))
        .await;
    server
        .ask(json!(4), "workspace/configuration", json!({}))
        .await;
    server.notify("last", Value::Null).await;
    editor.expect_notification("last").await;
    assert!(answered.is_answered());
    expect![[r#"
        the test left messages unread:
          reply to id 99: {}
          notification window/logMessage {"type":3}
          request workspace/configuration (id 4) {}
          reply to id 1: []"#]]
    .assert_eq(&drop_text(editor));
}

#[tokio::test]
async fn ignored_and_abandoned_messages_do_not_fail_the_test() {
    let (editor, mut server) = Server::start();
    editor.start_request("a", Value::Null).await.abandon();
    server.notify("log", Value::Null).await;
    server.notify("mark", json!(1)).await;
    editor.expect_notification("mark").await;
    editor.ignore("log");
    server.notify("log", Value::Null).await;
    server.reply(&json!(1), json!("late")).await;
    server.notify("mark", json!(2)).await;
    assert_eq!(editor.expect_notification("mark").await, json!(2));
    assert_eq!(editor.try_next_message(), None);
}

#[tokio::test]
async fn a_second_reply_to_one_request_is_found_out() {
    let (editor, mut server) = Server::start();
    let pending = editor.start_request("a", Value::Null).await;
    server.reply(&json!(1), json!("first")).await;
    server.reply(&json!(1), json!("second")).await;
    server.notify("mark", Value::Null).await;
    editor.expect_notification("mark").await;
    assert_eq!(pending.result().await, Ok(json!("first")));
    assert!(drop_text(editor).contains(r#"reply to id 1: "second""#));
}

#[tokio::test]
async fn finish_plays_shutdown_and_exit_and_sees_the_end() {
    let (editor, server) = Server::start();
    tokio::join!(editor.finish(), server.run_to_exit());
}

#[tokio::test]
async fn finish_reports_a_message_sent_at_the_very_end() {
    let (editor, mut server) = Server::start();
    let farewell = async {
        server.receive().await;
        server.reply(&json!(1), Value::Null).await;
        server.receive().await;
        server.notify("bye", Value::Null).await;
        drop(server);
    };
    let (text, ()) = tokio::join!(panic_text(editor.finish()), farewell);
    assert_eq!(
        text,
        "the test left messages unread:\n  notification bye null"
    );
}

#[tokio::test(start_paused = true)]
async fn a_wait_without_end_says_what_was_awaited_and_what_came() {
    let (editor, mut server) = Server::start();
    server.notify("other", json!({ "n": 1 })).await;
    let text = panic_text(async { drop(editor.expect_notification("wanted").await) }).await;
    expect![[r#"
        nothing happened within 60s: awaited the notification wanted
        unread:
          notification other {"n":1}
        the last arrivals, at most 40:
          notification other {"n":1}
    "#]]
    .assert_eq(&text);
    editor.abandon();
}

#[tokio::test(start_paused = true)]
async fn a_server_that_reads_nothing_ends_the_wait() {
    let (editor, _server) = Server::start();
    let text = panic_text(editor.notify("big", json!("x".repeat(100_000)))).await;
    assert!(text.contains("the server reads no input; 100"), "{text}");
}

#[tokio::test]
async fn bytes_that_are_not_the_protocol_end_the_test() {
    for (bytes, reason) in [
        (&b"panicked at src/main.rs\n"[..], "the header line"),
        (b"Content-Length: 4\r\n\r\n{}", "ended inside a frame"),
        (b"Content-Length: 2\r\n\r\n{]", "not JSON"),
        (b"Content-Type: x\r\n\r\n{}", "without `Content-Length`"),
        (b"Content-Length: 2\r\n\r\n{}", "`jsonrpc` is not"),
        (b"Content-Length: 2\n\n{}", "the header line"),
    ] {
        let (editor, mut server) = Server::start();
        server.send_raw(bytes).await;
        drop(server);
        let ending = editor.wait_closed().await;
        assert!(
            matches!(&ending, Ending::Broken(found) if found.contains(reason)),
            "{ending:?} for {reason}"
        );
        assert!(drop_text(editor).contains("not the protocol"));
    }
}

#[tokio::test(start_paused = true)]
async fn a_client_that_stops_reading_lets_the_pipe_fill_up() {
    let (editor, mut server) = Server::start();
    editor.stop_reading();
    // The one message that may still be taken.
    server.notify("first", Value::Null).await;
    let second = server.notify("second", json!("x".repeat(200_000)));
    // On the paused clock this expires only when no task can go on.
    let stuck = tokio::time::timeout(Duration::from_secs(1), second).await;
    assert!(stuck.is_err());
    editor.abandon();
}

#[tokio::test]
async fn a_client_can_read_on_and_close_its_side() {
    let (editor, mut server) = Server::start();
    editor.stop_reading();
    server.notify("late", Value::Null).await;
    editor.resume_reading();
    editor.expect_notification("late").await;
    editor.close_input().await;
    assert_eq!(read_frame(&mut server.input).await, Ok(None));
    assert!(editor.send_raw(b"more").await.is_err());
}

//! Bytes that no editor should send. A JSON-RPC error or a clean end; never a panic, and memory
//! stays bounded.

use std::fs;
use std::process::Stdio;
use std::time::Duration;

use pollux_testkit::fake_editor::{FakeEditor, InitializeOptions, Message, encode_frame};
use pollux_testkit::mirror_buffer::{Position, TextChange};
use rustix::process::Pid;
use serde_json::{Value, json};
use tokio::io::AsyncWriteExt;

use crate::support::world::{Door, World, kill};
use crate::support::{in_root, snapshot_where, text};

const URI: &str = "file:///w/a.txt";

/// What a message of two hundred megabytes must not leave behind.
const BOUNDED: u64 = 150 * 1024 * 1024;

/// The most memory a process has ever had.
fn peak_memory(pid: Pid) -> u64 {
    let status = fs::read_to_string(format!("/proc/{}/status", pid.as_raw_nonzero())).unwrap();
    let line = status
        .lines()
        .find(|line| line.starts_with("VmHWM:"))
        .unwrap();
    let kilobytes: u64 = line.split_whitespace().nth(1).unwrap().parse().unwrap();
    kilobytes * 1024
}

fn header(length: usize) -> Vec<u8> {
    format!("Content-Length: {length}\r\n\r\n").into_bytes()
}

fn framed(body: &[u8]) -> Vec<u8> {
    [header(body.len()), body.to_vec()].concat()
}

/// A door whose document says whether it still works.
async fn open_door(world: &World) -> (FakeEditor, Door) {
    let (editor, door) = world.door(&["lsp"]);
    editor.initialize(in_root("/w")).await;
    // A lost message makes every text suspect; a plain client is told so in its log.
    editor.ignore("window/logMessage");
    (editor, door)
}

/// Expects an error that belongs to no request.
async fn expect_error(editor: &FakeEditor, code: i64, about: &str) {
    let Message::Response { id, result } = editor.next_message().await else {
        panic!("not a reply");
    };
    let error = result.unwrap_err();
    assert_eq!((id, error.code), (None, code), "{error}");
    assert!(error.message.contains(about), "{error}");
}

async fn expect_alive_and_finish(world: World, editor: FakeEditor, mut door: Door) {
    editor.open(URI, "plaintext", "alive").await;
    assert_eq!(text(&editor, URI).await, "alive");
    for pid in [door.pid(), world.host()] {
        let peak = peak_memory(pid);
        assert!(peak < BOUNDED, "{peak} bytes at most");
    }
    editor.finish().await;
    assert!(door.ended().await.success());
    world.expect_no_process_left().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn bodies_that_are_no_messages_are_answered_one_by_one() {
    let world = World::new();
    let (editor, door) = open_door(&world).await;
    let deep = format!(
        r#"{{"jsonrpc":"2.0","method":"x","params":{}{}}}"#,
        "[".repeat(500),
        "]".repeat(500)
    );
    let cases: [(&[u8], i64, &str); 6] = [
        (b"not json", -32700, "not valid JSON"),
        (
            b"{\"jsonrpc\":\"2.0\",\"method\":\"\xff\xfe\"}",
            -32700,
            "utf-8",
        ),
        (b"[]", -32600, "neither a request nor a reply"),
        (br#"{"method":"no version"}"#, -32600, "jsonrpc"),
        (
            br#"{"jsonrpc":"2.0","method":"x","params":1e400}"#,
            -32700,
            "out of range",
        ),
        (deep.as_bytes(), -32700, "recursion limit"),
    ];
    for (body, code, about) in cases {
        editor.send_raw(&framed(body)).await.unwrap();
        expect_error(&editor, code, about).await;
    }
    expect_alive_and_finish(world, editor, door).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_header_with_a_wrong_length_costs_one_message() {
    let world = World::new();
    let (editor, door) = open_door(&world).await;
    let request = br#"{"jsonrpc":"2.0","id":"mine","method":"shutdown?"}"#;
    // Too short: the rest of the body is garbage before the next header.
    editor
        .send_raw(&[header(request.len() - 9), request.to_vec()].concat())
        .await
        .unwrap();
    expect_error(&editor, -32700, "not valid JSON").await;
    editor.open("file:///w/b", "plaintext", "b").await;
    expect_error(&editor, -32700, "header").await;
    // Too long: it swallows the start of the next message.
    editor
        .send_raw(&[header(request.len() + 5), request.to_vec()].concat())
        .await
        .unwrap();
    editor.open("file:///w/c", "plaintext", "c").await;
    expect_error(&editor, -32700, "not valid JSON").await;
    expect_error(&editor, -32700, "header").await;
    // What is left of that message ends where the next one starts.
    editor.open("file:///w/d", "plaintext", "d").await;
    expect_error(&editor, -32700, "header").await;
    expect_alive_and_finish(world, editor, door).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_message_of_two_hundred_megabytes_is_refused_and_not_kept() {
    let world = World::new();
    let (editor, door) = open_door(&world).await;
    let length = 200 * 1024 * 1024;
    editor.send_raw(&header(length)).await.unwrap();
    let piece = vec![b'x'; 1024 * 1024];
    for _ in 0..200 {
        editor.send_raw(&piece).await.unwrap();
    }
    expect_error(&editor, -32600, "209715200 bytes").await;
    expect_alive_and_finish(world, editor, door).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_edit_that_was_too_large_is_asked_for_again() {
    let world = World::new();
    let (editor, door) = world.door(&["lsp"]);
    let resyncs = InitializeOptions {
        capabilities: json!({ "experimental": { "pollux": { "resync": true } } }),
        ..in_root("/w")
    };
    editor.initialize(resyncs).await;
    editor.open(URI, "plaintext", "small").await;
    let huge = TextChange::insert(Position::new(0, 0), "x".repeat(65 * 1024 * 1024));
    editor.change(URI, 2, &[huge]).await;
    assert_eq!(
        editor.expect_notification("pollux/resync").await,
        json!({ "uri": URI })
    );
    // The host asks and the door refuses: either may be first.
    expect_error(&editor, -32600, "over the limit").await;
    editor
        .change(URI, 3, &[TextChange::full("in step again")])
        .await;
    assert_eq!(text(&editor, URI).await, "in step again");
    expect_alive_and_finish(world, editor, door).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn garbage_without_end_ends_the_door_and_nothing_else() {
    let world = World::new();
    let (other, other_door) = open_door(&world).await;
    let mut child = world
        .pollux(&["lsp"])
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let garbage: Vec<u8> = (0..=255u8).cycle().take(1024 * 1024).collect();
    let sent = async {
        for _ in 0..64 {
            if stdin.write_all(&garbage).await.is_err() {
                return;
            }
        }
    };
    sent.await;
    let status = tokio::time::timeout(Duration::from_secs(5), child.wait()).await;
    assert_eq!(status.unwrap().unwrap().code(), Some(1));
    expect_alive_and_finish(world, other, other_door).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn unknown_methods_and_requests_before_initialize_get_their_errors() {
    let world = World::new();
    let (editor, door) = world.door(&["lsp"]);
    let early = editor
        .request("pollux/snapshot", json!({}))
        .await
        .unwrap_err();
    assert_eq!(early.code, -32002, "{early}");
    editor.open(URI, "plaintext", "too early to count").await;
    editor.initialize(in_root("/w")).await;
    editor.ignore("window/logMessage");
    let unknown = editor
        .request("textDocument/telepathy", json!({}))
        .await
        .unwrap_err();
    assert_eq!(unknown.code, -32601, "{unknown}");
    editor.notify("$/unknown", json!({})).await;
    editor
        .notify("unknown/notification", json!({ "x": 1 }))
        .await;
    let twice = editor
        .request("initialize", json!({ "capabilities": {} }))
        .await
        .unwrap_err();
    assert_eq!(twice.code, -32600, "{twice}");
    let wrong = editor
        .request("pollux/document", json!({ "uri": 7 }))
        .await
        .unwrap_err();
    assert_eq!(wrong.code, -32602, "{wrong}");
    let closed = editor
        .request("pollux/document", json!({ "uri": "file:///no" }))
        .await
        .unwrap_err();
    assert!(closed.message.contains("is not open"), "{closed}");
    let command = json!({ "command": "pollux.nothing" });
    let no_command = editor
        .request("workspace/executeCommand", command)
        .await
        .unwrap_err();
    assert_eq!(no_command.code, -32602, "{no_command}");
    // Parameters that do not fit: the notification is dropped, the texts are suspect.
    editor
        .notify("textDocument/didChange", json!({ "textDocument": 7 }))
        .await;
    editor.notify("textDocument/didClose", Value::Null).await;
    expect_alive_and_finish(world, editor, door).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn half_a_surrogate_pair_does_not_shift_what_follows() {
    let world = World::new();
    let (editor, door) = open_door(&world).await;
    let item = r#"{"uri":"file:///w/a.txt","languageId":"x","version":1,"text":"a\ud83db"}"#;
    let open = format!(
        r#"{{"jsonrpc":"2.0","method":"textDocument/didOpen","params":{{"textDocument":{item}}}}}"#
    );
    editor.send_raw(&framed(open.as_bytes())).await.unwrap();
    editor
        .change(URI, 2, &[TextChange::insert(Position::new(0, 2), "!")])
        .await;
    assert_eq!(text(&editor, URI).await, "a\u{fffd}!b");
    expect_alive_and_finish(world, editor, door).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_that_never_reads_costs_nobody_else_anything() {
    let world = World::new();
    let (other, other_door) = open_door(&world).await;
    // Its standard output stays open, and nobody takes anything off it.
    let mut deaf = world
        .pollux(&["lsp"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let deaf_pid = Pid::from_raw(deaf.id().unwrap().cast_signed()).unwrap();
    let mut stdin = deaf.stdin.take().unwrap();
    let initialize = json!({ "capabilities": {}, "rootUri": "file:///w" });
    let initialize =
        json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": initialize });
    stdin.write_all(&encode_frame(&initialize)).await.unwrap();
    snapshot_where(&other, |now| now["room"]["doors"] == 2).await;
    let item = json!({ "uri": URI, "languageId": "x", "version": 1, "text": "x".repeat(100_000) });
    let open = json!({ "jsonrpc": "2.0", "method": "textDocument/didOpen", "params": { "textDocument": item } });
    stdin.write_all(&encode_frame(&open)).await.unwrap();
    // Asks until nothing is taken any more: every buffer on the way is full.
    let mut asked = 0;
    loop {
        asked += 1;
        let ask = json!({ "jsonrpc": "2.0", "id": asked, "method": "pollux/document", "params": { "uri": URI } });
        let ask = encode_frame(&ask);
        let taken = stdin.write_all(&ask);
        if tokio::time::timeout(Duration::from_millis(500), taken)
            .await
            .is_err()
        {
            break;
        }
        assert!(asked < 200_000, "something on the way has no bound");
    }
    for pid in [deaf_pid, world.host()] {
        let peak = peak_memory(pid);
        assert!(peak < 2 * BOUNDED, "{peak} bytes after {asked} requests");
    }
    // The others do not even notice.
    other.open("file:///w/b", "plaintext", "quick").await;
    assert_eq!(text(&other, "file:///w/b").await, "quick");
    kill(deaf_pid);
    deaf.wait().await.unwrap();
    snapshot_where(&other, |now| now["room"]["doors"] == 1).await;
    expect_alive_and_finish(world, other, other_door).await;
}

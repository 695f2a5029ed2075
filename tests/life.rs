//! What must not end a server, and what must.

use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::timeout;

use crate::support::world::{World, expect_end_of};
use crate::support::{Server, Way, in_root, never, text};
use pollux_testkit::fake_editor::InitializeOptions;

const URI: &str = "file:///w/a.txt";

async fn exit_ends_it_within_a_second(arguments: &[&str]) {
    let world = World::new();
    let (editor, mut door) = world.door(arguments);
    editor.initialize(in_root("/w")).await;
    let stuck = editor.start_request("pollux/snapshot", never()).await;
    editor.request("shutdown", Value::Null).await.unwrap();
    editor.notify("exit", Value::Null).await;
    let status = timeout(Duration::from_secs(1), door.ended()).await;
    assert!(status.expect("within a second").success());
    stuck.abandon();
    // Its standard input was open all the while.
    editor.close_input().await;
    world.expect_no_process_left().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn exit_with_stdin_open_ends_the_door_within_a_second() {
    exit_ends_it_within_a_second(&["lsp"]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn exit_with_stdin_open_ends_a_door_without_a_host_within_a_second() {
    exit_ends_it_within_a_second(&["lsp", "--no-share"]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn exit_without_shutdown_is_a_failure() {
    let world = World::new();
    let (editor, mut door) = world.door(&["lsp"]);
    editor.initialize(in_root("/w")).await;
    editor.notify("exit", Value::Null).await;
    assert_eq!(door.ended().await.code(), Some(1));
    world.expect_no_process_left().await;
}

async fn a_late_reply_is_survived(way: Way) {
    let (editor, server) = Server::start(way);
    let shows_progress = InitializeOptions {
        capabilities: json!({ "window": { "workDoneProgress": true } }),
        ..in_root("/w")
    };
    editor.initialize(shows_progress).await;
    let command = json!({ "command": "pollux.doctor" });
    let doctor = editor
        .start_request("workspace/executeCommand", command)
        .await;
    // The handler waits for the client here, and is cancelled while it does.
    let (id, _) = editor
        .expect_request("window/workDoneProgress/create")
        .await;
    doctor.cancel().await;
    doctor.result().await.unwrap_err();
    editor.respond(&id, Value::Null).await;
    editor.respond(&id, Value::Null).await;
    editor.open(URI, "plaintext", "alive").await;
    assert_eq!(text(&editor, URI).await, "alive");
    server.finish(editor).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reply_after_its_waiter_is_gone_is_survived_in_memory() {
    a_late_reply_is_survived(Way::Memory).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reply_after_its_waiter_is_gone_is_survived_over_stdio() {
    a_late_reply_is_survived(Way::Shared).await;
}

async fn a_panic_is_survived(way: Way) {
    let (editor, server) = Server::start(way);
    editor.initialize(in_root("/w")).await;
    editor.open(URI, "plaintext", "alive").await;
    let command = json!({ "command": "pollux.debug.panic" });
    let error = editor.request("workspace/executeCommand", command).await;
    let error = error.unwrap_err();
    assert_eq!(error.code, -32603);
    assert!(error.message.contains("internal error"), "{error}");
    assert_eq!(text(&editor, URI).await, "alive");
    match server {
        Server::Binary { world, mut door } => {
            editor.finish().await;
            assert!(door.ended().await.success());
            assert!(
                world.log().contains("panicked at"),
                "the log has the details"
            );
        }
        memory @ Server::Memory => memory.finish(editor).await,
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_panicking_handler_is_survived_in_memory() {
    a_panic_is_survived(Way::Memory).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_panicking_handler_is_survived_over_stdio() {
    a_panic_is_survived(Way::Shared).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_broken_stdout_is_survived_and_edits_still_count() {
    let world = World::new();
    let (watcher, mut watching_door) = world.door(&["lsp"]);
    watcher.initialize(in_root("/w")).await;
    let mut deaf = world
        .pollux(&["lsp"])
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    drop(deaf.stdout.take());
    let mut stdin = deaf.stdin.take().unwrap();
    let item = json!({ "uri": URI, "languageId": "plaintext", "version": 1, "text": "from a deaf editor" });
    for message in [
        json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": { "capabilities": {}, "rootUri": "file:///w" } }),
        json!({ "jsonrpc": "2.0", "method": "initialized", "params": {} }),
    ] {
        send(&mut stdin, &message).await;
    }
    // Until it has entered, what it opens would not count; the room says when.
    crate::support::snapshot_where(&watcher, |now| now["room"]["doors"] == 2).await;
    let open = json!({ "jsonrpc": "2.0", "method": "textDocument/didOpen", "params": { "textDocument": item } });
    send(&mut stdin, &open).await;
    crate::support::snapshot_where(&watcher, |now| now["documents"][0]["uri"] == URI).await;
    assert_eq!(text(&watcher, URI).await, "from a deaf editor");

    drop(stdin);
    timeout(Duration::from_secs(5), deaf.wait())
        .await
        .unwrap()
        .unwrap();
    crate::support::snapshot_where(&watcher, |now| now["room"]["doors"] == 1).await;
    watcher.finish().await;
    watching_door.ended().await;
    world.expect_no_process_left().await;
}

async fn send(stdin: &mut tokio::process::ChildStdin, message: &Value) {
    use tokio::io::AsyncWriteExt;
    stdin
        .write_all(&pollux_testkit::fake_editor::encode_frame(message))
        .await
        .unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn the_host_ends_a_short_time_after_its_last_door() {
    let world = World::new();
    let (editor, mut door) = world.door(&["lsp"]);
    editor.initialize(in_root("/w")).await;
    let host = world.host();
    editor.finish().await;
    door.ended().await;
    expect_end_of(host).await;
    let left: Vec<_> = std::fs::read_dir(world.run())
        .unwrap()
        .flatten()
        .map(|entry| entry.path())
        .collect();
    assert!(
        left.iter().all(|path| path.extension().unwrap() != "sock"),
        "{left:?}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn work_that_takes_long_is_shown_and_can_be_stopped() {
    let (editor, server) = Server::start(Way::Shared);
    editor.initialize(in_root("/w")).await;
    let command = json!({ "command": "pollux.doctor", "workDoneToken": "mine" });
    let report = editor.request("workspace/executeCommand", command).await;
    assert!(report.unwrap().as_str().unwrap().contains("pollux"));
    let begun = editor.expect_notification("$/progress").await;
    assert_eq!(
        (&begun["token"], &begun["value"]["kind"]),
        (&json!("mine"), &json!("begin"))
    );
    let ended = editor.expect_notification("$/progress").await;
    assert_eq!(ended["value"]["kind"], "end");
    // A client may cancel what has ended; nothing happens.
    editor
        .notify("window/workDoneProgress/cancel", json!({ "token": "mine" }))
        .await;
    server.finish(editor).await;
}

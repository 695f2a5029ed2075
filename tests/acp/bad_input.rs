//! Lines that are no messages, and messages that mean nothing. The connection lives.

use std::time::Duration;

use serde_json::json;
use tokio::io::AsyncWriteExt;
use tokio::time::timeout;

use super::client::PATIENCE;
use crate::support::World;
use crate::support::wire::Wire;

fn open(world: &World, words: &[&str]) -> Wire {
    Wire::open(world.pollux(words).env("GEMINI_MODEL", "demo"))
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_that_reads_nothing_and_closes_its_end_is_let_go() {
    const SOON: Duration = Duration::from_secs(5);
    let world = World::new();
    let mut wire = open(&world, &["acp", "--no-share"]);
    // Each is answered with more than a hundred bytes, and all that is between the two holds less.
    wire.write(&"x\n".repeat(1_700)).await;
    wire.close_within(SOON).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_that_never_stops_speaking_and_reads_nothing_is_let_go() {
    let world = World::new();
    let Wire {
        mut child,
        mut input,
        output: _unread,
    } = open(&world, &["acp", "--no-share"]);
    let lines = "x\n".repeat(1_000);
    let speaking = async { while input.write_all(lines.as_bytes()).await.is_ok() {} };
    timeout(PATIENCE, speaking).await.expect("nobody hears it");
    assert!(child.wait().await.unwrap().success());
}

const HELLO: &str =
    r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1}}"#;

#[tokio::test(flavor = "multi_thread")]
async fn whatever_comes_is_answered_and_the_connection_lives() {
    let world = World::new();
    let mut wire = open(&world, &["acp"]);
    let early = r#"{"jsonrpc":"2.0","id":"a","method":"session/list","params":{}}"#;
    let answer = wire.ask(early).await;
    assert_eq!(answer["id"], "a");
    assert_eq!(answer["error"]["code"], -32600);
    assert_eq!(wire.ask(HELLO).await["result"]["protocolVersion"], 1);
    for (line, id, code) in [
        ("{", json!(null), -32700),
        ("[]", json!(null), -32600),
        ("\"text\"", json!(null), -32600),
        ("{}", json!(null), -32600),
        (r#"{"id":7}"#, json!(7), -32600),
        (r#"{"id":1.5,"method":"session/list"}"#, json!(null), -32600),
        (r#"{"id":8,"method":"session/nothing"}"#, json!(8), -32601),
        (
            r#"{"id":9,"method":"_own/thing","params":{}}"#,
            json!(9),
            -32601,
        ),
        (
            r#"{"id":10,"method":"session/new","params":{"cwd":7}}"#,
            json!(10),
            -32602,
        ),
        (
            r#"{"id":11,"method":"session/prompt","params":[]}"#,
            json!(11),
            -32602,
        ),
    ] {
        let answer = wire.ask(line).await;
        assert_eq!(answer["id"], id, "{line}: {answer}");
        assert_eq!(answer["error"]["code"], code, "{line}: {answer}");
    }
    // What needs no answer gets none, and answers to nothing are let go.
    for line in [
        "",
        "   ",
        r#"{"method":"session/cancel","params":{"sessionId":"nobody"}}"#,
        r#"{"method":"session/cancel","params":"x"}"#,
        r#"{"method":"$/cancel_request","params":{"requestId":99}}"#,
        r#"{"method":"something/else"}"#,
        r#"{"id":4711,"result":null}"#,
        r#"{"id":"x","error":{"code":1,"message":"no"}}"#,
    ] {
        wire.write(line).await;
    }
    let answer = wire.ask(r#"{"id":12,"method":"session/list"}"#).await;
    assert_eq!(answer["id"], 12, "{answer}");
    assert_eq!(answer["result"]["sessions"], json!([]));
    wire.close().await;
    world.expect_no_process_left().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_line_without_end_costs_no_memory_and_the_next_is_read() {
    let world = World::new();
    let mut wire = open(&world, &["acp"]);
    wire.ask(HELLO).await;
    let piece = "x".repeat(1024 * 1024);
    for _ in 0..40 {
        wire.input.write_all(piece.as_bytes()).await.unwrap();
    }
    let answer = wire.ask("").await;
    assert_eq!(answer["error"]["code"], -32600);
    let said = answer["error"]["message"].as_str().unwrap();
    assert!(said.contains("bytes at most"), "{said}");
    let answer = wire.ask(r#"{"id":1,"method":"session/list"}"#).await;
    assert_eq!(answer["id"], 1);
    wire.close().await;
    world.expect_no_process_left().await;
}

//! Whoever should not get in, and whoever got in and wants too much.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use serde_json::{Value, json};
use tokio::io::AsyncWriteExt;

use super::agent::{Agent, address};
use super::{finish, window, window_and_agent, write};
use crate::support::World;

fn with(mut headers: Vec<(String, String)>, name: &str, value: &str) -> Vec<(String, String)> {
    headers.retain(|(known, _)| known != name);
    if !value.is_empty() {
        headers.push((name.to_owned(), value.to_owned()));
    }
    headers
}

#[tokio::test]
async fn without_the_token_or_from_a_page_nobody_gets_in() {
    let world = World::new();
    let (editor, door) = window(&world).await;
    let address = address(&world).await;
    let ping = json!({ "jsonrpc": "2.0", "id": 1, "method": "ping" });
    let port = address.port;
    for (name, value, status) in [
        ("Authorization", String::new(), 401),
        ("Authorization", "Bearer wrong".to_owned(), 401),
        ("Authorization", format!("Bearer {}x", address.token), 401),
        ("Host", format!("rebound.example:{port}"), 403),
        ("Host", format!("host.docker.internal:{port}"), 403),
        ("Host", "127.0.0.1".to_owned(), 403),
        ("Origin", "https://page.example".to_owned(), 403),
        ("Origin", "null".to_owned(), 403),
        ("Content-Type", "text/plain".to_owned(), 415),
    ] {
        let headers = with(address.headers(), name, &value);
        assert_eq!(
            address.post(&headers, &ping).await.status,
            status,
            "{name}: {value}"
        );
        if status != 415 {
            assert_eq!(
                address.send("GET", &headers, b"").await.status,
                status,
                "{name}: {value}"
            );
        }
    }
    assert!(world.log().contains("the token is missing or wrong"));
    assert!(world.log().contains("a program in a container"));
    assert!(!world.log().contains(&address.token));
    finish(&world, editor, door).await;
}

#[tokio::test]
async fn what_is_not_the_protocol_is_refused() {
    let world = World::new();
    let (editor, door, mut agent) = window_and_agent(&world).await;
    let address = agent.address.clone();
    let ping = json!({ "jsonrpc": "2.0", "id": 1, "method": "ping" });
    // No session, and one that nobody has.
    assert_eq!(address.post(&address.headers(), &ping).await.status, 400);
    let stranger = with(
        agent.headers(),
        "Mcp-Session-Id",
        "00000000-0000-0000-0000-000000000000",
    );
    assert_eq!(address.post(&stranger, &ping).await.status, 404);
    assert_eq!(address.send("GET", &stranger, b"").await.status, 404);
    assert_eq!(address.send("PUT", &agent.headers(), b"").await.status, 405);
    for garbage in [
        &b"{"[..],
        b"[]",
        b"null",
        b"{\"jsonrpc\":\"1.0\"}",
        b"{\"jsonrpc\":\"2.0\",\"id\":null,\"method\":\"ping\"}",
        b"\xff",
    ] {
        assert_eq!(
            address.send("POST", &agent.headers(), garbage).await.status,
            400,
            "{garbage:?}"
        );
    }
    let deep = "[".repeat(100_000);
    assert_eq!(
        address
            .send("POST", &agent.headers(), deep.as_bytes())
            .await
            .status,
        400
    );
    assert_eq!(
        agent.request("tools/none", json!({})).await["error"]["code"],
        -32601
    );
    for wrong in [
        json!({}),
        json!({ "name": "rm" }),
        json!({ "name": "openDiff", "arguments": { "filePath": 1 } }),
    ] {
        assert_eq!(
            agent.request("tools/call", wrong).await["error"]["code"],
            -32602
        );
    }
    // It goes on as if nothing had been.
    let tools = agent.request("tools/list", json!({})).await;
    let names: Vec<&Value> = tools["result"]["tools"]
        .as_array()
        .unwrap()
        .iter()
        .map(|tool| &tool["name"])
        .collect();
    assert_eq!(names, ["openDiff", "closeDiff"]);
    finish(&world, editor, door).await;
}

#[tokio::test]
async fn a_body_that_is_too_large_is_not_read() {
    let world = World::new();
    let (editor, door, mut agent) = window_and_agent(&world).await;
    let address = agent.address.clone();
    let large = vec![b' '; 10 * 1024 * 1024 + 1];
    assert_eq!(
        address.send("POST", &agent.headers(), &large).await.status,
        413
    );
    // Nor when its length is not told before.
    let headers = with(agent.headers(), "Transfer-Encoding", "chunked");
    let mut stream = address.begin("POST", &headers, 0).await;
    let chunk = [b"100000\r\n".as_slice(), &[b' '; 0x0010_0000], b"\r\n"].concat();
    for _ in 0..64 {
        if stream.write_all(&chunk).await.is_err() {
            break;
        }
    }
    drop(stream);
    assert_eq!(agent.request("ping", json!({})).await["result"], json!({}));
    finish(&world, editor, door).await;
}

#[tokio::test]
async fn files_that_are_none_of_the_rooms_business_are_refused_in_words() {
    let world = World::new();
    let (editor, door, mut agent) = window_and_agent(&world).await;
    let secret = world.home().join("secret");
    fs::write(&secret, "secret\n").unwrap();
    symlink(&secret, world.work().join("link")).unwrap();
    symlink(world.home(), world.work().join("folder")).unwrap();
    fs::create_dir(world.work().join(".git")).unwrap();
    let work = world.work();
    let work = work.to_str().unwrap();
    for path in [
        secret.to_str().unwrap(),
        "secret",
        "../home/secret",
        &format!("{work}/../home/secret"),
        &format!("{work}/./../home/secret"),
        &format!("{work}/link"),
        &format!("{work}/folder/secret"),
        &format!("{work}/folder/new"),
        &format!("{work}/.git/config"),
        &format!("{work}/a\u{0}b"),
        work,
        "/etc/passwd",
        "",
    ] {
        let result = agent.open_diff(Path::new(path), "taken over\n").await;
        let said = result["content"][0]["text"].as_str().unwrap();
        assert!(
            said.starts_with("The edit is not shown: "),
            "{path}: {said}"
        );
        let outcome = agent.outcome().await;
        assert_eq!(
            outcome,
            ("ide/diffRejected".to_owned(), json!({ "filePath": path }))
        );
        assert!(!said.contains("secret\n"));
    }
    assert!(world.log().contains("an edit is refused"));
    assert_eq!(fs::read_to_string(&secret).unwrap(), "secret\n");
    finish(&world, editor, door).await;
}

#[tokio::test]
async fn a_flood_of_sessions_pushes_nobody_out_who_is_there() {
    let world = World::new();
    let (editor, door, mut agent) = window_and_agent(&world).await;
    let address = agent.address.clone();
    let client = json!({ "name": "flood", "version": "1" });
    for _ in 0..200 {
        assert_eq!(address.initialize(client.clone()).await.status, 200);
    }
    assert_eq!(agent.request("ping", json!({})).await["result"], json!({}));
    // With a stream each, they are turned away when there are too many.
    let mut there = Vec::new();
    let refused = loop {
        let answer = address.initialize(client.clone()).await;
        if answer.status != 200 {
            break answer.status;
        }
        there.push(Agent::connect_as(address.clone(), client.clone()).await);
        assert!(there.len() < 64);
    };
    assert_eq!(refused, 503);
    assert_eq!(agent.request("ping", json!({})).await["result"], json!({}));
    drop(there);
    finish(&world, editor, door).await;
}

#[tokio::test]
async fn a_flood_of_edits_is_bounded() {
    let world = World::new();
    let (editor, door, mut agent) = window_and_agent(&world).await;
    let mut refused = 0;
    for number in 0..20 {
        let path = write(&world, &format!("{number}.txt"), "a\n");
        let result = agent.open_diff(&path, "b\n").await;
        refused += result["content"].as_array().unwrap().len();
    }
    assert_eq!(refused, 4);
    finish(&world, editor, door).await;
}

//! A client that asks for more than anybody needs costs the host little, and the other clients nothing.

use std::fs;
use std::path::PathBuf;

use rustix::process::Pid;
use serde_json::{Value, json};
use tokio::io::AsyncWriteExt;

use crate::support::count;
use crate::support::wire::Wire;
use crate::support::world::World;

const HELLO: &str =
    r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1}}"#;

/// In kilobytes, what 10,000 lists may take at most. Ten that are made at once of a record of 10 MB take more.
const LITTLE: usize = 40_000;

fn status(host: Pid, field: &str) -> usize {
    let status = fs::read_to_string(format!("/proc/{}/status", host.as_raw_nonzero())).unwrap();
    let line = status.lines().find(|line| line.starts_with(field)).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

fn list(id: usize) -> String {
    json!({ "jsonrpc": "2.0", "id": id, "method": "session/list", "params": {} }).to_string()
}

/// Clients of one host, in a folder with a recorded session of 10 MB.
struct Clients {
    world: World,
}

impl Clients {
    async fn start() -> (Self, Wire) {
        let clients = Self {
            world: World::new(),
        };
        let mut first = clients.open().await;
        let work = clients.world.work();
        let new = json!({ "jsonrpc": "2.0", "id": 1, "method": "session/new", "params": {
            "cwd": work, "mcpServers": [],
        }});
        first.write(&new.to_string()).await;
        first.until(|message| message["id"] == 1).await;
        fs::write(clients.record(), record()).unwrap();
        (clients, first)
    }

    async fn open(&self) -> Wire {
        let mut command = self.world.pollux(&["acp"]);
        let mut wire = Wire::open(command.env("GEMINI_MODEL", "demo"));
        wire.ask(HELLO).await;
        wire
    }

    fn record(&self) -> PathBuf {
        let projects = fs::read_dir(self.world.home().join(".gemini/tmp")).unwrap();
        let mut folders = projects.map(|entry| entry.unwrap().path());
        let folder = folders.find(|path| path.is_dir()).unwrap();
        let chats = folder.join("chats");
        fs::create_dir_all(&chats).unwrap();
        chats.join("session-2026-01-02T03-04-aaaaaaaa.jsonl")
    }
}

/// A session of a thousand messages, ten kilobytes each.
fn record() -> String {
    let time = "2026-01-02T03:04:05.000Z";
    let head = json!({
        "sessionId": "aaaaaaaa-0000-4000-8000-000000000000", "projectHash": "x",
        "startTime": time, "lastUpdated": time,
    });
    let mut text = format!("{head}\n");
    for number in 0..1_000 {
        let kind = ["user", "gemini"][number % 2];
        let content = format!("message {number} {}", "x".repeat(10_000));
        let message = json!({ "id": format!("m{number}"), "timestamp": time, "type": kind, "content": content });
        text += &format!("{message}\n");
    }
    text
}

/// What the client was told about the large session.
fn title(answer: &Value) -> &str {
    let sessions = answer["result"]["sessions"].as_array().unwrap();
    sessions.last().unwrap()["title"].as_str().unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn ten_thousand_lists_beside_a_large_session_take_little_memory() {
    let lists = count("POLLUX_TEST_LISTS", 2_000);
    let (clients, mut other) = Clients::start().await;
    other.write(&list(2)).await;
    let answer = other.until(|message| message["id"] == 2).await;
    assert!(title(&answer).starts_with("message 0 "), "{answer}");
    let host = clients.world.host();
    let before = status(host, "VmHWM:");

    let Wire {
        child: mut flooding,
        mut input,
        output: mut answers,
    } = clients.open().await;
    let asking = async {
        for id in 1..=lists {
            input.write_all(list(id).as_bytes()).await.unwrap();
            input.write_all(b"\n").await.unwrap();
        }
    };
    let reading = async {
        let mut answered = 0;
        while answered < lists {
            let line = answers.next_line().await.unwrap().expect("it is answered");
            let message: Value = serde_json::from_str(&line).unwrap();
            if message["id"].is_number() {
                assert!(title(&message).starts_with("message 0 "), "{message}");
                answered += 1;
            }
        }
    };
    let meanwhile = async {
        for id in 10..20 {
            other.write(&list(id)).await;
            other.until(|message| message["id"] == id).await;
        }
    };
    tokio::join!(asking, reading, meanwhile);
    let after = status(host, "VmHWM:");
    assert!(after < before + LITTLE, "{before} kB, then {after} kB");
    let threads = status(host, "Threads:");
    assert!(threads < 50, "{threads} threads");
    drop(input);
    assert!(flooding.wait().await.unwrap().success());
    other.close().await;
    clients.world.expect_no_process_left().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_client_has_asked_for_is_given_up_when_it_is_killed() {
    let (clients, mut other) = Clients::start().await;
    let host = clients.world.host();
    other.write(&list(2)).await;
    other.until(|message| message["id"] == 2).await;
    let before = status(host, "VmHWM:");
    for _ in 0..5 {
        let mut flooding = clients.open().await;
        // More than the host takes from a client that reads nothing, so that it is in the middle of them.
        let asking = async {
            for id in 1..=5_000 {
                let line = format!("{}\n", list(id));
                if flooding.input.write_all(line.as_bytes()).await.is_err() {
                    break;
                }
            }
        };
        let stuck = std::time::Duration::from_millis(300);
        let _it_does_not_get_rid_of_them = tokio::time::timeout(stuck, asking).await;
        flooding.child.kill().await.unwrap();
    }
    other.write(&list(3)).await;
    let answer = other.until(|message| message["id"] == 3).await;
    assert!(title(&answer).starts_with("message 0 "), "{answer}");
    let after = status(host, "VmHWM:");
    assert!(after < before + LITTLE, "{before} kB, then {after} kB");
    other.close().await;
    // The host ends at once, so nothing is being worked on.
    clients.world.expect_no_process_left().await;
}

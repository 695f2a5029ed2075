//! `pollux mcp --http`: the same by a port of this machine.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::Stdio;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpStream;
use tokio::process::Child;
use tokio::time::timeout;

use super::client::{Client, Notice, answered};
use super::following::follow;
use crate::companion::{decide, hunks, window, write};
use crate::support::{World, snapshot};

/// Longer than anything takes on a busy machine.
const PATIENCE: Duration = Duration::from_secs(30);

struct Port {
    child: Child,
    authority: String,
    token_file: PathBuf,
    token: String,
}

impl Port {
    async fn open(world: &World, arguments: &[&str]) -> Self {
        let mut child = world
            .pollux(arguments)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let mut said = async |start: &str| {
            let line = timeout(PATIENCE, lines.next_line()).await.unwrap();
            let line = line.unwrap().unwrap();
            line.strip_prefix(start).unwrap().to_owned()
        };
        let url = said("address: ").await;
        let token_file = PathBuf::from(said("token file: ").await);
        let authority = url.strip_prefix("http://").unwrap();
        Self {
            child,
            authority: authority.strip_suffix("/mcp").unwrap().to_owned(),
            token: fs::read_to_string(&token_file).unwrap(),
            token_file,
        }
    }

    /// The usual headers.
    fn headers(&self) -> Vec<(&'static str, String)> {
        vec![
            ("Host", self.authority.clone()),
            ("Authorization", format!("Bearer {}", self.token)),
        ]
    }

    /// Sends a message on a connection of its own, and returns all that comes back.
    async fn post(&self, headers: &[(&str, String)], message: &Value) -> String {
        let body = message.to_string();
        self.post_body(headers, &body, body.len()).await
    }

    /// The same with a body that may say that it is longer.
    async fn post_body(&self, headers: &[(&str, String)], body: &str, length: usize) -> String {
        let mut request = format!(
            "POST /mcp HTTP/1.1\r\nConnection: close\r\nContent-Type: application/json\r\n\
             Accept: application/json, text/event-stream\r\nContent-Length: {length}\r\n",
        );
        for (name, value) in headers {
            request.push_str(&format!("{name}: {value}\r\n"));
        }
        request.push_str("\r\n");
        request.push_str(body);
        let exchange = async {
            let mut stream = TcpStream::connect(&self.authority).await.unwrap();
            stream.write_all(request.as_bytes()).await.unwrap();
            let mut answer = String::new();
            stream.read_to_string(&mut answer).await.unwrap();
            answer
        };
        timeout(PATIENCE, exchange).await.expect("an answer")
    }

    async fn end(mut self) {
        let pid = i32::try_from(self.child.id().unwrap()).unwrap();
        kill_process(Pid::from_raw(pid).unwrap(), Signal::TERM).unwrap();
        let ended = timeout(PATIENCE, self.child.wait()).await.unwrap();
        assert!(ended.unwrap().success());
        assert!(!self.token_file.exists());
        let refused = TcpStream::connect(&self.authority);
        // The host closes the port when it has seen its door go.
        if let Ok(mut stream) = refused.await {
            let mut nothing = Vec::new();
            let _reset = timeout(PATIENCE, stream.read_to_end(&mut nothing))
                .await
                .unwrap();
            assert!(nothing.is_empty());
        }
    }
}

fn hello() -> Value {
    json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": { "name": "test", "version": "1" },
    } })
}

#[tokio::test]
async fn who_has_the_token_is_told_what_the_editor_shows() {
    let world = World::new();
    let (editor, door) = window(&world).await;
    editor.open(&world.uri("a.txt"), "text", "typed\n").await;
    snapshot(&editor).await;
    let port = Port::open(&world, &["mcp", "--http"]).await;
    let mode = fs::metadata(&port.token_file).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let welcome = port.post(&port.headers(), &hello()).await;
    assert!(welcome.starts_with("HTTP/1.1 200"), "{welcome}");
    let session = welcome
        .lines()
        .find_map(|line| line.strip_prefix("mcp-session-id: "));
    let mut headers = port.headers();
    headers.push(("Mcp-Session-Id", session.unwrap().to_owned()));
    let ready = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
    let accepted = port.post(&headers, &ready).await;
    assert!(accepted.starts_with("HTTP/1.1 202"), "{accepted}");
    let call = json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {
        "name": "read_file", "arguments": { "path": "a.txt" },
    } });
    let answer = port.post(&headers, &call).await;
    assert!(answer.contains(r#""text":"typed\n""#), "{answer}");
    assert!(!world.log().contains(&port.token));
    port.end().await;
    crate::companion::finish(&world, editor, door).await;
}

#[tokio::test]
async fn a_client_by_the_port_is_told_of_changes_and_of_progress() {
    let world = World::new();
    let path = write(&world, "x.txt", "a\nb\nc\nd\ne\n");
    let (editor, door) = window(&world).await;
    editor.open(&world.uri("a.txt"), "text", "one\n").await;
    snapshot(&editor).await;
    let port = Port::open(&world, &["mcp", "--http"]).await;
    let url = format!("http://{}/mcp", port.authority);
    let mut client = Client::by_port(&url, &port.token, port.child).await;
    follow(&client, "pollux://file/a.txt").await;
    let two = [pollux_testkit::TextChange::full("two\n")];
    editor.change(&world.uri("a.txt"), 2, &two).await;
    let updated = |notice: &Notice| matches!(notice, Notice::Updated(_));
    let wanted = Notice::Updated("pollux://file/a.txt".to_owned());
    assert_eq!(client.notice(updated).await, wanted);
    assert_eq!(client.read("pollux://file/a.txt").await.unwrap(), "two\n");

    let edit = json!({ "path": "x.txt", "text": "a\nB\nc\nd\nE\n" });
    let proposed = client.call("propose_edit", edit).await;
    let shown = hunks(&editor, 2).await;
    let waiting = client.begin("wait_for_decision", json!({ "id": proposed["id"] }));
    let waiting = waiting.await;
    for done in [0.0, 1.0] {
        let progress = client.notice(|notice| matches!(notice, Notice::Progress { .. }));
        let wanted = Notice::Progress {
            progress: done,
            total: 2.0,
        };
        assert_eq!(progress.await, wanted);
        let shown = match done > 0.0 {
            true => hunks(&editor, 1).await,
            false => shown.clone(),
        };
        decide(&editor, "pollux.hunk.keep", &shown, 0).await;
    }
    assert_eq!(answered(waiting).await["state"], "kept");
    assert_eq!(fs::read_to_string(path).unwrap(), "a\nB\nc\nd\nE\n");
    let port = Port {
        child: client.leave().await,
        ..port
    };
    port.end().await;
    editor.ignore("pollux/hunks");
    crate::companion::finish(&world, editor, door).await;
}

#[tokio::test]
async fn a_body_that_is_too_large_is_refused_and_the_next_is_heard() {
    let world = World::new();
    let port = Port::open(&world, &["mcp", "--http"]).await;
    // What it says about itself is enough: nothing of it is waited for.
    let answer = port.post_body(&port.headers(), "{", 11_000_000).await;
    assert!(answer.starts_with("HTTP/1.1 413"), "{answer}");
    let answer = port.post(&port.headers(), &hello()).await;
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    port.end().await;
    world.expect_no_process_left().await;
}

#[tokio::test]
async fn nobody_else_gets_in() {
    let world = World::new();
    let port = Port::open(&world, &["mcp", "--http"]).await;
    let host = ("Host", port.authority.clone());
    let bearer = ("Authorization", format!("Bearer {}", port.token));
    let number = port.authority.strip_prefix("127.0.0.1").unwrap();
    let origin = |origin: &str| ("Origin", origin.to_owned());
    let cases = [
        (vec![host.clone()], "401"),
        (
            vec![host.clone(), ("Authorization", "Bearer x".to_owned())],
            "401",
        ),
        (
            vec![("Host", format!("evil.example{number}")), bearer.clone()],
            "403",
        ),
        (
            vec![host.clone(), bearer.clone(), origin("http://evil.example")],
            "403",
        ),
        (
            vec![
                host.clone(),
                bearer.clone(),
                origin(&format!("https://localhost{number}")),
            ],
            "403",
        ),
        (
            vec![
                host.clone(),
                bearer.clone(),
                origin(&format!("http://localhost{number}")),
            ],
            "200",
        ),
        (vec![("Host", format!("localhost{number}")), bearer], "200"),
    ];
    for (headers, status) in cases {
        let answer = port.post(&headers, &hello()).await;
        assert!(
            answer.starts_with(&format!("HTTP/1.1 {status}")),
            "{headers:?}: {answer}"
        );
    }
    port.end().await;
    world.expect_no_process_left().await;
}

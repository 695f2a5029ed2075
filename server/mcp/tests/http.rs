//! Servers that are reached over HTTP.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use pollux_agent::{Offering, ServerStanding};
use pollux_mcp::connect::{Consent, Credentials, OAuth, Vault};
use pollux_model::Http;
use pollux_testkit::ScriptedAuthorization;
use pollux_testkit::scripted_authorization::GOOD_TOKEN;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;

use crate::signing_in::{MINUTE, Memory, Somebody, stored};
use crate::support::{World, standing};

/// Speaks the older transport at `/sse`, and answers 404 to whoever posts there.
struct OldServer {
    address: SocketAddr,
    seen: Arc<Mutex<Vec<String>>>,
    wanted: Wanted,
}

/// The token that is good, where one is wanted.
type Wanted = Arc<Mutex<Option<&'static str>>>;

impl OldServer {
    async fn start(status: &'static str) -> Self {
        let wanted = Wanted::default();
        let lock = Arc::clone(&wanted);
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let seen = Arc::new(Mutex::new(Vec::new()));
        let (events, waiting) = mpsc::unbounded_channel::<String>();
        let waiting = Arc::new(tokio::sync::Mutex::new(waiting));
        let log = Arc::clone(&seen);
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let (log, events, waiting) = (log.clone(), events.clone(), waiting.clone());
                let lock = Arc::clone(&lock);
                tokio::spawn(async move {
                    let _closed = serve(stream, status, &lock, &log, &events, &waiting).await;
                });
            }
        });
        Self {
            address,
            seen,
            wanted,
        }
    }

    fn url(&self) -> String {
        format!("http://{}/sse", self.address)
    }

    fn seen(&self) -> Vec<String> {
        self.seen.lock().unwrap().clone()
    }
}

async fn serve(
    mut stream: TcpStream,
    status: &str,
    wanted: &Wanted,
    log: &Mutex<Vec<String>>,
    events: &mpsc::UnboundedSender<String>,
    waiting: &tokio::sync::Mutex<mpsc::UnboundedReceiver<String>>,
) -> std::io::Result<()> {
    let (line, headers, body) = request(&mut stream).await?;
    let token = headers.get("x-key").cloned().unwrap_or_default();
    log.lock()
        .unwrap()
        .push(format!("{line} {token}").trim().to_owned());
    let given = headers.get("authorization").cloned();
    let wanted = wanted
        .lock()
        .unwrap()
        .map(|token| format!("Bearer {token}"));
    if wanted.is_some() && wanted != given {
        return reply(&mut stream, "401 Unauthorized").await;
    }
    match line.split('?').next().unwrap() {
        "GET /sse" if status == "404 Not Found" => {
            let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n";
            stream.write_all(head.as_bytes()).await?;
            stream
                .write_all(b": hello\n\nevent: endpoint\ndata: /messages\n\n")
                .await?;
            let mut waiting = waiting.lock().await;
            while let Some(event) = waiting.recv().await {
                let event = format!("event: message\ndata: {event}\n\n");
                stream.write_all(event.as_bytes()).await?;
            }
            Ok(())
        }
        "POST /messages" => {
            let message: Value = serde_json::from_slice(&body).unwrap();
            if let Some(answer) = answer(&message) {
                events.send(answer.to_string()).unwrap();
            }
            reply(&mut stream, "202 Accepted").await
        }
        _ => reply(&mut stream, status).await,
    }
}

async fn reply(stream: &mut TcpStream, status: &str) -> std::io::Result<()> {
    let challenge = "www-authenticate: Bearer realm=\"x\"";
    let head = format!(
        "HTTP/1.1 {status}\r\n{challenge}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"
    );
    stream.write_all(head.as_bytes()).await
}

async fn request(
    stream: &mut TcpStream,
) -> std::io::Result<(String, HashMap<String, String>, Vec<u8>)> {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(stream.read_u8().await?);
    }
    let head = String::from_utf8(head).unwrap();
    let mut lines = head.lines();
    let first: Vec<&str> = lines.next().unwrap().split(' ').collect();
    let headers: HashMap<String, String> = lines
        .filter_map(|line| line.split_once(':'))
        .map(|(name, value)| (name.to_lowercase(), value.trim().to_owned()))
        .collect();
    let length = headers
        .get("content-length")
        .map_or(0, |length| length.parse().unwrap());
    let mut body = vec![0; length];
    stream.read_exact(&mut body).await?;
    Ok((format!("{} {}", first[0], first[1]), headers, body))
}

fn answer(message: &Value) -> Option<Value> {
    let id = message.get("id")?;
    let result = match message["method"].as_str()? {
        "initialize" => json!({
            "protocolVersion": message["params"]["protocolVersion"],
            "capabilities": { "tools": {} },
            "serverInfo": { "name": "old", "version": "1" },
        }),
        "tools/list" => {
            json!({ "tools": [{ "name": "old", "inputSchema": { "type": "object" } }] })
        }
        "tools/call" => json!({ "content": [{ "type": "text", "text": "from the old one" }] }),
        _ => return None,
    };
    Some(json!({ "jsonrpc": "2.0", "id": id, "result": result }))
}

#[tokio::test]
async fn mcp_client_1_an_address_alone_falls_back_to_the_older_transport() {
    let server = OldServer::start("404 Not Found").await;
    let entry = json!({ "url": server.url(), "headers": { "X-Key": "${HANDED_ON}!" } });
    let world = World::new(json!({ "s": entry }));
    world.connected("s").await;
    assert_eq!(world.text("s", "old", json!({})).await, "from the old one");
    let seen = server.seen();
    assert_eq!(
        seen[..3],
        ["POST /sse yes!", "GET /sse yes!", "POST /messages yes!"]
    );
}

#[tokio::test]
async fn mcp_client_2_a_transport_that_is_named_is_the_only_one_that_is_tried() {
    let server = OldServer::start("404 Not Found").await;
    let world = World::new(json!({ "s": { "url": server.url(), "type": "http" } }));
    world.failed("s").await;
    assert!(
        server
            .seen()
            .iter()
            .all(|line| line.starts_with("POST /sse")),
        "{:?}",
        server.seen()
    );
}

#[tokio::test]
async fn the_older_transport_can_be_named() {
    let server = OldServer::start("404 Not Found").await;
    let world = World::new(json!({ "s": { "url": server.url(), "type": "sse" } }));
    world.connected("s").await;
    assert_eq!(server.seen()[0], "GET /sse");
}

#[tokio::test]
async fn mcp_client_15_whoever_wants_somebody_to_sign_in_says_so() {
    let server = OldServer::start("401 Unauthorized").await;
    let world = World::new(json!({
        "h": { "url": server.url() },
        "s": { "url": server.url(), "type": "sse" },
    }));
    let needs = |offering: &Offering, server: &str| {
        standing(offering, server) == ServerStanding::NeedsAuthentication
    };
    world
        .until(|offering| needs(offering, "h") && needs(offering, "s"))
        .await;
}

#[tokio::test]
async fn the_older_transport_takes_its_token_anew_for_each_request() {
    let tokens = ScriptedAuthorization::start(|_, _| None).await;
    let server = OldServer::start("404 Not Found").await;
    *server.wanted.lock().unwrap() = Some("first");
    let vault = Arc::new(Memory::default());
    vault
        .save(&Credentials {
            mcp_server_url: Some(server.url()),
            ..stored(&tokens.base(), "first", 60 * MINUTE)
        })
        .unwrap();
    let person = Somebody::who(Consent::Refused);
    let by = OAuth::new(Http::default(), vault.clone(), person, None);
    let oauth = json!({ "tokenParamName": "key" });
    let entry = json!({ "url": server.url(), "type": "sse", "oauth": oauth });
    let folder = tempfile::tempdir().unwrap();
    let world = World::signing_in_by(Arc::new(by), folder, json!({ "s": entry }));
    world.connected("s").await;
    assert_eq!(server.seen()[0], "GET /sse?key=first");
    *server.wanted.lock().unwrap() = Some(GOOD_TOKEN);
    assert_eq!(world.text("s", "old", json!({})).await, "from the old one");
    assert_eq!(tokens.asked_at("/token").len(), 1);
    assert_eq!(vault.get("s").unwrap().token.access_token, GOOD_TOKEN);
}

#[tokio::test]
async fn a_server_without_a_stream_of_its_own_is_a_server() {
    for status in [
        "404 Not Found",
        "405 Method Not Allowed",
        "500 Internal Server Error",
    ] {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/mcp", listener.local_addr().unwrap());
        tokio::spawn(async move {
            while let Ok((mut stream, _)) = listener.accept().await {
                tokio::spawn(async move {
                    let (line, _, body) = request(&mut stream).await.unwrap();
                    let message = serde_json::from_slice(&body).unwrap_or_default();
                    let told = match (line.as_str(), answer(&message)) {
                        ("POST /mcp", Some(answer)) => {
                            let answer = answer.to_string();
                            let length = answer.len();
                            format!(
                                "HTTP/1.1 200 OK\r\nmcp-session-id: 1\r\ncontent-type: application/json\r\n\
                                 content-length: {length}\r\nconnection: close\r\n\r\n{answer}"
                            )
                        }
                        ("POST /mcp", None) => empty("202 Accepted"),
                        _ => empty(status),
                    };
                    let _gone = stream.write_all(told.as_bytes()).await;
                });
            }
        });
        let world = World::new(json!({ "s": { "url": url, "type": "http" } }));
        world.connected("s").await;
        assert_eq!(world.text("s", "old", json!({})).await, "from the old one");
    }
}

/// How a server answers with more than anybody reads.
#[derive(Clone, Copy, Debug)]
enum Endless {
    /// To the first word already.
    Greeting,
    Json,
    Events,
    /// An error that is one long word.
    Error,
}

/// A server whose answers have no end, and how much of them was taken.
async fn endless(how: Endless) -> (String, Arc<AtomicUsize>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/mcp", listener.local_addr().unwrap());
    let sent = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&sent);
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let sent = Arc::clone(&counted);
            tokio::spawn(async move {
                let (line, _, body) = request(&mut stream).await.unwrap();
                let message: Value = serde_json::from_slice(&body).unwrap_or_default();
                let is_it = match how {
                    Endless::Greeting => message["method"] == "initialize",
                    _ => message["method"] == "tools/call",
                };
                let told = match (line.as_str(), is_it, answer(&message)) {
                    ("POST /mcp", true, _) => {
                        let (status, kind, start) = match how {
                            Endless::Greeting | Endless::Json => {
                                ("200 OK", "application/json", "{\"x\":\"")
                            }
                            Endless::Events => ("200 OK", "text/event-stream", "data: \""),
                            Endless::Error => ("400 Bad Request", "application/json", "\""),
                        };
                        let head = format!(
                            "HTTP/1.1 {status}\r\ncontent-type: {kind}\r\nconnection: close\r\n\r\n{start}"
                        );
                        let _gone = stream.write_all(head.as_bytes()).await;
                        let piece = vec![b'x'; 65_536];
                        while stream.write_all(&piece).await.is_ok() {
                            sent.fetch_add(piece.len(), Ordering::Relaxed);
                        }
                        return;
                    }
                    ("POST /mcp", false, Some(answer)) => {
                        let answer = answer.to_string();
                        let length = answer.len();
                        format!(
                            "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n\
                             content-length: {length}\r\nconnection: close\r\n\r\n{answer}"
                        )
                    }
                    ("POST /mcp", false, None) => empty("202 Accepted"),
                    _ => empty("405 Method Not Allowed"),
                };
                let _gone = stream.write_all(told.as_bytes()).await;
            });
        }
    });
    (url, sent)
}

#[tokio::test]
async fn an_answer_without_an_end_is_given_up_and_told_of() {
    let (url, sent) = endless(Endless::Greeting).await;
    let world = World::new(json!({ "s": { "url": url, "type": "http" } }));
    let reason = world.failed("s").await;
    assert!(
        reason.contains("its answer is longer than 16 MB"),
        "{reason}"
    );
    assert!(sent.load(Ordering::Relaxed) < 64 * 1024 * 1024);
    drop(world);
    for how in [Endless::Json, Endless::Events, Endless::Error] {
        let (url, sent) = endless(how).await;
        let world = World::new(json!({ "s": { "url": url, "type": "http" } }));
        world.connected("s").await;
        // The time of a call is ten minutes, which nobody here waits for.
        let failure = world.call("s", "old", json!({})).await.unwrap_err();
        match how {
            Endless::Greeting | Endless::Json | Endless::Events => {
                assert!(
                    failure
                        .to_string()
                        .contains("its answer is longer than 16 MB"),
                    "{failure}"
                );
            }
            Endless::Error => {}
        }
        assert!(sent.load(Ordering::Relaxed) < 64 * 1024 * 1024, "{how:?}");
    }
}

fn empty(status: &str) -> String {
    format!("HTTP/1.1 {status}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n")
}

#[tokio::test]
async fn nobody_at_an_address_is_told() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/mcp", listener.local_addr().unwrap());
    drop(listener);
    let world = World::new(json!({ "s": { "url": url }, "n": { "url": "ftp://x" } }));
    let reason = world.failed("s").await;
    assert!(
        reason.starts_with("it cannot be reached: Connection refused"),
        "{reason}"
    );
    assert_eq!(world.failed("n").await, "its address is no address");
}

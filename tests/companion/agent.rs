//! An agent that speaks the companion protocol over plain sockets, so that it can also speak it wrongly.

use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpStream;
use tokio::time::timeout;

use crate::support::World;

/// Longer than anything takes that has nothing to wait for.
const DEADLINE: Duration = Duration::from_secs(30);

/// The files that agents of this world find.
pub(super) fn found(world: &World) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(world.tmp().join("gemini/ide")) else {
        return Vec::new();
    };
    let mut found: Vec<_> = entries
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|end| end == "json"))
        .collect();
    found.sort();
    found
}

/// Waits until the files are as wanted.
pub(super) async fn found_where(
    world: &World,
    wanted: impl Fn(&[PathBuf]) -> bool,
) -> Vec<PathBuf> {
    let looking = async {
        let mut beat = tokio::time::interval(Duration::from_millis(10));
        loop {
            beat.tick().await;
            let found = found(world);
            if wanted(&found) {
                return found;
            }
        }
    };
    let looked = timeout(DEADLINE, looking).await;
    looked.unwrap_or_else(|_| panic!("never as wanted: {:?}", found(world)))
}

/// Where a companion is.
#[derive(Clone, Debug)]
pub(super) struct Address {
    pub(super) port: u16,
    pub(super) token: String,
    pub(super) file: Value,
}

/// The one companion of the world, once it can be found.
pub(super) async fn address(world: &World) -> Address {
    let found = found_where(world, |found| found.len() == 1).await;
    read(&found[0])
}

pub(super) fn read(path: &std::path::Path) -> Address {
    let file: Value = serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap();
    Address {
        port: u16::try_from(file["port"].as_u64().unwrap()).unwrap(),
        token: file["authToken"].as_str().unwrap().to_owned(),
        file,
    }
}

/// What came back.
#[derive(Debug)]
pub(super) struct Answer {
    pub(super) status: u16,
    pub(super) head: String,
    pub(super) body: Vec<u8>,
}

impl Answer {
    pub(super) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap()
    }

    fn header(&self, name: &str) -> Option<&str> {
        self.head.lines().find_map(|line| {
            let (key, value) = line.split_once(": ")?;
            key.eq_ignore_ascii_case(name).then_some(value)
        })
    }
}

impl Address {
    /// The usual headers.
    pub(super) fn headers(&self) -> Vec<(String, String)> {
        [
            ("Host", format!("127.0.0.1:{}", self.port)),
            ("Authorization", format!("Bearer {}", self.token)),
            ("Content-Type", "application/json".to_owned()),
            ("Accept", "application/json, text/event-stream".to_owned()),
        ]
        .map(|(name, value)| (name.to_owned(), value))
        .into()
    }

    /// Sends a request on a connection of its own.
    pub(super) async fn send(
        &self,
        method: &str,
        headers: &[(String, String)],
        body: &[u8],
    ) -> Answer {
        let sending = async {
            let mut stream = self.begin(method, headers, body.len()).await;
            // A server that refuses does not read all of it.
            let _refused = stream.write_all(body).await;
            let mut reader = BufReader::new(stream);
            let head = head(&mut reader).await;
            let mut answer = Answer {
                status: head.split(' ').nth(1).unwrap().parse().unwrap(),
                head,
                body: Vec::new(),
            };
            let length = answer
                .header("content-length")
                .unwrap_or("0")
                .parse()
                .unwrap();
            answer.body.resize(length, 0);
            reader.read_exact(&mut answer.body).await.unwrap();
            answer
        };
        timeout(DEADLINE, sending).await.expect("an answer")
    }

    pub(super) async fn begin(
        &self,
        method: &str,
        headers: &[(String, String)],
        length: usize,
    ) -> TcpStream {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).await.unwrap();
        let mut request = format!("{method} /mcp HTTP/1.1\r\n");
        for (name, value) in headers {
            request.push_str(&format!("{name}: {value}\r\n"));
        }
        if length > 0 {
            request.push_str(&format!("Content-Length: {length}\r\n"));
        }
        request.push_str("\r\n");
        stream.write_all(request.as_bytes()).await.unwrap();
        stream
    }

    pub(super) async fn post(&self, headers: &[(String, String)], message: &Value) -> Answer {
        self.send("POST", headers, message.to_string().as_bytes())
            .await
    }

    pub(super) async fn initialize(&self, client: Value) -> Answer {
        let params =
            json!({ "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client });
        let message =
            json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params });
        self.post(&self.headers(), &message).await
    }
}

async fn head(reader: &mut BufReader<TcpStream>) -> String {
    let mut head = String::new();
    loop {
        let mut line = String::new();
        let length = reader.read_line(&mut line).await.unwrap();
        assert!(length > 0, "the connection ended in the head: {head}");
        if line == "\r\n" {
            return head;
        }
        head.push_str(line.trim_end());
        head.push('\n');
    }
}

/// An agent that is connected.
pub(super) struct Agent {
    pub(super) address: Address,
    pub(super) session: String,
    stream: Option<Stream>,
    next: u64,
}

impl Agent {
    pub(super) async fn connect(address: Address) -> Self {
        Self::connect_as(
            address,
            json!({ "name": "streamable-http-client", "version": "0.61.0" }),
        )
        .await
    }

    pub(super) async fn connect_as(address: Address, client: Value) -> Self {
        let mut agent = Self::begin(address, client).await;
        agent.listen().await;
        agent
    }

    /// Without a stream.
    pub(super) async fn begin(address: Address, client: Value) -> Self {
        let answer = address.initialize(client).await;
        assert_eq!(answer.status, 200, "{answer:?}");
        let session = answer.header("mcp-session-id").unwrap().to_owned();
        let agent = Self {
            address,
            session,
            stream: None,
            next: 1,
        };
        let initialized = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
        assert_eq!(
            agent
                .address
                .post(&agent.headers(), &initialized)
                .await
                .status,
            202
        );
        agent
    }

    pub(super) fn headers(&self) -> Vec<(String, String)> {
        let mut headers = self.address.headers();
        headers.push(("Mcp-Session-Id".to_owned(), self.session.clone()));
        headers.push(("Mcp-Protocol-Version".to_owned(), "2025-06-18".to_owned()));
        headers
    }

    /// Opens the stream, in place of the last.
    pub(super) async fn listen(&mut self) {
        let stream = self.address.begin("GET", &self.headers(), 0).await;
        let mut reader = BufReader::new(stream);
        let head = timeout(DEADLINE, head(&mut reader)).await.unwrap();
        assert!(head.starts_with("HTTP/1.1 200"), "{head}");
        self.stream = Some(Stream(reader));
    }

    pub(super) fn stop_listening(&mut self) {
        self.stream = None;
    }

    pub(super) async fn request(&mut self, method: &str, params: Value) -> Value {
        self.next += 1;
        let message =
            json!({ "jsonrpc": "2.0", "id": self.next, "method": method, "params": params });
        let answer = self.address.post(&self.headers(), &message).await;
        assert_eq!(answer.status, 200, "{answer:?}");
        let answer = answer.json();
        assert_eq!(answer["id"], self.next);
        answer
    }

    pub(super) async fn call(&mut self, tool: &str, arguments: Value) -> Value {
        let answer = self
            .request(
                "tools/call",
                json!({ "name": tool, "arguments": arguments }),
            )
            .await;
        let result = answer["result"].clone();
        assert!(!result.is_null(), "{answer}");
        assert_eq!(result.get("isError"), None);
        result
    }

    pub(super) async fn open_diff(&mut self, path: &std::path::Path, text: &str) -> Value {
        self.call("openDiff", json!({ "filePath": path, "newContent": text }))
            .await
    }

    /// What `closeDiff` says the text is.
    pub(super) async fn close_diff(&mut self, path: &std::path::Path, suppress: bool) -> Value {
        let arguments = json!({ "filePath": path, "suppressNotification": suppress });
        let result = self.call("closeDiff", arguments).await;
        let text = result["content"][0]["text"].as_str().unwrap();
        serde_json::from_str::<Value>(text).unwrap()["content"].clone()
    }

    /// The next message of the stream; nothing when it has ended.
    pub(super) async fn hear(&mut self) -> Option<Value> {
        let stream = self.stream.as_mut().unwrap();
        timeout(DEADLINE, stream.next())
            .await
            .expect("something to hear")
    }

    /// Hears until the context is as wanted.
    pub(super) async fn context(&mut self, wanted: impl Fn(&Value) -> bool) -> Value {
        loop {
            let heard = self.hear().await.expect("the stream goes on");
            assert_eq!(heard["method"], "ide/contextUpdate", "{heard}");
            let state = heard["params"]["workspaceState"].clone();
            if wanted(&state) {
                return state;
            }
        }
    }

    /// What became of a diff, whatever the editor shows meanwhile.
    pub(super) async fn outcome(&mut self) -> (String, Value) {
        loop {
            let heard = self.hear().await.expect("the stream goes on");
            let method = heard["method"].as_str().unwrap();
            if method != "ide/contextUpdate" {
                return (method.to_owned(), heard["params"].clone());
            }
        }
    }
}

struct Stream(BufReader<TcpStream>);

impl Stream {
    async fn next(&mut self) -> Option<Value> {
        let mut line = String::new();
        loop {
            line.clear();
            // A stream that ends politely says so with an empty chunk.
            let length = self.0.read_line(&mut line).await.unwrap();
            assert!(length > 0, "the stream was cut");
            if line == "0\r\n" {
                return None;
            }
            if let Some(data) = line.strip_prefix("data: ") {
                return Some(serde_json::from_str(data).unwrap());
            }
        }
    }
}

//! Every behaviour as bytes on a plain TCP connection: no HTTP client smooths anything over.

mod faults;
mod script_files;
mod server_life;
mod shapes;
mod splitting;

use std::time::Duration;

use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use super::*;

const STREAM: &str = "/v1beta/models/gemini-test:streamGenerateContent?alt=sse";

/// What came back, the transfer coding undone by hand.
#[derive(Debug, PartialEq, Eq)]
struct Answer {
    status: u16,
    head: String,
    chunks: Vec<Vec<u8>>,
    /// Whether the last chunk, of length zero, arrived.
    is_complete: bool,
}

impl Answer {
    fn body(&self) -> String {
        String::from_utf8(self.chunks.concat()).unwrap()
    }

    fn json(&self) -> Value {
        serde_json::from_str(&self.body()).unwrap()
    }

    /// The data of each event.
    fn events(&self) -> Vec<Value> {
        let body = self.body().replace("\r\n", "\n");
        body.split_terminator("\n\n")
            .map(|event| serde_json::from_str(event.strip_prefix("data: ").unwrap()).unwrap())
            .collect()
    }

    fn parse(bytes: &[u8]) -> Self {
        let head_end = bytes.windows(4).position(|four| four == b"\r\n\r\n");
        let (head, mut rest) = bytes.split_at(head_end.expect("a head") + 4);
        let head = String::from_utf8(head.to_vec()).unwrap();
        let mut chunks = Vec::new();
        let mut is_complete = false;
        if !head.contains("chunked") {
            chunks.push(std::mem::take(&mut rest).to_vec());
            is_complete = true;
        }
        while let Some(line_end) = rest.windows(2).position(|two| two == b"\r\n") {
            let length = std::str::from_utf8(&rest[..line_end]).unwrap();
            let length = usize::from_str_radix(length, 16).unwrap();
            rest = &rest[line_end + 2..];
            if length == 0 {
                is_complete = true;
                break;
            }
            if rest.len() < length + 2 {
                break;
            }
            chunks.push(rest[..length].to_vec());
            rest = &rest[length + 2..];
        }
        Self {
            status: head[9..12].parse().unwrap(),
            head: head.to_lowercase(),
            chunks,
            is_complete,
        }
    }
}

async fn send(server: &ScriptedModel, target: &str, body: &str) -> TcpStream {
    let mut stream = TcpStream::connect(server.address()).await.unwrap();
    let request = format!(
        "POST {target} HTTP/1.1\r\nHost: test\r\nConnection: close\r\nX-Twice: 1\r\nX-Twice: 2\r\n\
         Content-Length: {}\r\n\r\n{body}",
        body.len()
    );
    stream.write_all(request.as_bytes()).await.unwrap();
    stream
}

/// Sends a request and reads to the end of the connection.
async fn ask(server: &ScriptedModel, target: &str, body: &str) -> Answer {
    let mut stream = send(server, target, body).await;
    let mut bytes = Vec::new();
    stream.read_to_end(&mut bytes).await.unwrap();
    Answer::parse(&bytes)
}

async fn start(reply: Reply) -> ScriptedModel {
    ScriptedModel::start(Script::new().reply(reply)).await
}

fn panic_text(action: impl FnOnce()) -> String {
    let stopped = std::panic::catch_unwind(std::panic::AssertUnwindSafe(action));
    *stopped.unwrap_err().downcast::<String>().unwrap()
}

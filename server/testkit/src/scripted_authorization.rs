//! An MCP server that wants somebody to sign in, and the authorization server beside it, both at one address.
//!
//! Everything is answered as it should be, except where a test says otherwise.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use url::{Url, form_urlencoded};

/// The token that is good here.
pub const GOOD_TOKEN: &str = "good-token";

/// What somebody has asked.
#[derive(Clone, Debug)]
pub struct Asked {
    pub method: String,
    /// With its query.
    pub target: String,
    /// Names in lower case.
    pub headers: HashMap<String, String>,
    pub body: String,
}

/// What is answered.
#[derive(Clone, Debug)]
pub struct Answered {
    pub status: &'static str,
    pub headers: Vec<(&'static str, String)>,
    pub body: String,
}

impl Answered {
    pub fn json(body: &Value) -> Self {
        Self {
            status: "200 OK",
            headers: vec![("content-type", "application/json".to_owned())],
            body: body.to_string(),
        }
    }

    pub fn status(status: &'static str) -> Self {
        Self {
            status,
            headers: Vec::new(),
            body: String::new(),
        }
    }

    pub fn with(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.headers.push((name, value.into()));
        self
    }
}

impl Asked {
    pub fn path(&self) -> &str {
        self.target.split('?').next().unwrap_or_default()
    }

    /// A field of the form, or of the query.
    pub fn field(&self, name: &str) -> Option<String> {
        let query = self.target.split_once('?').map_or("", |(_, query)| query);
        let fields = form_urlencoded::parse(query.as_bytes());
        let mut fields = fields.chain(form_urlencoded::parse(self.body.as_bytes()));
        let field = fields.find(|(known, _)| known == name);
        field.map(|(_, value)| value.into_owned())
    }
}

/// Answers instead of the server; nothing leaves it to the server. Gets the server's own address.
pub type Instead = dyn Fn(&Asked, &str) -> Option<Answered> + Send + Sync;

pub struct ScriptedAuthorization {
    address: SocketAddr,
    asked: Arc<Mutex<Vec<Asked>>>,
}

impl ScriptedAuthorization {
    /// Serves until the runtime ends.
    pub async fn start(
        instead: impl Fn(&Asked, &str) -> Option<Answered> + Send + Sync + 'static,
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = listener.local_addr().expect("an address");
        let asked = Arc::new(Mutex::new(Vec::new()));
        let (log, instead): (_, Arc<Instead>) = (Arc::clone(&asked), Arc::new(instead));
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let (log, instead) = (Arc::clone(&log), Arc::clone(&instead));
                tokio::spawn(async move {
                    // Whoever hangs up has seen enough.
                    let _gone = serve(stream, address, &log, &*instead).await;
                });
            }
        });
        Self { address, asked }
    }

    pub fn base(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Where the MCP server is.
    pub fn url(&self) -> String {
        format!("{}/mcp", self.base())
    }

    pub fn asked(&self) -> Vec<Asked> {
        let asked = self.asked.lock();
        asked.unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// What was asked at a path.
    pub fn asked_at(&self, path: &str) -> Vec<Asked> {
        let mut asked = self.asked();
        asked.retain(|asked| asked.path() == path);
        asked
    }
}

async fn serve(
    mut stream: TcpStream,
    address: SocketAddr,
    log: &Mutex<Vec<Asked>>,
    instead: &Instead,
) -> std::io::Result<()> {
    let asked = request(&mut stream).await?;
    log.lock()
        .unwrap_or_else(PoisonError::into_inner)
        .push(asked.clone());
    let base = format!("http://{address}");
    let answer = instead(&asked, &base).unwrap_or_else(|| answer(&asked, &base));
    let mut head = format!("HTTP/1.1 {}\r\nconnection: close\r\n", answer.status);
    for (name, value) in &answer.headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    let length = answer.body.len();
    let text = format!("{head}content-length: {length}\r\n\r\n{}", answer.body);
    stream.write_all(text.as_bytes()).await?;
    stream.shutdown().await
}

async fn request(stream: &mut TcpStream) -> std::io::Result<Asked> {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(stream.read_u8().await?);
    }
    let head = String::from_utf8_lossy(&head).into_owned();
    let mut lines = head.lines();
    let mut words = lines.next().unwrap_or_default().split(' ');
    let (method, target) = (words.next(), words.next());
    let headers: HashMap<String, String> = lines
        .filter_map(|line| line.split_once(':'))
        .map(|(name, value)| (name.to_lowercase(), value.trim().to_owned()))
        .collect();
    let length = headers.get("content-length");
    let length = length.map_or(0, |length| length.parse().expect("a length"));
    let mut body = vec![0; length];
    stream.read_exact(&mut body).await?;
    Ok(Asked {
        method: method.unwrap_or_default().to_owned(),
        target: target.unwrap_or_default().to_owned(),
        headers,
        body: String::from_utf8_lossy(&body).into_owned(),
    })
}

/// What a server without faults answers.
fn answer(asked: &Asked, base: &str) -> Answered {
    match (asked.method.as_str(), asked.path()) {
        (_, "/mcp") => mcp(asked, base),
        ("GET", "/.well-known/oauth-protected-resource/mcp") => Answered::json(
            &json!({ "resource": format!("{base}/mcp"), "authorization_servers": [base] }),
        ),
        ("GET", "/.well-known/oauth-authorization-server") => Answered::json(&metadata(base)),
        ("POST", "/register") => Answered::json(&json!({ "client_id": "us", "redirect_uris": [] })),
        ("GET", "/authorize") => authorize(asked, &[]),
        ("POST", "/token") => Answered::json(&json!({
            "access_token": GOOD_TOKEN, "token_type": "Bearer", "expires_in": 3600, "refresh_token": "again",
        })),
        _ => Answered::status("404 Not Found"),
    }
}

/// The metadata of a server without faults.
pub fn metadata(base: &str) -> Value {
    json!({
        "issuer": base,
        "authorization_endpoint": format!("{base}/authorize"),
        "token_endpoint": format!("{base}/token"),
        "registration_endpoint": format!("{base}/register"),
        "response_types_supported": ["code"],
        "code_challenge_methods_supported": ["S256"],
    })
}

/// Somebody has signed in, and is sent back with a code and with `more`.
pub fn authorize(asked: &Asked, more: &[(&str, &str)]) -> Answered {
    let back = asked.field("redirect_uri").expect("a way back");
    let mut back = Url::parse(&back).expect("an address");
    let state = asked.field("state").expect("a state");
    back.query_pairs_mut()
        .append_pair("code", "the-code")
        .append_pair("state", &state)
        .extend_pairs(more);
    Answered::status("302 Found").with("location", back)
}

fn mcp(asked: &Asked, base: &str) -> Answered {
    let token = asked.headers.get("authorization");
    if token.is_none_or(|token| *token != format!("Bearer {GOOD_TOKEN}")) {
        let page = format!("{base}/.well-known/oauth-protected-resource/mcp");
        let challenge = format!("Bearer resource_metadata=\"{page}\"");
        return Answered::status("401 Unauthorized").with("www-authenticate", challenge);
    }
    if asked.method != "POST" {
        return Answered::status("405 Method Not Allowed");
    }
    let message: Value = serde_json::from_str(&asked.body).unwrap_or_default();
    let result = match message["method"].as_str().unwrap_or_default() {
        "initialize" => json!({
            "protocolVersion": message["params"]["protocolVersion"],
            "capabilities": { "tools": {} },
            "serverInfo": { "name": "locked", "version": "1" },
        }),
        "tools/list" => {
            json!({ "tools": [{ "name": "t", "inputSchema": { "type": "object" } }] })
        }
        "tools/call" => json!({ "content": [{ "type": "text", "text": "from behind the lock" }] }),
        _ => return Answered::status("202 Accepted"),
    };
    Answered::json(&json!({ "jsonrpc": "2.0", "id": message["id"], "result": result }))
}

/// Does what a browser does for somebody who signs in at once: opens the page, and goes back where it sends it.
pub async fn sign_in_at(page: &str) {
    let answer = get(&Url::parse(page).expect("an address")).await;
    let back = answer.lines().find_map(|line| {
        let (name, value) = line.split_once(':')?;
        name.eq_ignore_ascii_case("location").then(|| value.trim())
    });
    let back = back.expect("the page sends us back");
    let told = get(&Url::parse(back).expect("an address")).await;
    assert!(told.starts_with("HTTP/1.1 200"), "{told}");
}

async fn get(url: &Url) -> String {
    let host = url.host_str().expect("a host");
    let port = url.port().expect("a port");
    let mut stream = TcpStream::connect((host, port)).await.expect("somebody");
    let target = &url[url::Position::BeforePath..];
    let request =
        format!("GET {target} HTTP/1.1\r\nhost: {host}:{port}\r\nconnection: close\r\n\r\n");
    let sent = stream.write_all(request.as_bytes()).await;
    sent.expect("somebody who listens");
    let mut answer = Vec::new();
    let read = stream.read_to_end(&mut answer).await;
    read.expect("an answer");
    String::from_utf8_lossy(&answer).into_owned()
}

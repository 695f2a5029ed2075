//! The same over a port of this machine.

use std::io;
use std::sync::Arc;

use hyper::body::Incoming;
use hyper::{Request, StatusCode};
use rmcp::ServerHandler;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use tokio_util::sync::CancellationToken;

use super::client::Client;
use super::front::Front;
use crate::http::{self, Endpoint, Loopback, Reply, Token};

const PATH: &str = "/mcp";

/// Clients of one port.
const MOST_SESSIONS: usize = 32;

/// A file of a few megabytes, escaped.
const LARGEST: usize = 10 * 1024 * 1024;

const SESSION: &str = "mcp-session-id";

/// Who may come in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Programs that have the token.
    Token,
    /// Every program of this machine. For the tests of the protocol, whose clients know no token.
    Anyone,
}

/// A port that clients come in by. It closes when this is dropped.
pub struct HttpDoor {
    port: u16,
    token: Option<Token>,
    stop: CancellationToken,
}

struct Mounted<H> {
    service: StreamableHttpService<H, LocalSessionManager>,
    sessions: Arc<LocalSessionManager>,
}

impl HttpDoor {
    /// Opens a port for the clients of a front.
    pub async fn open(front: Arc<Front>) -> io::Result<Self> {
        Self::serving(move || Client::new(Arc::clone(&front)), Access::Token).await
    }

    /// Opens a port for any handler of the protocol, one for each client.
    pub async fn serving<H: ServerHandler>(
        handler: impl Fn() -> H + Send + Sync + 'static,
        access: Access,
    ) -> io::Result<Self> {
        let token = match access {
            Access::Token => Some(Token::random()),
            Access::Anyone => None,
        };
        let server = Loopback::bind_for_pages_of_ours(token.clone()).await?;
        let (port, stop) = (server.port(), CancellationToken::new());
        let sessions = Arc::new(LocalSessionManager::default());
        // Whoever gets so far has passed our own guard, which is the stricter one.
        let config = StreamableHttpServerConfig::default()
            .with_max_request_body_bytes(LARGEST)
            .with_cancellation_token(stop.clone());
        let service =
            StreamableHttpService::new(move || Ok(handler()), Arc::clone(&sessions), config);
        let mounted = Arc::new(Mounted { service, sessions });
        tokio::spawn(server.serve(mounted, stop.clone()));
        Ok(Self { port, token, stop })
    }

    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}{PATH}", self.port)
    }

    /// What a client has to show, if anything.
    pub fn token(&self) -> Option<&str> {
        self.token.as_ref().map(Token::as_str)
    }
}

impl Drop for HttpDoor {
    fn drop(&mut self) {
        self.stop.cancel();
    }
}

impl<H: ServerHandler> Endpoint for Mounted<H> {
    async fn answer(&self, request: Request<Incoming>) -> Reply {
        if request.uri().path() != PATH {
            return http::said(StatusCode::NOT_FOUND, "there is nothing here but /mcp");
        }
        let is_new = !request.headers().contains_key(SESSION);
        if is_new && self.sessions.sessions.read().await.len() >= MOST_SESSIONS {
            return http::said(
                StatusCode::SERVICE_UNAVAILABLE,
                "too many clients are connected",
            );
        }
        self.service.handle(request).await
    }
}

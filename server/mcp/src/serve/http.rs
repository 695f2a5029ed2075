//! The same over a port of this machine.
//!
//! The library ends a session after some minutes without a message, also while its stream is open and the client only
//! waits for something to happen. So it is told to end none, and those are ended here whose client has gone.

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::fmt::Display;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use http_body_util::BodyExt;
use hyper::body::{Body, Incoming};
use hyper::{HeaderMap, Method, Request, StatusCode};
use rmcp::ServerHandler;
use rmcp::transport::streamable_http_server::session::SessionManager;
use rmcp::transport::streamable_http_server::session::local::{LocalSessionManager, SessionConfig};
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use tokio::sync::Notify;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::client::Client;
use super::front::Front;
use crate::http::{self, Endpoint, Loopback, OpenStream, Presence, Reply, Token};

const PATH: &str = "/mcp";

/// Clients of one port.
const MOST_SESSIONS: usize = 32;

const SESSION: &str = "mcp-session-id";

/// How long a session lasts without a stream and without a request. Not every client keeps a stream.
const AWAY: Duration = Duration::from_secs(300);

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
    clients: Clients,
}

/// Who has a session, by its name.
#[derive(Default)]
struct Clients {
    present: Mutex<BTreeMap<String, Arc<Presence>>>,
    /// There is one more.
    more: Notify,
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
        let mounted = Arc::new(Mounted::new(handler, &stop));
        tokio::spawn(Arc::clone(&mounted).look_after_sessions(stop.clone()));
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

impl<H: ServerHandler> Mounted<H> {
    fn new(handler: impl Fn() -> H + Send + Sync + 'static, stop: &CancellationToken) -> Self {
        let mut sessions = LocalSessionManager::default();
        let mut config = SessionConfig::default();
        config.keep_alive = None;
        sessions.session_config = config;
        let sessions = Arc::new(sessions);
        // Whoever gets so far has passed our own guard, which is the stricter one.
        let config = StreamableHttpServerConfig::default()
            .with_max_request_body_bytes(http::LARGEST)
            .with_cancellation_token(stop.clone());
        let service =
            StreamableHttpService::new(move || Ok(handler()), Arc::clone(&sessions), config);
        Self {
            service,
            sessions,
            clients: Clients::default(),
        }
    }

    /// Ends the sessions of clients that have gone.
    async fn look_after_sessions(self: Arc<Self>, stop: CancellationToken) {
        loop {
            for gone in self.clients.take_gone() {
                tracing::debug!("a client has gone without a word");
                // One that has ended by itself needs no end.
                let _ended = self.sessions.close_session(&gone.into()).await;
            }
            let next = async {
                match self.clients.next_end() {
                    Some(end) => tokio::time::sleep_until(end).await,
                    None => self.clients.more.notified().await,
                }
            };
            tokio::select! {
                () = next => {}
                () = stop.cancelled() => return,
            }
        }
    }

    async fn handle<B>(&self, request: Request<B>) -> Reply
    where
        B: Body + Send + 'static,
        B::Error: Display,
    {
        if request.uri().path() != PATH {
            return http::said(StatusCode::NOT_FOUND, "there is nothing here but /mcp");
        }
        if let Some(refused) = http::refused_by_length(request.headers()) {
            return refused;
        }
        let is_new = !request.headers().contains_key(SESSION);
        if is_new && self.sessions.sessions.read().await.len() >= MOST_SESSIONS {
            return http::said(
                StatusCode::SERVICE_UNAVAILABLE,
                "too many clients are connected",
            );
        }
        let is_goodbye = request.method() == Method::DELETE;
        let session = session_of(request.headers());
        // It is there for as long as it is answered.
        let open = session.as_deref().and_then(|id| self.clients.stream(id));
        let reply = self.service.handle(request).await;
        if let (Some(session), true) = (&session, is_goodbye && reply.status().is_success()) {
            self.clients.lock().remove(session);
            return reply;
        }
        let open = open.or_else(|| Some(self.clients.welcome(session_of(reply.headers())?)));
        match open {
            Some(open) => reply.map(|body| {
                let attended = body.map_frame(move |frame| {
                    let _until_the_end = &open;
                    frame
                });
                attended.boxed()
            }),
            None => reply,
        }
    }
}

impl<H: ServerHandler> Endpoint for Mounted<H> {
    async fn answer(&self, request: Request<Incoming>) -> Reply {
        self.handle(request).await
    }
}

impl Clients {
    fn stream(&self, id: &str) -> Option<OpenStream> {
        let present = self.lock().get(id).cloned()?;
        Some(present.stream())
    }

    fn welcome(&self, id: String) -> OpenStream {
        let present = Arc::new(Presence::new());
        let open = present.stream();
        self.lock().insert(id, present);
        self.more.notify_one();
        open
    }

    fn take_gone(&self) -> Vec<String> {
        let mut present = self.lock();
        let gone = present.extract_if(.., |_, client| client.is_gone(AWAY));
        gone.map(|(id, _)| id).collect()
    }

    /// When to look next. Who is there now may be away for so long at the earliest.
    fn next_end(&self) -> Option<Instant> {
        let present = self.lock();
        let since = present.values().map(|client| client.away());
        let since = since.map(|since| since.unwrap_or_else(Instant::now));
        since.min().map(|since| since + AWAY)
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<String, Arc<Presence>>> {
        self.present.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn session_of(headers: &HeaderMap) -> Option<String> {
    let id = headers.get(SESSION)?.to_str().ok()?;
    Some(id.to_owned())
}

//! The companion of one room.

#[cfg(test)]
mod tests;

use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use hyper::body::Incoming;
use hyper::header::{ACCEPT, ALLOW, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use hyper::{Method, Request, StatusCode};
use pollux_workspace::{CompanionAddress, Input, OpenRoom, Revision};
use serde_json::{Value, json};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;
use tokio_util::task::AbortOnDropHandle;
use tracing::{info, warn};

use super::diffs::{Closed, Diffs};
use super::discovery::Notice;
use super::message::{self, Call, CloseDiff, Message, OpenDiff};
use super::room::Room;
use super::session::{AWAY, Listening, Session, Table, event};
use super::{Surroundings, context, locked, temporary_folders};
use crate::http::{self, Endpoint, Loopback, Reply, Token};

const PATH: &str = "/mcp";
const SESSION: HeaderName = HeaderName::from_static("mcp-session-id");

/// Between two updates about the same typing.
const DEBOUNCE: Duration = Duration::from_millis(50);

/// A room that agents outside can come to.
pub(super) struct Companion {
    notice: Notice,
    address: CompanionAddress,
    room: Room,
    surroundings: Surroundings,
    agents: Arc<Agents>,
    stop: CancellationToken,
    _follower: AbortOnDropHandle<()>,
}

/// What the handlers share.
struct Agents {
    room: Room,
    table: Table,
    diffs: Arc<Diffs>,
    context: watch::Sender<Option<Bytes>>,
    streams: watch::Sender<usize>,
    stop: CancellationToken,
}

impl Companion {
    pub(super) async fn start(room: &OpenRoom, surroundings: Surroundings) -> io::Result<Self> {
        let token = Token::random();
        let server = Loopback::bind(token.clone()).await?;
        let stop = CancellationToken::new();
        let inside = Room(room.inbox.clone());
        let diffs = Diffs::new(
            inside.clone(),
            Arc::clone(&surroundings.sessions),
            Arc::clone(&surroundings.disk),
        );
        let agents = Arc::new(Agents {
            room: inside.clone(),
            table: Table::default(),
            diffs: Arc::new(diffs),
            context: watch::Sender::new(None),
            streams: watch::Sender::new(0),
            stop: stop.clone(),
        });
        let address = CompanionAddress {
            port: server.port(),
            workspace_path: String::new(),
            token: token.as_str().to_owned(),
        };
        info!(port = address.port, "agents outside can come to this room");
        tokio::spawn(server.serve(Arc::clone(&agents), stop.clone()));
        let follower = tokio::spawn(Arc::clone(&agents).follow());
        let mut companion = Self {
            notice: Notice::default(),
            address,
            room: inside,
            surroundings,
            agents,
            stop,
            _follower: AbortOnDropHandle::new(follower),
        };
        companion.show(room);
        Ok(companion)
    }

    /// Tells agents and editors where the room is. The folders may have changed, or who is in it.
    pub(super) fn show(&mut self, room: &OpenRoom) {
        let workspace_path = list_of_paths(&room.roots);
        let editor = room.doors.iter().rev().find_map(|door| door.editor.clone());
        let mut notice = Notice {
            port: self.address.port,
            workspace_path: workspace_path.clone(),
            token: self.address.token.clone(),
            editor,
            temporary_folders: temporary_folders(room),
            edition: self.notice.edition,
        };
        if notice != self.notice {
            notice.edition += 1;
            self.notice = notice.clone();
            let files = Arc::clone(&self.surroundings.files);
            // A few small files; whoever needs them has yet to start a program.
            tokio::task::spawn_blocking(move || locked(&files).put_up(&notice));
        }
        if workspace_path != self.address.workspace_path {
            self.address.workspace_path = workspace_path;
            self.room.post(Input::CompanionMoved(self.address.clone()));
        }
    }

    /// Nobody is in the room any more, or nobody wants this.
    pub(super) fn end(self) {
        let (files, port) = (Arc::clone(&self.surroundings.files), self.address.port);
        let token = self.address.token.clone();
        tokio::task::spawn_blocking(move || locked(&files).take_down(port, &token));
        self.room.post(Input::CompanionEnded { port });
        self.agents.diffs.reject_all();
        self.stop.cancel();
    }
}

/// A list as an environment variable holds it. A folder whose name has the separator in it cannot be in one.
fn list_of_paths(roots: &[PathBuf]) -> String {
    let separator = if cfg!(windows) { ';' } else { ':' };
    let names = roots.iter().filter_map(|root| {
        let name = root.to_str().filter(|name| !name.contains(separator));
        if name.is_none() {
            warn!(folder = %root.display(), "agents outside cannot be told of this folder");
        }
        name
    });
    let names: Vec<&str> = names.collect();
    names.join(&separator.to_string())
}

impl Agents {
    /// Keeps the context up to date while somebody listens, and forgets who has gone.
    async fn follow(self: Arc<Self>) {
        let mut streams = self.streams.subscribe();
        loop {
            if self.table.is_empty() && streams.changed().await.is_err() {
                return;
            }
            let news = async {
                let Ok(_) = streams.wait_for(|count| *count > 0).await else {
                    return None;
                };
                let told = self.publish().await?;
                self.room.snapshot(Some(told)).await?;
                tokio::time::sleep(DEBOUNCE).await;
                Some(())
            };
            tokio::select! {
                going_on = news => if going_on.is_none() {
                    return;
                },
                () = tokio::time::sleep(AWAY) => {}
            }
            for gone in self.table.expire() {
                self.diffs.forget(&gone);
            }
        }
    }

    /// Says what the room is like now, if that is news.
    async fn publish(&self) -> Option<Revision> {
        let snapshot = self.room.snapshot(None).await?;
        let revision = snapshot.revision;
        let update = event(&context::update(&snapshot));
        drop(snapshot);
        self.context.send_if_modified(|last| {
            let is_news = last.as_ref() != Some(&update);
            if is_news {
                *last = Some(update);
            }
            is_news
        });
        Some(revision)
    }

    async fn hear(&self, request: Request<Incoming>) -> Reply {
        let is_json = text_of(request.headers(), &CONTENT_TYPE).starts_with("application/json");
        if !is_json {
            return http::said(
                StatusCode::UNSUPPORTED_MEDIA_TYPE,
                "only JSON is understood",
            );
        }
        let session = text_of(request.headers(), &SESSION).to_owned();
        let body = match http::read(request).await {
            Ok(body) => body,
            Err(refused) => return *refused,
        };
        let Message {
            id, method, params, ..
        } = match Message::parse(&body) {
            Ok(message) => message,
            Err((status, error)) => return http::json(status, &error),
        };
        drop(body);
        if method.as_deref() == Some("initialize") {
            return match id {
                Some(id) => self.welcome(&id, &params),
                None => http::said(StatusCode::BAD_REQUEST, "`initialize` is a request"),
            };
        }
        let session = match self.session(&session) {
            Ok(session) => session,
            Err(refused) => return *refused,
        };
        let (Some(method), Some(id)) = (method, id) else {
            // Notifications say nothing that matters here, and nothing was asked of the client.
            return http::said(StatusCode::ACCEPTED, "");
        };
        let reply = self.request(&session, &id, &method, params).await;
        http::json(StatusCode::OK, &reply)
    }

    fn welcome(&self, id: &Value, params: &Value) -> Reply {
        let Some((session, gone)) = self.table.open(message::client(params)) else {
            warn!("too many agents; one more is turned away");
            return http::said(
                StatusCode::SERVICE_UNAVAILABLE,
                "too many agents are connected",
            );
        };
        for gone in gone {
            self.diffs.forget(&gone);
        }
        // Whoever looks after the sessions has one more.
        self.streams.send_modify(|_| {});
        info!(
            agent = session.client.shown_name(),
            version = session.client.version,
            "an agent has come"
        );
        let mut reply = http::json(
            StatusCode::OK,
            &message::result(id, &message::welcome(params)),
        );
        if let Ok(name) = HeaderValue::from_str(&session.id) {
            reply.headers_mut().insert(SESSION, name);
        }
        reply
    }

    fn session(&self, id: &str) -> Result<Arc<Session>, Box<Reply>> {
        let refuse = |status, words| Box::new(http::said(status, words));
        if id.is_empty() {
            return Err(refuse(StatusCode::BAD_REQUEST, "the session is not named"));
        }
        let unknown = || refuse(StatusCode::NOT_FOUND, "there is no such session");
        let session = self.table.get(id).ok_or_else(unknown)?;
        session.is_here();
        Ok(session)
    }

    async fn request(
        &self,
        session: &Arc<Session>,
        id: &Value,
        method: &str,
        params: Value,
    ) -> Value {
        match method {
            "ping" => message::result(id, &json!({})),
            "tools/list" => message::result(id, &message::tools()),
            "tools/call" => match self.call(session, params).await {
                Ok(result) => message::result(id, &result),
                Err(error) => message::error(id, message::INVALID_PARAMS, &error),
            },
            _ => message::error(id, message::METHOD_NOT_FOUND, "there is no such method"),
        }
    }

    async fn call(&self, session: &Arc<Session>, params: Value) -> Result<Value, String> {
        let call: Call = parse(params)?;
        match call.name.as_str() {
            "openDiff" => {
                let OpenDiff {
                    file_path,
                    new_content,
                } = parse(call.arguments)?;
                let opened = self.diffs.open(session, file_path, new_content).await;
                // Not an error of the tool: gemini-cli would then fail the edit even if it is allowed in the terminal.
                Ok(match opened {
                    Ok(()) => message::texts([]),
                    Err(refused) => message::texts([&format!("The edit is not shown: {refused}.")]),
                })
            }
            "closeDiff" => {
                let CloseDiff {
                    file_path,
                    suppress_notification,
                } = parse(call.arguments)?;
                let closed = self.diffs.close(session, &file_path).await;
                if closed.is_some() && suppress_notification != Some(true) {
                    session.say(&message::rejected(&file_path));
                }
                let content = match closed {
                    Some(Closed::Text(text)) => Value::from(text),
                    Some(Closed::AsProposed) | None => Value::Null,
                };
                Ok(message::texts([&json!({ "content": content }).to_string()]))
            }
            name => Err(format!("there is no tool {name:?}")),
        }
    }

    /// The stream of a session, with the room as it is now at its head.
    async fn listen(&self, headers: &HeaderMap) -> Reply {
        if !text_of(headers, &ACCEPT).contains("text/event-stream") {
            return http::said(
                StatusCode::NOT_ACCEPTABLE,
                "there is nothing but events here",
            );
        }
        let session = match self.session(text_of(headers, &SESSION)) {
            Ok(session) => session,
            Err(refused) => return *refused,
        };
        if self.publish().await.is_none() {
            return http::said(
                StatusCode::SERVICE_UNAVAILABLE,
                "the workspace has been closed",
            );
        }
        let listening = Listening::new(
            session,
            self.context.subscribe(),
            self.streams.clone(),
            self.stop.clone(),
        );
        http::streamed(listening.events())
    }

    fn goodbye(&self, headers: &HeaderMap) -> Reply {
        match self.table.remove(text_of(headers, &SESSION)) {
            Some(session) => {
                self.diffs.forget(&session);
                http::said(StatusCode::OK, "")
            }
            None => http::said(StatusCode::NOT_FOUND, "there is no such session"),
        }
    }
}

impl Endpoint for Agents {
    async fn answer(&self, request: Request<Incoming>) -> Reply {
        if request.uri().path() != PATH {
            return http::said(StatusCode::NOT_FOUND, "there is nothing here but /mcp");
        }
        match *request.method() {
            Method::POST => self.hear(request).await,
            Method::GET => self.listen(request.headers()).await,
            Method::DELETE => self.goodbye(request.headers()),
            _ => {
                let mut refused =
                    http::said(StatusCode::METHOD_NOT_ALLOWED, "only POST, GET and DELETE");
                let methods = HeaderValue::from_static("POST, GET, DELETE");
                refused.headers_mut().insert(ALLOW, methods);
                refused
            }
        }
    }
}

fn parse<T: serde::de::DeserializeOwned>(value: Value) -> Result<T, String> {
    serde_json::from_value(value).map_err(|error| error.to_string())
}

fn text_of<'headers>(headers: &'headers HeaderMap, name: &HeaderName) -> &'headers str {
    let value = headers.get(name).and_then(|value| value.to_str().ok());
    value.unwrap_or_default()
}

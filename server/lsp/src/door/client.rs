//! The other end of a door, for a window that is a program of ours and no editor.
//!
//! What a terminal wants of the host is what a chat view of an editor wants. So it is a client of the same door, over a pipe
//! in memory, and gets from it what every editor gets: a host that dies is replaced.

use std::collections::HashMap;
use std::future::Future;
use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use pollux_door::Connect;
use serde::de::{DeserializeOwned, IgnoredAny};
use serde::{Deserialize, Serialize};
use serde_json::json;
use serde_json::value::RawValue;
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt};
use tokio::sync::{mpsc, oneshot};

use super::frame::{FrameReader, Incoming, framed};
use super::message::error_reply;
use super::relay::{MAX_HOST_FRAME, SERVER_CANCELLED, run};
use crate::protocol::{SessionEventsParams, SnapshotParams, method};
use crate::uri;

const PIPE: usize = 64 * 1024;

/// So many batches wait for a window that is slow. Beyond them the host waits, and joins what comes.
const UNREAD: usize = 4;

/// The id of the request that is answered only if the host dies.
const WATCH: &str = "host";

const INVALID_PARAMS: i32 = -32602;
const METHOD_NOT_FOUND: i32 = -32601;

/// What a window is told without having asked.
#[derive(Debug)]
pub enum Told {
    Events(SessionEventsParams),
    /// The host has died. The door finds another one, and what is followed comes again from its first event.
    HostReplaced,
}

/// Why something was not done, in words for a person.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// What was named is not there.
    #[error("{0}")]
    NotThere(String),
    /// The host died before it had answered.
    #[error("{0}")]
    HostLost(String),
    #[error("{0}")]
    NotPossible(String),
}

/// Asks the host for things. What is asked first is read first.
#[derive(Clone)]
pub struct Client {
    outgoing: mpsc::UnboundedSender<Vec<u8>>,
    waiting: Arc<Mutex<HashMap<u64, oneshot::Sender<Reply>>>>,
    last: Arc<AtomicU64>,
}

/// A question that is on its way.
pub struct Asked(oneshot::Receiver<Reply>);

impl Asked {
    pub async fn answer<R: DeserializeOwned>(self) -> Result<R, Refusal> {
        let gone = |_| Refusal::HostLost("the door has closed".to_owned());
        let result = self.0.await.map_err(gone)??;
        serde_json::from_str(result.get()).map_err(|error| Refusal::NotPossible(error.to_string()))
    }
}

type Reply = Result<Box<RawValue>, Refusal>;

/// A message of the host, as far as a window understands it.
#[derive(Deserialize)]
struct Message<'a> {
    #[serde(borrow)]
    id: Option<&'a RawValue>,
    method: Option<String>,
    #[serde(borrow)]
    params: Option<&'a RawValue>,
    #[serde(borrow)]
    result: Option<&'a RawValue>,
    error: Option<Failure>,
}

#[derive(Deserialize)]
struct Failure {
    code: i32,
    message: String,
}

/// Opens a door for a window called `name`, and closes it when the window is done.
pub async fn attend<C, W, F, T>(connect: C, name: &str, window: W) -> io::Result<T>
where
    C: Connect,
    W: FnOnce(Client, mpsc::Receiver<Told>) -> F,
    F: Future<Output = T>,
{
    let (ours, theirs) = tokio::io::duplex(PIPE);
    let (door_in, door_out) = tokio::io::split(theirs);
    let (from_door, to_door) = tokio::io::split(ours);
    let (outgoing, to_write) = mpsc::unbounded_channel();
    let (tell, told) = mpsc::channel(UNREAD);
    let client = Client {
        outgoing,
        waiting: Arc::default(),
        last: Arc::default(),
    };
    // There is no process to watch but this one.
    let door = run(door_in, door_out, connect, |_| std::future::pending::<()>());
    let work = async {
        let hello = client.ask("initialize", &hello(name));
        hello
            .answer::<IgnoredAny>()
            .await
            .map_err(io::Error::other)?;
        client.notify("initialized", &json!({}));
        client.watch_host();
        Ok(window(client.clone(), told).await)
    };
    tokio::select! {
        ended = door => match ended {
            Ok(_) => Err(io::Error::from(io::ErrorKind::UnexpectedEof)),
            Err(error) => Err(error),
        },
        error = write(to_door, to_write) => Err(error),
        error = client.read(from_door, &tell) => Err(error),
        done = work => done,
    }
}

/// The folder in which a session is looked for, as the protocol names it.
pub fn folder_uri(folder: &Path) -> String {
    uri::from_path(folder)
}

/// It shows questions itself, leaves the review of files to editors, and wants no messages beside the conversation.
fn hello(name: &str) -> serde_json::Value {
    json!({
        "processId": null,
        "rootUri": null,
        "clientInfo": { "name": name, "version": env!("CARGO_PKG_VERSION") },
        "capabilities": { "experimental": { "pollux": { "approvals": true, "hunks": true } } },
        "initializationOptions": { "companion": { "enabled": false } },
    })
}

impl Client {
    /// Asks at once; the answer is waited for by whoever wants it.
    pub fn ask(&self, method: &str, params: &impl Serialize) -> Asked {
        let id = self.last.fetch_add(1, Ordering::Relaxed);
        let (answer, answered) = oneshot::channel();
        self.waiting().insert(id, answer);
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        Asked(answered)
    }

    fn notify(&self, method: &str, params: &impl Serialize) {
        self.send(&json!({ "jsonrpc": "2.0", "method": method, "params": params }));
    }

    fn send(&self, message: &serde_json::Value) {
        // Nobody writes any more when the window closes, and then nobody waits for an answer.
        let _closing = self.outgoing.send(message.to_string().into_bytes());
    }

    /// Sends a request that is answered only if the host dies.
    fn watch_host(&self) {
        let never = SnapshotParams {
            after_revision: Some(u64::MAX),
        };
        self.send(
            &json!({ "jsonrpc": "2.0", "id": WATCH, "method": method::SNAPSHOT, "params": never }),
        );
    }

    async fn read(
        &self,
        from_door: impl AsyncRead + Unpin,
        tell: &mpsc::Sender<Told>,
    ) -> io::Error {
        let mut frames = FrameReader::new(from_door, MAX_HOST_FRAME);
        loop {
            let body = match frames.next().await {
                Ok(Some(Incoming::Frame(body))) => body,
                Ok(Some(Incoming::Bad(bad))) => return io::Error::other(bad),
                Ok(None) => return io::ErrorKind::UnexpectedEof.into(),
                Err(error) => return error,
            };
            let Ok(message) = serde_json::from_slice::<Message<'_>>(&body) else {
                continue;
            };
            match (message.method.as_deref(), message.id) {
                (Some(method::SESSION_EVENTS), None) => {
                    let params = message.params.map_or("null", RawValue::get);
                    if let Ok(events) = serde_json::from_str(params)
                        && tell.send(Told::Events(events)).await.is_err()
                    {
                        return io::ErrorKind::BrokenPipe.into();
                    }
                }
                // Whoever asks an editor something is not to wait for a terminal.
                (Some(_), Some(id)) => {
                    let refused = error_reply(id.get(), METHOD_NOT_FOUND, "this is no editor");
                    let _closing = self.outgoing.send(refused);
                }
                (Some(_), None) => {}
                (None, Some(id)) if is_watch(id) => {
                    let code = message.error.map(|failure| failure.code);
                    if code != Some(SERVER_CANCELLED) {
                        continue;
                    }
                    self.watch_host();
                    if tell.send(Told::HostReplaced).await.is_err() {
                        return io::ErrorKind::BrokenPipe.into();
                    }
                }
                (None, id) => self.answered(id, message.result, message.error),
            }
        }
    }

    fn answered(&self, id: Option<&RawValue>, result: Option<&RawValue>, error: Option<Failure>) {
        let id = id.and_then(|id| id.get().parse().ok());
        let Some(waiting) = id.and_then(|id: u64| self.waiting().remove(&id)) else {
            return;
        };
        let reply = match error {
            Some(Failure { code, message }) => Err(match code {
                INVALID_PARAMS => Refusal::NotThere(message),
                SERVER_CANCELLED => Refusal::HostLost(message),
                _ => Refusal::NotPossible(message),
            }),
            None => Ok(result.map(ToOwned::to_owned).unwrap_or_default()),
        };
        // Whoever asked may not want to know any more.
        let _not_waiting = waiting.send(reply);
    }

    fn waiting(&self) -> MutexGuard<'_, HashMap<u64, oneshot::Sender<Reply>>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn is_watch(id: &RawValue) -> bool {
    id.get().trim_matches('"') == WATCH
}

async fn write(
    mut to_door: impl AsyncWrite + Unpin,
    mut to_write: mpsc::UnboundedReceiver<Vec<u8>>,
) -> io::Error {
    while let Some(body) = to_write.recv().await {
        if let Err(error) = to_door.write_all(&framed(&body)).await {
            return error;
        }
    }
    io::ErrorKind::BrokenPipe.into()
}

//! The way to the client: what it is told, what it is asked, and what it can do.

use std::collections::HashMap;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use agent_client_protocol_schema::v1::{
    CancelRequestNotification, ClientCapabilities, Error, Implementation,
    PROTOCOL_LEVEL_METHOD_NAMES, RequestId,
};
use pollux_agent::api::Window;
use serde::Serialize;
use serde_json::Value;
use tokio::io::{AsyncWrite, AsyncWriteExt};
use tokio::sync::{mpsc, oneshot};

use crate::wire::{self, Answer};

/// Lines that may wait for a client that does not read. Whoever has more to say waits too, and what happens meanwhile
/// gathers in the feed.
const CAPACITY: usize = 64;

/// So much is written at once where more is there.
const LARGEST_WRITE: usize = 64 * 1024;

pub(crate) struct Client {
    lines: mpsc::Sender<Vec<u8>>,
    /// What was asked and not answered, by the number of the request.
    asked: Mutex<HashMap<i64, oneshot::Sender<Answer>>>,
    numbers: AtomicI64,
    /// Set by `initialize`, once.
    capabilities: OnceLock<ClientCapabilities>,
    /// What it calls itself, if it does.
    window: OnceLock<Window>,
}

impl Client {
    pub(crate) fn new() -> (Arc<Self>, mpsc::Receiver<Vec<u8>>) {
        let (lines, written) = mpsc::channel(CAPACITY);
        let client = Self {
            lines,
            asked: Mutex::default(),
            numbers: AtomicI64::new(1),
            capabilities: OnceLock::new(),
            window: OnceLock::new(),
        };
        (Arc::new(client), written)
    }

    /// The client has said what it can do, and who it is. Only the first time counts.
    pub(crate) fn introduce(&self, capabilities: ClientCapabilities, info: Option<Implementation>) {
        if let Some(info) = info {
            let name = info.title.unwrap_or(info.name);
            let _said_before = self.window.set(Window(name.into()));
        }
        let _said_before = self.capabilities.set(capabilities);
    }

    /// Where somebody says something who says it here.
    pub(crate) fn window(&self) -> Option<Window> {
        self.window.get().cloned()
    }

    /// Nothing before the client has said so.
    pub(crate) fn capabilities(&self) -> Option<&ClientCapabilities> {
        self.capabilities.get()
    }

    pub(crate) fn traits(&self) -> Traits {
        self.capabilities().map(Traits::of).unwrap_or_default()
    }

    pub(crate) async fn notify(&self, method: &'static str, params: &impl Serialize) {
        self.send(wire::notification(method, params)).await;
    }

    pub(crate) async fn respond(&self, id: &RequestId, result: Result<impl Serialize, Error>) {
        let line = match result {
            Ok(result) => wire::response(id, &result),
            Err(error) => wire::refusal(id, &error),
        };
        self.send(line).await;
    }

    /// Asks something. The question is taken back when it is dropped before its answer has come.
    pub(crate) async fn ask(
        self: &Arc<Self>,
        method: &'static str,
        params: &impl Serialize,
    ) -> (Question, oneshot::Receiver<Answer>) {
        let id = self.numbers.fetch_add(1, Ordering::Relaxed);
        let (answer, coming) = oneshot::channel();
        self.lock().insert(id, answer);
        let question = Question {
            id,
            client: Arc::clone(self),
        };
        self.send(wire::request(id, method, params)).await;
        (question, coming)
    }

    /// By another host. It may still answer, and that must not count here.
    pub(crate) fn has_been_asked(&self, last: i64) {
        self.numbers
            .fetch_max(last.saturating_add(1), Ordering::Relaxed);
    }

    /// The client has answered. What nobody waits for any more is let go.
    pub(crate) fn answered(&self, id: &RequestId, answer: Answer) {
        let RequestId::Number(number) = id else {
            return;
        };
        if let Some(waiting) = self.lock().remove(number) {
            let _given_up = waiting.send(answer);
        }
    }

    async fn send(&self, line: Vec<u8>) {
        let _client_is_gone = self.lines.send(line).await;
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<i64, oneshot::Sender<Answer>>> {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Something that the client was asked, for as long as somebody wants to know.
pub(crate) struct Question {
    id: i64,
    client: Arc<Client>,
}

impl Drop for Question {
    fn drop(&mut self) {
        // What the client has answered it need not take away.
        if self.client.lock().remove(&self.id).is_none() {
            return;
        }
        let cancel = CancelRequestNotification::new(self.id);
        let line = wire::notification(PROTOCOL_LEVEL_METHOD_NAMES.cancel_request, &cancel);
        if let Err(mpsc::error::TrySendError::Full(line)) = self.client.lines.try_send(line) {
            let lines = self.client.lines.clone();
            tokio::spawn(async move {
                let _client_is_gone = lines.send(line).await;
            });
        }
    }
}

/// What of the client's abilities changes what it is told.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Traits {
    /// It shows what a command of ours prints as a terminal.
    pub(crate) terminals: bool,
    pub(crate) notices: bool,
    pub(crate) compaction: bool,
    /// It lets a person fill in a form.
    pub(crate) forms: bool,
    /// It runs a program of ours in a terminal, for signing in.
    pub(crate) signs_in: bool,
}

impl Traits {
    fn of(capabilities: &ClientCapabilities) -> Self {
        let session = capabilities.session.as_ref();
        let meta = |name: &str| {
            let value = capabilities.meta.as_ref().and_then(|meta| meta.get(name));
            value.and_then(Value::as_bool).unwrap_or_default()
        };
        Self {
            terminals: meta("terminal_output"),
            notices: session.is_some_and(|session| session.notices.is_some()),
            compaction: session.is_some_and(|session| session.compaction.is_some()),
            forms: capabilities
                .elicitation
                .as_ref()
                .is_some_and(|elicitation| elicitation.supports_form()),
            signs_in: capabilities.auth.terminal,
        }
    }
}

/// Writes lines until nobody has any more, or the client has stopped listening.
pub(crate) async fn write(
    mut writer: impl AsyncWrite + Unpin,
    mut lines: mpsc::Receiver<Vec<u8>>,
) -> std::io::Result<()> {
    while let Some(mut lot) = lines.recv().await {
        while lot.len() < LARGEST_WRITE {
            match lines.try_recv() {
                Ok(line) => lot.extend_from_slice(&line),
                Err(_) => break,
            }
        }
        writer.write_all(&lot).await?;
        writer.flush().await?;
    }
    writer.shutdown().await
}

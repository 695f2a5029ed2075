//! A language client for tests, over any pair of streams.
//!
//! It fails the test when a message from the server goes unread: at the end a test has either
//! read every message, answered it by its table, or said that it does not care. Every wait has a
//! deadline. The client speaks frames and JSON by code of its own, so that it cannot share a
//! mistake with the server's protocol crate.

mod documents;
mod frames;
mod inbox;
mod initialize;
mod message;
mod pending;
mod writer;

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use serde_json::{Value, json};
use tokio::io::{AsyncRead, AsyncWrite, BufReader, DuplexStream};
use tokio::sync::{mpsc, watch};
use tokio::task::AbortHandle;

pub use frames::{FrameError, encode_frame, read_frame};
pub use inbox::Ending;
pub use initialize::{InitializeOptions, workspace_folder};
pub use message::{Message, RequestId, RpcError};
pub use pending::PendingRequest;

use crate::deadline::DEFAULT_DEADLINE;
use crate::mirror_buffer::PositionEncoding;
use inbox::{Inbox, OwedReply};
use writer::Writer;

/// The room of the in-memory pipe: small enough that a server which stops reading is noticed.
const PIPE_BYTES: usize = 64 * 1024;

pub struct FakeEditor {
    inbox: Arc<Inbox>,
    writer: Arc<Writer>,
    next_id: AtomicI64,
    reading: watch::Sender<bool>,
    /// Whether the drop of this editor reports unread messages.
    checks_leftovers: bool,
    tasks: [AbortHandle; 2],
}

impl FakeEditor {
    /// An editor that reads `from_server` and writes `to_server`, such as the stdout and stdin of
    /// a child process. Must be called inside a tokio runtime.
    pub fn new(
        from_server: impl AsyncRead + Send + Unpin + 'static,
        to_server: impl AsyncWrite + Send + Unpin + 'static,
    ) -> Self {
        let (owe_reply, owed_replies) = mpsc::unbounded_channel();
        let inbox = Arc::new(Inbox::new(DEFAULT_DEADLINE, owe_reply));
        let writer = Arc::new(Writer::new(to_server, DEFAULT_DEADLINE));
        let (reading, may_read) = watch::channel(true);
        let tasks = [
            tokio::spawn(read_messages(from_server, may_read, Arc::clone(&inbox))).abort_handle(),
            tokio::spawn(send_owed_replies(owed_replies, Arc::clone(&writer))).abort_handle(),
        ];
        Self {
            inbox,
            writer,
            next_id: AtomicI64::new(1),
            reading,
            checks_leftovers: true,
            tasks,
        }
    }

    /// An editor at one end of an in-memory pipe; the other end is the server's, to be parted with
    /// `tokio::io::split`.
    pub fn in_memory() -> (Self, DuplexStream) {
        let (ours, theirs) = tokio::io::duplex(PIPE_BYTES);
        let (from_server, to_server) = tokio::io::split(ours);
        (Self::new(from_server, to_server), theirs)
    }

    /// Changes how long each later wait may take.
    pub fn set_deadline(&self, limit: Duration) {
        self.inbox.state().deadline = limit;
        self.writer.set_deadline(limit);
    }

    /// `initialize` and `initialized`; returns the server's result.
    ///
    /// # Panics
    /// When the server refuses.
    pub async fn initialize(&self, options: InitializeOptions) -> Value {
        let result = self
            .request("initialize", options.into_params())
            .await
            .unwrap_or_else(|error| panic!("the server refused `initialize`: {error}"));
        self.notify("initialized", json!({})).await;
        result
    }

    /// Sends a request and waits for its reply.
    pub async fn request(&self, method: &str, params: Value) -> Result<Value, RpcError> {
        self.start_request(method, params).await.result().await
    }

    /// Sends a request whose reply is read later. `null` params are left out.
    pub async fn start_request(&self, method: &str, params: Value) -> PendingRequest {
        let id = self.next_id.fetch_add(1, Ordering::Relaxed);
        self.inbox.state().replies.insert(id, None);
        let mut message = json!({ "jsonrpc": "2.0", "id": id, "method": method });
        if !params.is_null() {
            message["params"] = params;
        }
        self.writer.send(&message).await;
        PendingRequest {
            id,
            method: method.to_owned(),
            inbox: Arc::clone(&self.inbox),
            writer: Arc::clone(&self.writer),
        }
    }

    /// Sends a notification. `null` params are left out.
    pub async fn notify(&self, method: &str, params: Value) {
        let mut message = json!({ "jsonrpc": "2.0", "method": method });
        if !params.is_null() {
            message["params"] = params;
        }
        self.writer.send(&message).await;
    }

    /// Sends bytes as they are. An error is a server that has closed its side.
    pub async fn send_raw(&self, bytes: &[u8]) -> std::io::Result<()> {
        self.writer.try_send(bytes).await
    }

    /// Waits for a notification and returns its params. Other messages stay unread.
    pub async fn expect_notification(&self, method: &str) -> Value {
        let what = format!("the notification {method}");
        let is_wanted = |message: &Message| matches!(message, Message::Notification { method: found, .. } if found == method);
        match self.take_message(&what, is_wanted).await {
            Message::Notification { params, .. } => params,
            other => panic!("took {other} for {what}"),
        }
    }

    /// Waits for a request and returns its id and params. Other messages stay unread.
    pub async fn expect_request(&self, method: &str) -> (RequestId, Value) {
        let what = format!("the request {method}");
        let is_wanted = |message: &Message| matches!(message, Message::Request { method: found, .. } if found == method);
        match self.take_message(&what, is_wanted).await {
            Message::Request { id, params, .. } => (id, params),
            other => panic!("took {other} for {what}"),
        }
    }

    /// Waits for the oldest unread message, whatever it is; the replies of pending requests are
    /// not among them.
    pub async fn next_message(&self) -> Message {
        self.take_message("any message", |_| true).await
    }

    /// The oldest unread message that has arrived already.
    pub fn try_next_message(&self) -> Option<Message> {
        self.inbox.state().unread.pop_front()
    }

    async fn take_message(&self, what: &str, is_wanted: impl Fn(&Message) -> bool) -> Message {
        self.inbox
            .wait_for(what, |state| {
                let place = state.unread.iter().position(&is_wanted)?;
                state.unread.remove(place)
            })
            .await
    }

    /// Answers a server request.
    pub async fn respond(&self, id: &RequestId, result: Value) {
        self.writer
            .send(&json!({ "jsonrpc": "2.0", "id": id, "result": result }))
            .await;
    }

    /// Refuses a server request.
    pub async fn respond_error(&self, id: &RequestId, error: &RpcError) {
        self.writer
            .send(&json!({ "jsonrpc": "2.0", "id": id, "error": error }))
            .await;
    }

    /// From now on answers every server request of this method with `result`.
    pub fn answer(&self, method: &str, result: Value) {
        self.answer_with(method, move |_| result.clone());
    }

    /// From now on answers every server request of this method with what `answer` makes of its
    /// params.
    pub fn answer_with(&self, method: &str, answer: impl Fn(&Value) -> Value + Send + 'static) {
        self.inbox.answer_with(method, Box::new(answer));
    }

    /// The params of the requests that the answer table has answered for this method.
    pub fn answered(&self, method: &str) -> Vec<Value> {
        let state = self.inbox.state();
        let of_method = state.answered.iter().filter(|(found, _)| found == method);
        of_method.map(|(_, params)| params.clone()).collect()
    }

    /// Says that the test does not care for notifications of this method, past and future.
    pub fn ignore(&self, method: &str) {
        let mut state = self.inbox.state();
        state.ignored.insert(method.to_owned());
        state.unread.retain(|message| {
            !matches!(message, Message::Notification { method: found, .. } if found == method)
        });
    }

    /// Takes nothing more off the stream, like a client that hangs. One message that is being
    /// read may still arrive.
    pub fn stop_reading(&self) {
        self.reading.send_replace(false);
    }

    pub fn resume_reading(&self) {
        self.reading.send_replace(true);
    }

    /// Closes the editor's side; the server sees the end of its input.
    pub async fn close_input(&self) {
        self.writer.close().await;
    }

    /// Waits until the server has closed its side, and says how. Messages sent before stay to be
    /// read.
    pub async fn wait_closed(&self) -> Ending {
        self.inbox
            .wait_for("the end of the server's stream", |state| {
                state.ended.clone()
            })
            .await
    }

    /// `shutdown`, `exit`, and the end of the server's stream while its input is still open.
    ///
    /// # Panics
    /// When the server does not follow, or a message went unread.
    pub async fn finish(self) {
        let result = self.request("shutdown", Value::Null).await;
        assert_eq!(result, Ok(Value::Null), "`shutdown` returns null");
        self.notify("exit", Value::Null).await;
        let ending = self.wait_closed().await;
        assert_eq!(ending, Ending::Closed, "the stream ends between messages");
        drop(self);
    }

    /// Leaves at once, whatever is unread: for tests in which a side is killed.
    pub fn abandon(mut self) {
        self.checks_leftovers = false;
    }
}

/// The messages that have arrived are checked; [`FakeEditor::finish`] also waits for those under
/// way.
impl Drop for FakeEditor {
    fn drop(&mut self) {
        for task in &self.tasks {
            task.abort();
        }
        let leftovers = self.inbox.state().leftovers();
        self.inbox.end(Ending::Dropped);
        if self.checks_leftovers && !leftovers.is_empty() && !std::thread::panicking() {
            panic!(
                "the test left messages unread:\n  {}",
                leftovers.join("\n  ")
            );
        }
    }
}

async fn read_messages(
    from_server: impl AsyncRead + Unpin,
    mut may_read: watch::Receiver<bool>,
    inbox: Arc<Inbox>,
) {
    let mut stream = BufReader::new(from_server);
    loop {
        if may_read.wait_for(|reading| *reading).await.is_err() {
            return;
        }
        let message = match read_frame(&mut stream).await {
            Ok(Some(frame)) => Message::parse(&frame),
            Ok(None) => return inbox.end(Ending::Closed),
            Err(error) => Err(error.to_string()),
        };
        match message {
            Ok(message) => inbox.arrived(message),
            Err(reason) => return inbox.end(Ending::Broken(reason)),
        }
    }
}

async fn send_owed_replies(mut owed: mpsc::UnboundedReceiver<OwedReply>, writer: Arc<Writer>) {
    while let Some((id, result)) = owed.recv().await {
        let frame = encode_frame(&json!({ "jsonrpc": "2.0", "id": id, "result": result }));
        if writer.try_send(&frame).await.is_err() {
            // The server is gone and needs no reply.
            return;
        }
    }
}

/// The unit of positions that an `initialize` result settled on.
///
/// # Panics
/// When the server names a unit that does not exist.
pub fn settled_encoding(initialize_result: &Value) -> PositionEncoding {
    match &initialize_result["capabilities"]["positionEncoding"] {
        Value::Null => PositionEncoding::default(),
        named => serde_json::from_value(named.clone())
            .unwrap_or_else(|error| panic!("position encoding {named}: {error}")),
    }
}

#[cfg(test)]
mod tests;

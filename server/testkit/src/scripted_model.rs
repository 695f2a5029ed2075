//! A model server that follows a script, over real HTTP/1.1 on loopback.
//!
//! It speaks the Gemini API (streamed as events, streamed as an array, or whole), Vertex paths
//! included, and OpenAI-compatible chat completions, choosing the shape by the request. Anything
//! else, such as `/v1/models` or `/api/tags`, is scripted as a raw reply. A script is data: built
//! in Rust, or read from a JSON file by the program `scripted-model`.
//!
//! The server runs on the runtime of the test, so on a paused clock its pauses cost nothing.

mod chat;
mod clock;
mod cursor;
mod encoder;
mod error_reply;
mod gates;
mod gemini;
mod playback;
mod record;
mod refused;
mod reply;
mod script;
mod server;
mod socket;
mod step;

use std::net::{Ipv4Addr, SocketAddr};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use tokio::net::TcpListener;
use tokio::sync::{oneshot, watch};
use tokio::task::JoinHandle;

pub use error_reply::{ErrorDetail, ErrorInfo, ErrorReply, QuotaViolation};
pub use record::{RecordedRequest, ReplyEnd};
pub use refused::RefusedPort;
pub use reply::{Reply, When};
pub use script::{Script, ScriptError};
pub use step::{Call, Citation, Finish, RawBytes, Repeat, Step, Usage};

use crate::deadline::{DEFAULT_DEADLINE, within};
use record::Exchange;
use server::Stage;

/// A running server. Dropping it closes the port and every connection.
pub struct ScriptedModel {
    address: SocketAddr,
    stage: Arc<Stage>,
    is_strict: bool,
    deadline: Duration,
    /// How many requests [`ScriptedModel::next_request`] has returned.
    returned: AtomicUsize,
    /// Taken by [`ScriptedModel::stop`].
    running: Option<(oneshot::Sender<()>, JoinHandle<()>)>,
}

impl ScriptedModel {
    /// Starts on a free port.
    ///
    /// # Panics
    /// When the script contradicts itself.
    pub async fn start(script: Script) -> Self {
        Self::bind(script, 0, None)
            .await
            .unwrap_or_else(|error| panic!("the scripted model cannot start: {error}"))
    }

    /// Starts on the given port, 0 for any, and appends each request to `record` as a JSON line
    /// before it is answered.
    ///
    /// # Panics
    /// When the script contradicts itself.
    pub async fn bind(script: Script, port: u16, record: Option<&Path>) -> std::io::Result<Self> {
        script.check();
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await?;
        let address = listener.local_addr()?;
        let open = |path| {
            std::fs::OpenOptions::new()
                .create(true)
                .append(true)
                .open(path)
        };
        let record_file = record.map(open).transpose()?;
        let is_strict = script.strict;
        let stage = Arc::new(Stage::new(script, record_file));
        let (stop, stopped) = oneshot::channel();
        let task = tokio::spawn(server::run(listener, Arc::clone(&stage), stopped));
        Ok(Self {
            address,
            stage,
            is_strict,
            deadline: DEFAULT_DEADLINE,
            returned: AtomicUsize::new(0),
            running: Some((stop, task)),
        })
    }

    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The base URL, without a slash at its end.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Changes how long each later wait may take.
    pub fn set_deadline(&mut self, limit: Duration) {
        self.deadline = limit;
    }

    /// Waits for the first request that this method has not returned yet.
    pub async fn next_request(&self) -> Arc<RecordedRequest> {
        loop {
            let index = self.returned.load(Ordering::SeqCst);
            let what = format!("awaited request {}", index + 1);
            let request = self
                .wait_for_log(&what, |log| {
                    log.get(index).map(|exchange| Arc::clone(&exchange.request))
                })
                .await;
            let is_mine = self.returned.compare_exchange(
                index,
                index + 1,
                Ordering::SeqCst,
                Ordering::SeqCst,
            );
            if is_mine.is_ok() {
                return request;
            }
        }
    }

    /// Every request so far, in the order of arrival.
    pub fn requests(&self) -> Vec<Arc<RecordedRequest>> {
        let log = self.stage.log.borrow();
        log.iter()
            .map(|exchange| Arc::clone(&exchange.request))
            .collect()
    }

    /// Waits until the reply to the request of this order (from 1) has ended, and says how: a
    /// client that cancels must close its connection.
    pub async fn reply_end(&self, order: usize) -> ReplyEnd {
        let what = format!("awaited the end of the reply to request {order}");
        self.wait_for_log(&what, |log| log.get(order.checked_sub(1)?)?.end)
            .await
    }

    /// Lets replies pass this gate, now and later.
    pub fn open_gate(&self, name: &str) {
        self.stage.gates.open(name);
    }

    /// Waits until a reply stands before this gate: everything earlier in it has been handed to
    /// the network or is about to be.
    pub async fn gate_reached(&self, name: &str) {
        within(self.deadline, self.stage.gates.wait_reached(name), || {
            format!("no reply reached the gate {name:?}\n{}", self.describe())
        })
        .await;
    }

    /// # Panics
    /// When a reply was not used as often as the script says, or a request had none.
    pub fn assert_exhausted(&self) {
        let flaws = self.flaws();
        assert!(
            flaws.is_empty(),
            "the script and the requests differ:\n  {}",
            flaws.join("\n  ")
        );
    }

    /// What [`ScriptedModel::assert_exhausted`] would complain about.
    pub fn flaws(&self) -> Vec<String> {
        self.stage.flaws()
    }

    /// Stops, and returns when the port and every connection are closed.
    pub async fn stop(mut self) {
        if let Some((stop, task)) = self.running.take() {
            drop(stop);
            task.await.expect("the server does not panic");
        }
    }

    async fn wait_for_log<T>(&self, what: &str, look: impl Fn(&[Exchange]) -> Option<T>) -> T {
        let mut log: watch::Receiver<Vec<Exchange>> = self.stage.log.subscribe();
        let wait = async {
            let found = log.wait_for(|log| look(log).is_some()).await;
            let log = found.expect("the stage holds the sender");
            look(&log).expect("found a moment ago")
        };
        within(self.deadline, wait, || {
            format!("{what}\n{}", self.describe())
        })
        .await
    }

    fn describe(&self) -> String {
        let log = self.stage.log.borrow();
        let lines = log
            .iter()
            .map(|exchange| format!("\n  {}: {:?}", exchange.request.describe(), exchange.end));
        format!("requests so far:{}", lines.collect::<String>())
    }
}

impl Drop for ScriptedModel {
    fn drop(&mut self) {
        if let Some((_stop, task)) = &self.running {
            task.abort();
        }
        if self.is_strict && !std::thread::panicking() {
            self.assert_exhausted();
        }
    }
}

#[cfg(test)]
mod tests;

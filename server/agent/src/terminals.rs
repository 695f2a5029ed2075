//! Terminals of those who show a session. A command runs in one where it is offered and settings ask for it.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures_util::future::BoxFuture;
use tokio_util::sync::CancellationToken;

use crate::Completeness;

/// An answer of a client. It may never come: whoever waits has a deadline.
pub type TerminalAnswer<T> = BoxFuture<'static, Result<T, TerminalFailure>>;

/// Somebody who shows a session and has terminals.
pub trait TerminalClient: Send + Sync {
    /// Starts a command. One that nobody waits for any more is released as soon as it is known.
    fn create(&self, order: TerminalOrder) -> TerminalAnswer<Arc<dyn ClientTerminal>>;
}

/// A terminal in which a command of ours runs. Dropping it releases it, and ends what still runs in it.
pub trait ClientTerminal: Send + Sync {
    fn name(&self) -> TerminalName;

    /// What it shows so far.
    fn output(&self) -> TerminalAnswer<TerminalOutput>;

    /// Answers when the command has ended.
    fn end(&self) -> TerminalAnswer<TerminalEnd>;

    /// Ends the command. What it has printed can still be read.
    fn kill(&self) -> TerminalAnswer<()>;
}

/// By which only its owner knows a terminal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TerminalName {
    pub owner: Arc<str>,
    pub id: Arc<str>,
}

/// What is to run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TerminalOrder {
    pub program: String,
    pub arguments: Vec<String>,
    /// Beside those of the client.
    pub variables: Vec<(String, String)>,
    pub folder: PathBuf,
    /// Bytes. Of more the client keeps the end.
    pub longest_output: u64,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TerminalOutput {
    pub text: String,
    pub completeness: Completeness,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TerminalEnd {
    pub code: Option<i32>,
    /// By name or number, as the client has it.
    pub signal: Option<String>,
}

/// Why a client did not do it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TerminalFailure {
    #[error("{0}")]
    Refused(String),
    #[error("the client does not answer")]
    NoAnswer,
}

/// Those who offer terminals for one session.
#[derive(Default)]
pub struct Terminals {
    /// The one that came last is last.
    clients: Mutex<Vec<Offering>>,
}

/// A client, and when it has gone.
#[derive(Clone)]
pub(crate) struct Offering {
    pub(crate) client: Arc<dyn TerminalClient>,
    pub(crate) gone: CancellationToken,
}

/// Keeps an offer. When it is dropped, nobody asks any more, and whoever waits has an answer.
pub struct TerminalOffer {
    terminals: Arc<Terminals>,
    offering: Offering,
}

impl Terminals {
    pub fn offer(self: &Arc<Self>, client: Arc<dyn TerminalClient>) -> TerminalOffer {
        let offering = Offering {
            client,
            gone: CancellationToken::new(),
        };
        self.lock().push(offering.clone());
        TerminalOffer {
            terminals: Arc::clone(self),
            offering,
        }
    }

    /// Who came last.
    pub(crate) fn offered(&self) -> Option<Offering> {
        self.lock().last().cloned()
    }

    /// Held for a few operations on memory.
    fn lock(&self) -> MutexGuard<'_, Vec<Offering>> {
        self.clients.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for TerminalOffer {
    fn drop(&mut self) {
        let is_own = |one: &Offering| Arc::ptr_eq(&one.client, &self.offering.client);
        self.terminals.lock().retain(|one| !is_own(one));
        self.offering.gone.cancel();
    }
}

//! The way to a session: ops go in here, and what somebody typed is kept before they hear that it has arrived.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use tokio::sync::mpsc;

use crate::api::{KeptId, Op, Prompt};
use crate::{Keep, PromptKeeper};

/// Sends ops to a session. The session ends, and stops its turn, when the last handle is gone.
#[derive(Clone)]
pub struct SessionHandle {
    pub(super) ops: mpsc::Sender<Op>,
    /// Nothing where nobody keeps what was typed.
    shelf: Option<Shelf>,
}

/// The session has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the session has ended")]
pub struct SessionClosed;

impl SessionHandle {
    pub(super) fn new(ops: mpsc::Sender<Op>, shelf: Shelf) -> Self {
        Self {
            ops,
            shelf: Some(shelf),
        }
    }

    /// A handle to somebody who asks as a session does and is none, such as an agent outside.
    pub fn of(ops: mpsc::Sender<Op>) -> Self {
        Self { ops, shelf: None }
    }

    /// Queues an op. It is carried out in order; the answer is an event. What somebody has typed outlives the process
    /// from the moment this returns.
    pub async fn submit(&self, op: Op) -> Result<(), SessionClosed> {
        let Some(shelf) = &self.shelf else {
            return self.send(op).await;
        };
        let (op, kept) = match op {
            Op::Queue(prompt) => shelf.keep(prompt, Op::Queue),
            Op::Steer(prompt) => shelf.keep(prompt, Op::Steer),
            op => return self.send(op).await,
        };
        if let Err(closed) = self.send(op).await {
            // Whoever typed it is told, and still has it.
            shelf.gone(kept);
            return Err(closed);
        }
        // The session is at it already: nothing but the answer waits for the disk.
        shelf.keeper.kept().await;
        Ok(())
    }

    async fn send(&self, op: Op) -> Result<(), SessionClosed> {
        self.ops.send(op).await.map_err(|_| SessionClosed)
    }
}

impl fmt::Debug for SessionHandle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SessionHandle").finish_non_exhaustive()
    }
}

/// Names and keeps what was typed, for a session and for everybody who has a handle to it.
#[derive(Clone)]
pub(super) struct Shelf {
    keeper: Arc<dyn PromptKeeper>,
    names: Arc<AtomicU64>,
}

impl Shelf {
    /// `waiting` was left by another process, and is kept already.
    pub(super) fn new(keeper: Arc<dyn PromptKeeper>, waiting: &[Prompt]) -> Self {
        let names = waiting.iter().filter_map(|prompt| prompt.kept);
        let last = names.map(|KeptId(name)| name).max().unwrap_or_default();
        Self {
            keeper,
            names: Arc::new(AtomicU64::new(last)),
        }
    }

    fn keep(&self, mut prompt: Prompt, op: fn(Prompt) -> Op) -> (Op, KeptId) {
        let id = KeptId(self.names.fetch_add(1, Ordering::Relaxed) + 1);
        prompt.kept = Some(id);
        self.put(Keep::Prompt {
            id,
            prompt: &prompt,
        });
        (op(prompt), id)
    }

    /// It need not be kept any longer.
    pub(super) fn gone(&self, id: KeptId) {
        self.put(Keep::Gone(id));
    }

    pub(super) fn put(&self, step: Keep<'_>) {
        self.keeper.keep(step);
    }
}

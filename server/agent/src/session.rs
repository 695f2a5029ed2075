//! A session: one task that owns the conversation and runs at most one turn at a time.

#[cfg(test)]
mod tests;

use std::path::PathBuf;
use std::pin::pin;
use std::sync::Arc;

use pollux_model::{Content, Model};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use crate::Files;
use crate::api::{Event, Op, Refusal, TurnId};
use crate::turn::{Events, Pending, Turn};

/// Ops are rare; a door that floods waits here.
const OP_CAPACITY: usize = 32;
/// A door that does not listen slows its session down instead of filling the memory.
const EVENT_CAPACITY: usize = 256;

/// What a session is made of.
pub struct SessionConfig {
    pub model: Model,
    pub files: Arc<dyn Files>,
    /// Absolute: the folder that tool paths are relative to.
    pub root: PathBuf,
    pub system_instruction: Option<String>,
    /// How often one prompt may go back to the model.
    pub round_limit: usize,
}

impl SessionConfig {
    /// The twin's budget of rounds per prompt.
    pub const ROUND_LIMIT: usize = 100;
}

/// The task's own state. Talk to it through its [`SessionHandle`].
pub struct Session {
    config: SessionConfig,
    history: Vec<Content>,
    turns: u64,
    proposals: u64,
    ops: mpsc::Receiver<Op>,
    events: mpsc::Sender<Event>,
}

/// Sends ops to a session. The session ends, and stops its turn, when the last handle is gone.
#[derive(Clone, Debug)]
pub struct SessionHandle {
    ops: mpsc::Sender<Op>,
}

/// The session has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the session has ended")]
pub struct SessionClosed;

impl Session {
    /// Starts a session on the current tokio runtime. Dropping the receiver ends it too.
    pub fn start(config: SessionConfig) -> (SessionHandle, mpsc::Receiver<Event>) {
        let (op_tx, op_rx) = mpsc::channel(OP_CAPACITY);
        let (event_tx, event_rx) = mpsc::channel(EVENT_CAPACITY);
        let session = Self {
            config,
            history: Vec::new(),
            turns: 0,
            proposals: 0,
            ops: op_rx,
            events: event_tx,
        };
        tokio::spawn(session.run());
        (SessionHandle { ops: op_tx }, event_rx)
    }

    async fn run(mut self) {
        while let Some(op) = self.ops.recv().await {
            let heard = match op {
                Op::StartTurn { prompt } => self.run_turn(prompt).await,
                Op::Decide { .. } | Op::CancelTurn => {
                    refuse(&self.events, Refusal::NoTurnIsRunning).await
                }
            };
            if heard == Heard::No {
                break;
            }
        }
    }

    /// Runs one turn, and meanwhile takes the ops that concern it.
    async fn run_turn(&mut self, prompt: String) -> Heard {
        self.turns += 1;
        let cancel = CancellationToken::new();
        let pending = Pending::default();
        let turn = Turn {
            id: TurnId(self.turns),
            config: &self.config,
            history: &mut self.history,
            proposals: &mut self.proposals,
            events: Events::new(self.events.clone(), cancel.clone()),
            pending: pending.clone(),
            cancel: cancel.clone(),
        };
        let mut running = pin!(turn.run(prompt));
        let mut handle_is_alive = true;
        loop {
            tokio::select! {
                () = &mut running => break,
                op = self.ops.recv(), if handle_is_alive => match op {
                    Some(Op::CancelTurn) => cancel.cancel(),
                    Some(Op::Decide { proposal, decisions }) => {
                        if let Err(refusal) = pending.answer(proposal, decisions) {
                            refuse(&self.events, refusal).await;
                        }
                    }
                    Some(Op::StartTurn { .. }) => {
                        refuse(&self.events, Refusal::TurnIsRunning).await;
                    }
                    None => {
                        handle_is_alive = false;
                        cancel.cancel();
                    }
                },
            }
        }
        if self.events.is_closed() {
            Heard::No
        } else {
            Heard::Yes
        }
    }
}

impl SessionHandle {
    /// Queues an op. It is carried out in order; the answer is an event.
    pub async fn submit(&self, op: Op) -> Result<(), SessionClosed> {
        self.ops.send(op).await.map_err(|_| SessionClosed)
    }
}

/// Whether anyone listens to the session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Heard {
    Yes,
    No,
}

async fn refuse(events: &mpsc::Sender<Event>, refusal: Refusal) -> Heard {
    match events.send(Event::OpRefused(refusal)).await {
        Ok(()) => Heard::Yes,
        Err(_) => Heard::No,
    }
}

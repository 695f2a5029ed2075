use tokio::sync::mpsc;
use tokio_util::sync::{CancellationToken, DropGuard};

use crate::api::{Event, TurnId};

/// Where a turn's events go. Lives as long as the turn does.
pub(crate) struct Events {
    tx: mpsc::Sender<Event>,
    cancel: CancellationToken,
    turn: TurnId,
    over: CancellationToken,
    _ends: DropGuard,
}

impl Events {
    pub(crate) fn new(tx: mpsc::Sender<Event>, cancel: CancellationToken) -> Self {
        let over = CancellationToken::new();
        Self {
            tx,
            cancel,
            turn: TurnId(0),
            _ends: over.clone().drop_guard(),
            over,
        }
    }

    pub(crate) fn of_turn(self, turn: TurnId) -> Self {
        Self { turn, ..self }
    }

    pub(crate) fn turn(&self) -> TurnId {
        self.turn
    }

    /// For what goes on by itself, and not longer than the turn.
    pub(crate) fn over(&self) -> CancellationToken {
        self.over.clone()
    }

    /// Waits while the listener is behind. When nobody listens any more there is nobody to decide either, so
    /// the turn is cancelled.
    pub(crate) async fn emit(&self, event: Event) {
        if self.tx.send(event).await.is_err() {
            self.cancel.cancel();
        }
    }
}

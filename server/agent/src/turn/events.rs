use tokio::sync::mpsc;
use tokio_util::sync::{CancellationToken, DropGuard};

use crate::Spent;
use crate::api::{Event, TurnId, Usage};
use crate::cost::Meter;

/// Where a turn's events go. Lives as long as the turn does.
pub(crate) struct Events {
    tx: mpsc::Sender<Event>,
    cancel: CancellationToken,
    turn: TurnId,
    meter: Meter,
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
            meter: Meter::default(),
            _ends: over.clone().drop_guard(),
            over,
        }
    }

    pub(crate) fn of_turn(self, turn: TurnId, meter: Meter) -> Self {
        meter.begin_turn();
        Self {
            turn,
            meter,
            ..self
        }
    }

    /// Tells what the use of a model costs, if that is known.
    pub(crate) async fn used(&self, model: &str, usage: Usage) {
        if let Some(cost) = self.meter.add(model, usage) {
            self.emit(Event::CostGrown(cost)).await;
        }
    }

    /// What the session has cost, if this turn has added to it.
    pub(crate) fn spent(&self) -> Option<Spent> {
        self.meter.spent_in_turn()
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

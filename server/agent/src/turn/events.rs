use std::sync::Arc;

use pollux_model::Retry;
use tokio::sync::mpsc;
use tokio_util::sync::{CancellationToken, DropGuard};

use super::retries::{RetryWait, RetryWaits};
use crate::Spent;
use crate::agents::Delegate;
use crate::api::{CallId, Event, TurnId, Usage};
use crate::cost::Meter;

/// Where a turn's events go. Lives as long as the turn does.
pub(crate) struct Events {
    tx: mpsc::Sender<Event>,
    cancel: CancellationToken,
    turn: TurnId,
    meter: Meter,
    /// The sub-agent whose turn it is.
    delegate: Option<Arc<Delegate>>,
    retries: RetryWaits,
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
            delegate: None,
            retries: RetryWaits::default(),
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

    /// For a sub-agent that works in this turn.
    pub(crate) fn of_delegate(&self, delegate: Arc<Delegate>) -> Self {
        Self {
            turn: self.turn,
            meter: self.meter.clone(),
            delegate: Some(delegate),
            retries: self.retries.clone(),
            ..Self::new(self.tx.clone(), self.cancel.clone())
        }
    }

    /// The sub-agent whose turn it is, if it is one's.
    pub(crate) fn delegate(&self) -> Option<&Delegate> {
        self.delegate.as_deref()
    }

    /// The requests that wait before they are sent again.
    pub(crate) fn retries(&self) -> &RetryWaits {
        &self.retries
    }

    /// Tells of a wait. It can be ended by anybody as long as what is returned is there.
    pub(crate) async fn retrying(&self, retry: Retry) -> RetryWait {
        let wait = self.retries.begin(retry.trigger.clone());
        self.emit(Event::RequestRetried(retry)).await;
        wait
    }

    /// A wait is over. That is told once nothing else waits.
    pub(crate) async fn retry_started(&self, wait: Option<RetryWait>) {
        drop(wait);
        if !self.retries.is_waiting() {
            self.emit(Event::RetryStarted).await;
        }
    }

    /// The calls that wait while somebody is asked about this one: it, and the one that a sub-agent works for.
    pub(crate) fn waiting_calls(&self, call: Option<&CallId>) -> Vec<CallId> {
        let around = self.delegate().map(Delegate::call);
        call.into_iter().chain(around).cloned().collect()
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
        let event = match &self.delegate {
            None => Some(event),
            Some(delegate) => delegate.told(event),
        };
        if let Some(event) = event
            && self.tx.send(event).await.is_err()
        {
            self.cancel.cancel();
        }
    }
}

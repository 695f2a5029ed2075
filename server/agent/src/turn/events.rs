use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use crate::api::Event;

/// Where a turn's events go.
pub(crate) struct Events {
    tx: mpsc::Sender<Event>,
    cancel: CancellationToken,
}

impl Events {
    pub(crate) fn new(tx: mpsc::Sender<Event>, cancel: CancellationToken) -> Self {
        Self { tx, cancel }
    }

    /// Waits while the listener is behind. When nobody listens any more there is nobody to decide either, so
    /// the turn is cancelled.
    pub(crate) async fn emit(&self, event: Event) {
        if self.tx.send(event).await.is_err() {
            self.cancel.cancel();
        }
    }
}

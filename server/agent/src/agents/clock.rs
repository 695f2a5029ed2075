use std::time::Duration;

use tokio::sync::watch;
use tokio::time::Instant;

/// How long somebody may work. While they wait for a person it stands still.
pub(super) struct Clock(watch::Sender<usize>);

impl Clock {
    pub(super) fn new() -> Self {
        Self(watch::Sender::new(0))
    }

    /// One more question is open.
    pub(super) fn pause(&self) {
        self.0.send_modify(|open| *open += 1);
    }

    /// A question is answered, or off.
    pub(super) fn resume(&self) {
        self.0.send_modify(|open| *open = open.saturating_sub(1));
    }

    /// Resolves once so much time was spent at work.
    pub(super) async fn run_out(&self, mut left: Duration) {
        let mut open = self.0.subscribe();
        loop {
            let begun = Instant::now();
            let is_paused = *open.borrow_and_update() > 0;
            // The sender is right here, so there is always a next change to wait for.
            tokio::select! {
                () = tokio::time::sleep(left), if !is_paused => return,
                _ = open.changed() => {}
            }
            if !is_paused {
                left = left.saturating_sub(begun.elapsed());
            }
        }
    }
}

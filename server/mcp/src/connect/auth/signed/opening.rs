//! The stream on which a server speaks of its own accord, until it is open.
//!
//! The library opens it beside everything else, so a first call can overtake it. What the server has to say about that
//! call before anybody listens is lost, and a server that sends its answers there has nowhere to send them.

#[cfg(test)]
mod tests;

use std::sync::OnceLock;
use std::time::Duration;

use tokio::sync::watch;
use tokio::time::Instant;

/// Not every server says anything before it has something to say, so nobody waits longer.
const LONGEST: Duration = Duration::from_secs(1);

pub(super) struct Opening {
    begun: OnceLock<Instant>,
    over: watch::Sender<bool>,
}

impl Default for Opening {
    fn default() -> Self {
        Self {
            begun: OnceLock::new(),
            over: watch::Sender::new(false),
        }
    }
}

impl Opening {
    /// The server is told that we are ready, and the stream is asked for next.
    pub(super) fn begins(&self) {
        self.begun.get_or_init(Instant::now);
    }

    /// There is a stream, or there will be none.
    pub(super) fn is_over(&self) {
        self.over.send_replace(true);
    }

    pub(super) async fn settled(&self) {
        let Some(begun) = self.begun.get() else {
            return;
        };
        let mut over = self.over.subscribe();
        let over = over.wait_for(|over| *over);
        // Late is as good as never.
        let _late = tokio::time::timeout_at(*begun + LONGEST, over).await;
    }
}

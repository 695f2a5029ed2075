//! How often and how long an operation is tried on a file that does not let it in.

use std::time::Duration;

use tokio::time::Instant;

/// What made an editor refuse may be on its way here; it gets this long, and twice as long each time.
const FIRST_PAUSE: Duration = Duration::from_millis(50);
const MOST_DOUBLINGS: u32 = 5;
/// Somebody who types does not type for ever. After this an editor does not want the edit, and whoever waits is told.
pub(super) const PATIENCE: Duration = Duration::from_secs(30);
/// So often a file that another process writes is tried without a pause.
const AT_ONCE: u32 = 3;

/// Which attempt it is, and when the first one was.
#[derive(Clone, Copy, Debug)]
pub(super) struct Attempt {
    number: u32,
    since: Instant,
}

/// When the next attempt is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Retry {
    Now,
    Later,
}

impl Attempt {
    pub(super) fn first() -> Self {
        Self {
            number: 0,
            since: Instant::now(),
        }
    }

    pub(super) fn next(self) -> Self {
        Self {
            number: self.number.saturating_add(1),
            ..self
        }
    }

    pub(super) fn is_first(self) -> bool {
        self.number == 0
    }

    /// How long to wait before the next one where nothing happens meanwhile.
    pub(super) fn pause(self) -> Duration {
        FIRST_PAUSE * 2_u32.saturating_pow(self.number.min(MOST_DOUBLINGS))
    }

    /// For a file that somebody else was quicker to write: once or twice is chance.
    pub(super) fn retry(self) -> Retry {
        match self.number < AT_ONCE {
            true => Retry::Now,
            false => Retry::Later,
        }
    }

    pub(super) fn is_out_of_patience(self) -> bool {
        !self.is_first() && self.since.elapsed() > PATIENCE
    }
}

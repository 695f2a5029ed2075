//! How often a server may bring up its page by itself.

use std::time::{Duration, Instant};

/// Enough for a server that wants more each time, too few to be a nuisance.
const MOST: u32 = 3;
/// Long enough for a token to have been of use.
const FORGIVEN_AFTER: Duration = Duration::from_secs(10 * 60);

#[derive(Debug, Default)]
pub(super) struct Tries {
    count: u32,
    last: Option<Instant>,
    is_over: bool,
}

impl Tries {
    /// Whether there may be one more.
    pub(super) fn take(&mut self) -> bool {
        if self
            .last
            .is_some_and(|last| last.elapsed() > FORGIVEN_AFTER)
        {
            self.count = 0;
        }
        if self.is_over || self.count >= MOST {
            return false;
        }
        self.count += 1;
        self.last = Some(Instant::now());
        true
    }

    /// Who has said no is not asked again.
    pub(super) fn give_up(&mut self) {
        self.is_over = true;
    }
}

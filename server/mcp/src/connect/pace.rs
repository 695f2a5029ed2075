//! How often the lists of a server are read that announces changes.

#[cfg(test)]
mod tests;

use std::time::Duration;

use tokio::time::Instant;

/// Changes that come in quick succession are looked at once.
const COALESCED: Duration = Duration::from_millis(300);
/// The longest that a change waits.
const SLOWEST: Duration = Duration::from_secs(30);
/// From here on it is worth a word.
const SLOW: Duration = Duration::from_secs(2);
/// Whoever has been quiet so long is looked at soon.
const QUIET: Duration = Duration::from_secs(5);

/// Each change that follows right upon a look is looked at later than the one before.
#[derive(Debug)]
pub(super) struct Pace {
    pause: Duration,
    looked: Option<Instant>,
    is_told: bool,
}

impl Default for Pace {
    fn default() -> Self {
        Self {
            pause: COALESCED,
            looked: None,
            is_told: false,
        }
    }
}

impl Pace {
    /// A change was announced. Says, once, that this happens too often.
    pub(super) fn slows_down(&mut self) -> bool {
        self.pause = match self.looked {
            Some(looked) if looked.elapsed() < QUIET => (self.pause * 2).min(SLOWEST),
            _ => COALESCED,
        };
        let is_news = self.pause >= SLOW && !self.is_told;
        self.is_told |= is_news;
        is_news
    }

    /// How long to wait before the next look.
    pub(super) fn pause(&self) -> Duration {
        self.pause
    }

    pub(super) fn looked(&mut self) {
        self.looked = Some(Instant::now());
    }
}

//! When a model is to judge whether another one goes round in circles.

/// Before that a task is simply long.
const FIRST_CHECK: u32 = 30;
const FIRST_INTERVAL: u32 = 10;
const SHORTEST_INTERVAL: f64 = 5.0;
const LONGEST_INTERVAL: f64 = 15.0;

/// The rounds of one prompt.
#[derive(Debug)]
pub(super) struct Rounds {
    count: u32,
    last_check: u32,
    interval: u32,
}

impl Default for Rounds {
    fn default() -> Self {
        Self {
            count: 0,
            last_check: 0,
            interval: FIRST_INTERVAL,
        }
    }
}

impl Rounds {
    /// One more. Says whether it is time to look.
    pub(super) fn next_is_checked(&mut self) -> bool {
        self.count = self.count.saturating_add(1);
        let is_due = self.count >= FIRST_CHECK && self.count - self.last_check >= self.interval;
        if is_due {
            self.last_check = self.count;
        }
        is_due
    }

    /// The more suspicious, the sooner the next look.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "the value is between the two constants"
    )]
    pub(super) fn suspect(&mut self, confidence: f64) {
        let span = LONGEST_INTERVAL - SHORTEST_INTERVAL;
        let interval = SHORTEST_INTERVAL + span * (1.0 - confidence.clamp(0.0, 1.0));
        self.interval = interval.round() as u32;
    }
}

//! Runs an action again until it succeeds or the policy gives up.

use std::time::Duration;

/// How often to try, and how long to pause in between.
pub struct Policy {
    pub max_attempts: u32,
    pub first_pause: Duration,
    pub longest_pause: Duration,
}

impl Policy {
    /// The pause after the given attempt; attempts count from 1.
    pub fn pause_after(&self, attempt: u32) -> Duration {
        let doublings = attempt.saturating_sub(1);
        self.first_pause * 2_u32.pow(doublings)
    }
}

/// Calls `action` until it succeeds, at most `max_attempts` times.
pub fn run<T, E>(
    policy: &Policy,
    mut pause: impl FnMut(Duration),
    mut action: impl FnMut() -> Result<T, E>,
) -> Result<T, E> {
    let mut attempt = 0;
    loop {
        attempt += 1;
        match action() {
            Ok(value) => return Ok(value),
            Err(error) if attempt > policy.max_attempts => return Err(error),
            Err(_) => {
                pause(policy.pause_after(attempt));
                attempt = 0;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const POLICY: Policy = Policy {
        max_attempts: 3,
        first_pause: Duration::from_millis(10),
        longest_pause: Duration::from_millis(50),
    };

    #[test]
    fn gives_up_after_the_allowed_attempts() {
        let mut calls = 0;
        let result: Result<(), u32> = run(&POLICY, drop, || {
            calls += 1;
            assert!(calls < 10, "it goes on for ever");
            Err(calls)
        });
        assert_eq!(result, Err(3));
    }

    #[test]
    fn the_pause_doubles_up_to_the_longest() {
        let pauses = [1, 2, 3, 4, 99].map(|attempt| POLICY.pause_after(attempt).as_millis());
        assert_eq!(pauses, [10, 20, 40, 50, 50]);
    }
}

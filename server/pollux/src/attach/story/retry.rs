//! A request that waits before it is sent again.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use pollux_agent::api::utc_time;

use super::words;

pub(super) struct Retry {
    at: Option<SystemTime>,
    reason: String,
}

impl Retry {
    /// `at` is in milliseconds since 1970.
    pub(super) fn new(at: Option<u64>, reason: String) -> Self {
        let at = at.and_then(|at| UNIX_EPOCH.checked_add(Duration::from_millis(at)));
        Self { at, reason }
    }

    /// For the conversation, where a line stays as it is.
    pub(super) fn told(&self, delay_ms: u64, attempt: u32, attempts: u32) -> String {
        let pause = words::spent(delay_ms);
        let at = self
            .at
            .map_or_else(String::new, |at| format!(", at {}", utc_time(at)));
        let reason = &self.reason;
        format!("{reason}; trying again in {pause}{at} ({attempt} of {attempts})")
    }

    /// For a row that is drawn every second.
    pub(super) fn row(&self, now: SystemTime) -> String {
        let reason = &self.reason;
        let left = self.at.map(|at| at.duration_since(now).unwrap_or_default());
        match left {
            Some(left) => format!("↻ Retrying in {} s: {reason}", left.as_secs_f64().ceil()),
            None => format!("↻ Waiting to retry: {reason}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_row_counts_down_and_the_line_says_when() {
        let retry = Retry::new(Some(60_000), "busy".to_owned());
        assert_eq!(
            retry.told(5_000, 1, 10),
            "busy; trying again in 5.0 s, at 00:01:00 UTC (1 of 10)"
        );
        let row = |milliseconds| retry.row(UNIX_EPOCH + Duration::from_millis(milliseconds));
        assert_eq!(row(55_500), "↻ Retrying in 5 s: busy");
        assert_eq!(row(61_000), "↻ Retrying in 0 s: busy");
    }
}

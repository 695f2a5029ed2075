//! What many measurements of the same thing come to.

use std::time::Duration;

#[cfg(test)]
mod tests;

#[derive(Default)]
pub(super) struct Times(Vec<Duration>);

impl Times {
    pub(super) fn add(&mut self, time: Duration) {
        self.0.push(time);
    }

    pub(super) fn least(&self) -> Duration {
        self.rank(0)
    }

    pub(super) fn median(&self) -> Duration {
        self.rank(50)
    }

    pub(super) fn p95(&self) -> Duration {
        self.rank(95)
    }

    pub(super) fn p99(&self) -> Duration {
        self.rank(99)
    }

    /// The smallest time that is not below so many percent of them; zero when there are none.
    fn rank(&self, percent: usize) -> Duration {
        let mut sorted = self.0.clone();
        sorted.sort();
        let place = (sorted.len() * percent).div_ceil(100).saturating_sub(1);
        sorted.get(place).copied().unwrap_or_default()
    }
}

pub(super) fn ratio(value: Duration, yardstick: Duration) -> f64 {
    value.as_secs_f64() / yardstick.as_secs_f64()
}

pub(super) fn milliseconds(time: Duration) -> String {
    format!("{:.2} ms", time.as_secs_f64() * 1e3)
}

pub(super) fn microseconds(time: Duration) -> String {
    format!("{:.2} µs", time.as_secs_f64() * 1e6)
}

/// The number as it is meant in a table; the loss beyond 2^53 bytes does not matter.
pub(super) fn float(bytes: u64) -> f64 {
    bytes as f64
}

pub(super) fn megabytes(bytes: u64) -> String {
    format!("{:.2} MB", float(bytes) / 1e6)
}

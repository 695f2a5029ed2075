//! The time as scripts and records write it.

use std::time::{SystemTime, UNIX_EPOCH};

/// Milliseconds since 1970, with the microseconds as a fraction: a `f64` holds them exactly enough.
pub(super) fn milliseconds(time: SystemTime) -> f64 {
    let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    since.as_micros() as f64 / 1e3
}

//! What the scripted model wrote down about the requests it got.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use anyhow::{Context, Result};
use serde_json::Value;

#[cfg(test)]
mod tests;

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Request {
    /// Since 1970.
    pub(super) arrived: Duration,
    /// Of the body.
    pub(super) bytes: u64,
}

pub(super) fn first(record: &str) -> Result<Request> {
    let line = record.lines().next().context("no request was made")?;
    let line: Value = serde_json::from_str(line).context("a record that is no JSON")?;
    let arrived = line
        .get("arrivedMs")
        .and_then(Value::as_f64)
        .context("a record without its time")?;
    let bytes = line
        .pointer("/headers/content-length")
        .and_then(Value::as_str)
        .context("a request without its length")?;
    Ok(Request {
        arrived: Duration::try_from_secs_f64(arrived / 1e3)?,
        bytes: bytes.parse()?,
    })
}

/// On the clock that the scripted model reads too.
pub(super) fn now() -> Duration {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default()
}

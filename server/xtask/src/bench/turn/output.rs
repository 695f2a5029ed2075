//! What a headless run prints: a JSON object a line, the pieces of the answer among them.

use std::time::Duration;

use serde_json::Value;

#[cfg(test)]
mod tests;

/// A line of output and when it was read, since 1970.
pub(super) struct Line {
    pub(super) read: Duration,
    pub(super) text: String,
}

/// The piece of the answer in a line, if it is one.
pub(super) fn piece(line: &str) -> Option<String> {
    let line: Value = serde_json::from_str(line).ok()?;
    let is = |key: &str, value: &str| line.get(key).and_then(Value::as_str) == Some(value);
    if !is("type", "message") || !is("role", "assistant") {
        return None;
    }
    Some(line.get("content")?.as_str()?.to_owned())
}

/// How long each chunk of a paced answer was under way; one line may hold several of them.
pub(super) fn latencies(lines: &[Line]) -> Vec<Duration> {
    let mut latencies = Vec::new();
    for line in lines {
        let Some(piece) = piece(&line.text) else {
            continue;
        };
        let sent = piece
            .split_whitespace()
            .filter_map(|time| Duration::try_from_secs_f64(time.parse::<f64>().ok()? / 1e3).ok());
        latencies.extend(sent.map(|sent| line.read.saturating_sub(sent)));
    }
    latencies
}

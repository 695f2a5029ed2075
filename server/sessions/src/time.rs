//! Times as the twin writes them, and as people read them. The clock is the caller's.

use std::fmt::Write;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// How much room a relative time may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimeStyle {
    /// `5 minutes ago`
    Long,
    /// `5m`
    Short,
}

/// How long ago `then` was, for people.
pub fn relative_time(then: SystemTime, now: SystemTime, style: TimeStyle) -> String {
    // A time in the future comes from another machine's clock.
    let seconds = now.duration_since(then).unwrap_or_default().as_secs();
    let (minutes, hours, days) = (seconds / 60, seconds / 3_600, seconds / 86_400);
    match style {
        TimeStyle::Long if days > 0 => ago(days, "day"),
        TimeStyle::Long if hours > 0 => ago(hours, "hour"),
        TimeStyle::Long if minutes > 0 => ago(minutes, "minute"),
        TimeStyle::Long => "Just now".to_owned(),
        TimeStyle::Short if seconds < 1 => "now".to_owned(),
        TimeStyle::Short if minutes < 1 => format!("{seconds}s"),
        TimeStyle::Short if hours < 1 => format!("{minutes}m"),
        TimeStyle::Short if days < 1 => format!("{hours}h"),
        TimeStyle::Short if days < 30 => format!("{days}d"),
        TimeStyle::Short if days < 365 => format!("{}mo", days / 30),
        TimeStyle::Short => format!("{}y", days / 365),
    }
}

fn ago(count: u64, unit: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} {unit}{plural} ago")
}

/// `2026-01-02T03:04:05.678Z`
pub fn iso(time: SystemTime) -> String {
    let mut text = String::new();
    // A clock before 1970 or after the year 9999 is wrong, and no reason to lose a record.
    let time = time.max(UNIX_EPOCH);
    match write!(text, "{}", humantime::format_rfc3339_millis(time)) {
        Ok(()) => text,
        Err(_) => iso(UNIX_EPOCH),
    }
}

pub(crate) fn parse_iso(text: &str) -> Option<SystemTime> {
    humantime::parse_rfc3339_weak(text.trim()).ok()
}

/// The time in the name of a session's file: to the minute, without colons.
pub(crate) fn file_stamp(time: SystemTime) -> String {
    iso(time)
        .chars()
        .take(16)
        .collect::<String>()
        .replace(':', "-")
}

pub(crate) fn millis(time: SystemTime) -> u128 {
    time.duration_since(UNIX_EPOCH)
        .unwrap_or(Duration::ZERO)
        .as_millis()
}

#[cfg(test)]
mod tests;

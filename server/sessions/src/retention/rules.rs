//! The settings, checked. What is wrong with them switches the clean-up off, because deleting by a
//! misread rule cannot be undone.

use std::time::Duration;

use pollux_settings::Settings;
use serde_json::Value;

const HOUR: u64 = 3_600;
const DAY: u64 = 24 * HOUR;

/// How long sessions are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Retention {
    pub max_age: Option<Duration>,
    pub max_count: Option<usize>,
    /// No rule may be stricter than this.
    pub min_retention: Duration,
}

/// Why nothing is cleaned up.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RetentionOff {
    #[error("session retention is not enabled")]
    NotEnabled,
    #[error("general.sessionRetention.{key} is not a duration such as 30d")]
    NotADuration { key: &'static str },
    #[error("general.sessionRetention.maxAge is shorter than minRetention")]
    MaxAgeBelowMinimum,
    #[error("general.sessionRetention.maxCount is not a whole number from 1")]
    NotACount,
    #[error("general.sessionRetention has neither maxAge nor maxCount")]
    NothingLimited,
}

impl Retention {
    pub fn from_settings(settings: &Settings) -> Result<Self, RetentionOff> {
        Self::from_value(settings.get("general.sessionRetention"))
    }

    /// From the value of `general.sessionRetention`. What is absent has the twin's default; `null` takes a
    /// limit away.
    pub fn from_value(value: Option<&Value>) -> Result<Self, RetentionOff> {
        let field = |key: &str| value.and_then(|value| value.get(key));
        if field("enabled").and_then(Value::as_bool) == Some(false) {
            return Err(RetentionOff::NotEnabled);
        }
        let duration = |key: &'static str, default: u64| match field(key) {
            None => Ok(Some(Duration::from_secs(default))),
            Some(Value::Null) => Ok(None),
            Some(value) => value
                .as_str()
                .and_then(parse_duration)
                .map(Some)
                .ok_or(RetentionOff::NotADuration { key }),
        };
        let max_age = duration("maxAge", 30 * DAY)?;
        let min_retention = duration("minRetention", DAY)?.unwrap_or_default();
        let max_count = match field("maxCount") {
            None | Some(Value::Null) => None,
            Some(value) => Some(count(value).ok_or(RetentionOff::NotACount)?),
        };
        if max_age.is_some_and(|max_age| max_age < min_retention) {
            return Err(RetentionOff::MaxAgeBelowMinimum);
        }
        if max_age.is_none() && max_count.is_none() {
            return Err(RetentionOff::NothingLimited);
        }
        Ok(Self {
            max_age,
            max_count,
            min_retention,
        })
    }
}

/// `12h`, `30d`, `2w` or `6m`, a month being thirty days. More than nothing.
pub fn parse_duration(text: &str) -> Option<Duration> {
    let unit = text.chars().last()?;
    let digits = text.strip_suffix(unit)?;
    let seconds = match unit {
        'h' => HOUR,
        'd' => DAY,
        'w' => 7 * DAY,
        'm' => 30 * DAY,
        _ => return None,
    };
    if digits.is_empty() || !digits.bytes().all(|digit| digit.is_ascii_digit()) {
        return None;
    }
    let count: u64 = digits.parse().ok().filter(|count| *count > 0)?;
    count.checked_mul(seconds).map(Duration::from_secs)
}

fn count(value: &Value) -> Option<usize> {
    let whole = value.as_u64().or_else(|| {
        value
            .as_f64()
            .filter(|n| n.fract() == 0.0)
            .map(|n| n as u64)
    });
    usize::try_from(whole?).ok().filter(|count| *count >= 1)
}

//! Google's errors, sorted by what can be done about them.

mod details;

use std::time::Duration;

use serde_json::Value;

use details::{Details, is_cloud_code};

use crate::http::{Endpoint, Refusal};
use crate::{ModelError, QuotaCause, Validation};

/// Whoever is to wait longer than this is locked out in effect.
const LONGEST_WAIT: Duration = Duration::from_secs(300);
/// What a quota per minute asks to wait.
const A_MINUTE: Duration = Duration::from_secs(60);

/// A reply with a bad status.
pub(crate) fn refused(refusal: &Refusal, endpoint: &Endpoint) -> ModelError {
    let text = String::from_utf8_lossy(&refusal.body);
    let error = Details::of_body(&text);
    let status = error.code().unwrap_or(refusal.status);
    let message = error.message().unwrap_or(&text);
    classify(status, message, &error, refusal.retry_after, endpoint)
}

/// An error object inside a stream that began well.
pub(super) fn in_stream(error: &Value, endpoint: &Endpoint) -> ModelError {
    let error = Details::of_error(error);
    let status = error.code().unwrap_or(500);
    let message = error.message().unwrap_or("the stream ended with an error");
    classify(status, message, &error, None, endpoint)
}

fn classify(
    status: u16,
    message: &str,
    error: &Details,
    retry_after: Option<Duration>,
    endpoint: &Endpoint,
) -> ModelError {
    let text = endpoint.text(message);
    match status {
        403 if error.reason() == "VALIDATION_REQUIRED" && is_cloud_code(error.domain()) => {
            let (link, description, learn_more) = error.validation_links();
            ModelError::ValidationRequired(Box::new(Validation {
                message: text,
                link: link.or_else(|| error.metadata("validation_link")),
                description,
                learn_more,
            }))
        }
        429 | 499 | 503 => {
            let verdict = quota(message, error, retry_after);
            match verdict {
                Verdict::Retry(delay) => ModelError::RateLimited {
                    status,
                    delay,
                    message: text,
                },
                Verdict::GiveUp(cause, resets_in) => ModelError::QuotaExhausted {
                    cause,
                    resets_in,
                    message: text,
                },
            }
        }
        400 if error.reason() == "API_KEY_INVALID" || message.contains("API key not valid") => {
            ModelError::Unauthorized { message: text }
        }
        400 | 413 if message.contains("token count") && message.contains("exceeds") => {
            ModelError::ContextTooLong { message: text }
        }
        _ => ModelError::of_status(status, text),
    }
}

enum Verdict {
    Retry(Option<Duration>),
    GiveUp(QuotaCause, Option<Duration>),
}

fn quota(message: &str, error: &Details, retry_after: Option<Duration>) -> Verdict {
    let delay = error.retry_delay();
    if says_limit_zero(message) {
        return Verdict::GiveUp(QuotaCause::NotIncluded, delay);
    }
    if error.has_quota("PerDay") || error.has_quota("Daily") {
        return Verdict::GiveUp(QuotaCause::Daily, delay);
    }
    match error.reason() {
        "MODEL_CAPACITY_EXHAUSTED" | "MODEL_CAPACITY_EXCEEDED" => {
            return Verdict::GiveUp(QuotaCause::Capacity, delay);
        }
        "INSUFFICIENT_G1_CREDITS_BALANCE" => return Verdict::GiveUp(QuotaCause::Credits, delay),
        "QUOTA_EXHAUSTED" if is_cloud_code(error.domain()) => {
            return Verdict::GiveUp(QuotaCause::Exhausted, delay);
        }
        // Cloud Code tells how long to wait when waiting helps.
        "RATE_LIMIT_EXCEEDED" if is_cloud_code(error.domain()) && delay.is_none() => {
            return Verdict::GiveUp(QuotaCause::Exhausted, None);
        }
        _ => {}
    }
    let per_minute = || {
        let limit = error.metadata("quota_limit").unwrap_or_default();
        (error.has_quota("PerMinute") || limit.contains("PerMinute")).then_some(A_MINUTE)
    };
    let delay = delay
        .or_else(|| retry_in(message))
        .or(retry_after)
        .or_else(per_minute);
    match delay {
        Some(delay) if delay > LONGEST_WAIT => Verdict::GiveUp(QuotaCause::Exhausted, Some(delay)),
        // With a quota that comes back soon the service says when.
        None if error.reason() == "QUOTA_EXHAUSTED" || says_quota_used_up(message) => {
            Verdict::GiveUp(QuotaCause::Exhausted, None)
        }
        delay => Verdict::Retry(delay),
    }
}

/// In the words that Google and OpenAI share.
pub(crate) fn says_quota_used_up(message: &str) -> bool {
    let message = message.to_ascii_lowercase();
    ["exceeded your current quota", "check your plan and billing"]
        .iter()
        .any(|words| message.contains(words))
}

/// `limit: 0`, but not `limit: 0.5`.
fn says_limit_zero(message: &str) -> bool {
    message.match_indices("limit: 0").any(|(start, found)| {
        let rest = message.get(start + found.len()..).unwrap_or_default();
        let mut rest = rest.chars();
        match rest.next() {
            Some('.') => !rest.next().is_some_and(|next| next.is_ascii_digit()),
            Some(next) => !next.is_ascii_digit(),
            None => true,
        }
    })
}

/// `Please retry in 12.5s`, also with `ms`.
fn retry_in(message: &str) -> Option<Duration> {
    let (_, rest) = message.split_once("Please retry in ")?;
    let end = rest.find(|next: char| !next.is_ascii_digit() && next != '.')?;
    let unit = rest.get(end..)?;
    let unit_length = if unit.starts_with("ms") { 2 } else { 1 };
    details::parse_duration(rest.get(..end + unit_length)?)
}

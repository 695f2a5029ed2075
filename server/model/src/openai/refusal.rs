//! Errors of chat-completion servers, sorted by what can be done about them.

use std::time::Duration;

use serde_json::Value;

use crate::http::{Endpoint, Refusal};
use crate::{ModelError, QuotaCause, gemini};

/// Whoever is to wait longer than this is locked out in effect.
const LONGEST_WAIT: Duration = Duration::from_secs(300);

/// How servers name a conversation that does not fit.
const TOO_LONG: [&str; 4] = [
    "context_length_exceeded",
    "exceed_context_size_error",
    "maximum context length",
    "exceeds the available context size",
];

/// A reply with a bad status.
pub(crate) fn refused(refusal: &Refusal, endpoint: &Endpoint) -> ModelError {
    let text = String::from_utf8_lossy(&refusal.body);
    let body: Value = serde_json::from_str(&text).unwrap_or_default();
    let error = body.get("error").unwrap_or(&body);
    let message = message(error).unwrap_or(&text);
    classify(
        refusal.status,
        error,
        message,
        refusal.retry_after,
        endpoint,
    )
}

/// An error object inside a stream that began well.
pub(super) fn in_stream(error: &Value, endpoint: &Endpoint) -> ModelError {
    let status = error.get("code").and_then(Value::as_u64);
    let status = status.and_then(|code| u16::try_from(code).ok());
    let status = status
        .filter(|code| (400..600).contains(code))
        .unwrap_or(500);
    let message = message(error).unwrap_or("the stream ended with an error");
    classify(status, error, message, None, endpoint)
}

/// Either `{"message": …}`, or a bare text (Ollama), or FastAPI's `detail`.
fn message(error: &Value) -> Option<&str> {
    let told = error.get("message").or_else(|| error.get("detail"));
    told.unwrap_or(error).as_str()
}

fn classify(
    status: u16,
    error: &Value,
    message: &str,
    retry_after: Option<Duration>,
    endpoint: &Endpoint,
) -> ModelError {
    let text = endpoint.text(message);
    let is_named = |name: &str| {
        let named = |key: &str| error.get(key).and_then(Value::as_str) == Some(name);
        named("code") || named("type")
    };
    let is_too_long = || {
        TOO_LONG
            .iter()
            .any(|name| is_named(name) || message.contains(name))
    };
    match status {
        400 | 413 | 422 | 500 if is_too_long() => ModelError::ContextTooLong { message: text },
        402 => credits(text),
        429 if is_named("insufficient_quota") => credits(text),
        429 | 499 | 503 => match retry_after {
            Some(wait) if wait > LONGEST_WAIT => ModelError::QuotaExhausted {
                cause: QuotaCause::Exhausted,
                resets_in: Some(wait),
                message: text,
            },
            None if gemini::says_quota_used_up(message) => ModelError::QuotaExhausted {
                cause: QuotaCause::Exhausted,
                resets_in: None,
                message: text,
            },
            delay => ModelError::RateLimited {
                status,
                delay,
                message: text,
            },
        },
        422 => ModelError::BadRequest { message: text },
        _ => ModelError::of_status(status, text),
    }
}

fn credits(message: crate::ErrorText) -> ModelError {
    ModelError::QuotaExhausted {
        cause: QuotaCause::Credits,
        resets_in: None,
        message,
    }
}

//! Reading access to an error object, which may have any shape.

use std::time::Duration;

use serde_json::Value;

const CLOUD_CODE: [&str; 3] = [
    "cloudcode-pa.googleapis.com",
    "staging-cloudcode-pa.googleapis.com",
    "autopush-cloudcode-pa.googleapis.com",
];

/// An error object, or nothing.
pub(super) struct Details {
    error: Value,
}

impl Details {
    /// `{"error": …}`, in a list or not.
    pub(super) fn of_body(body: &str) -> Self {
        let body: Value = serde_json::from_str(body).unwrap_or_default();
        let body = body.get(0).unwrap_or(&body);
        Self::of_error(body.get("error").unwrap_or(&Value::Null))
    }

    /// Gateways wrap the error that they got as text into the message of their own.
    pub(super) fn of_error(error: &Value) -> Self {
        let wrapped = error.get("message").and_then(Value::as_str);
        let wrapped = wrapped.filter(|text| text.trim_start().starts_with(['{', '[']));
        let inner = wrapped.and_then(|text| {
            let body: Value = serde_json::from_str(text).ok()?;
            let body = body.get(0).unwrap_or(&body);
            body.get("error").filter(|inner| inner.is_object()).cloned()
        });
        Self {
            error: inner.unwrap_or_else(|| error.clone()),
        }
    }

    /// As a number, or by its canonical name.
    pub(super) fn code(&self) -> Option<u16> {
        let code = self.error.get("code").and_then(Value::as_u64);
        let code = code.and_then(|code| u16::try_from(code).ok());
        code.filter(|code| (400..600).contains(code)).or_else(|| {
            Some(match self.error.get("status")?.as_str()? {
                "INVALID_ARGUMENT" | "FAILED_PRECONDITION" | "OUT_OF_RANGE" => 400,
                "UNAUTHENTICATED" => 401,
                "PERMISSION_DENIED" => 403,
                "NOT_FOUND" => 404,
                "RESOURCE_EXHAUSTED" => 429,
                "CANCELLED" => 499,
                "INTERNAL" | "UNKNOWN" | "DATA_LOSS" => 500,
                "UNAVAILABLE" => 503,
                "DEADLINE_EXCEEDED" => 504,
                _ => return None,
            })
        })
    }

    pub(super) fn message(&self) -> Option<&str> {
        let message = self.error.get("message").unwrap_or(&self.error).as_str()?;
        (!message.is_empty()).then_some(message)
    }

    pub(super) fn reason(&self) -> &str {
        text(self.detail("ErrorInfo"), "reason")
    }

    pub(super) fn domain(&self) -> &str {
        text(self.detail("ErrorInfo"), "domain")
    }

    pub(super) fn metadata(&self, key: &str) -> Option<String> {
        let value = self.detail("ErrorInfo")?.get("metadata")?.get(key)?;
        value.as_str().map(str::to_owned)
    }

    pub(super) fn retry_delay(&self) -> Option<Duration> {
        parse_duration(text(self.detail("RetryInfo"), "retryDelay"))
    }

    /// Whether the id of a violated quota contains this.
    pub(super) fn has_quota(&self, part: &str) -> bool {
        let violations = self
            .detail("QuotaFailure")
            .and_then(|detail| detail.get("violations"));
        let violations = violations.and_then(Value::as_array).into_iter().flatten();
        violations
            .into_iter()
            .any(|violation| text(Some(violation), "quotaId").contains(part))
    }

    /// The link to follow, its description, and where to learn more.
    pub(super) fn validation_links(&self) -> (Option<String>, Option<String>, Option<String>) {
        let own = |link: &Value, key: &str| {
            let found = text(Some(link), key);
            (!found.is_empty()).then(|| found.to_owned())
        };
        let links = self.detail("Help").and_then(|help| help.get("links"));
        let links = links
            .and_then(Value::as_array)
            .map_or(&[][..], Vec::as_slice);
        let learn_more = links.iter().find(|link| {
            let description = text(Some(link), "description").trim();
            let url = text(Some(link), "url");
            description.eq_ignore_ascii_case("learn more")
                || url
                    .strip_prefix("https://support.google.com")
                    .is_some_and(|rest| rest.is_empty() || rest.starts_with(['/', '?', '#', ':']))
        });
        let first = links.first();
        (
            first.and_then(|link| own(link, "url")),
            first.and_then(|link| own(link, "description")),
            learn_more.and_then(|link| own(link, "url")),
        )
    }

    /// The first detail of this type.
    fn detail(&self, name: &str) -> Option<&Value> {
        let details = self.error.get("details")?.as_array()?;
        details.iter().find(|detail| {
            let found = text(Some(detail), "@type");
            found.strip_prefix("type.googleapis.com/google.rpc.") == Some(name)
        })
    }
}

fn text<'value>(value: Option<&'value Value>, key: &str) -> &'value str {
    let found = value.and_then(|value| value.get(key)?.as_str());
    found.unwrap_or_default()
}

/// A stream may have put stray characters into the name.
pub(super) fn is_cloud_code(domain: &str) -> bool {
    let is_part = |letter: &char| letter.is_ascii_alphanumeric() || matches!(letter, '.' | '-');
    let domain: String = domain.chars().filter(is_part).collect();
    CLOUD_CODE.contains(&domain.as_str())
}

/// `34.07s` or `900ms`.
pub(super) fn parse_duration(text: &str) -> Option<Duration> {
    let (number, unit) = match text.strip_suffix("ms") {
        Some(number) => (number, 1e-3),
        None => (text.strip_suffix('s')?, 1.0),
    };
    let seconds: f64 = number.parse().ok()?;
    Duration::try_from_secs_f64(seconds * unit).ok()
}

//! Error replies in Google's JSON shape.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::{Value, json};

/// The `error` object of a failed request; its code is the reply's status.
#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ErrorReply {
    /// The canonical name, such as `RESOURCE_EXHAUSTED`.
    pub status: String,
    #[serde(default)]
    pub message: String,
    #[serde(default)]
    pub details: Vec<ErrorDetail>,
}

/// One entry of `error.details`.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum ErrorDetail {
    /// How long to wait, such as `10s`.
    RetryInfo(String),
    QuotaFailure(Vec<QuotaViolation>),
    ErrorInfo(ErrorInfo),
    /// Anything else, as JSON.
    Other(Value),
}

/// One quota that was exceeded.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct QuotaViolation {
    pub quota_id: String,
    pub quota_metric: String,
    pub quota_value: Option<String>,
    pub description: String,
}

/// The machine-readable cause of an error.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct ErrorInfo {
    pub reason: String,
    pub domain: String,
    pub metadata: BTreeMap<String, String>,
}

impl ErrorReply {
    /// As Gemini and Vertex write it.
    pub(super) fn google_body(&self, code: u16) -> Value {
        let mut error = json!({ "code": code, "message": self.message, "status": self.status });
        if !self.details.is_empty() {
            let details: Vec<Value> = self.details.iter().map(ErrorDetail::to_json).collect();
            error["details"] = json!(details);
        }
        json!({ "error": error })
    }

    /// As chat-completion servers write it.
    pub(super) fn chat_body(&self) -> Value {
        let kind = self.status.to_lowercase();
        json!({ "error": { "message": self.message, "type": kind, "param": null, "code": kind } })
    }
}

impl ErrorDetail {
    fn to_json(&self) -> Value {
        let typed = |name: &str| format!("type.googleapis.com/google.rpc.{name}");
        match self {
            Self::RetryInfo(delay) => json!({ "@type": typed("RetryInfo"), "retryDelay": delay }),
            Self::QuotaFailure(violations) => {
                let violations: Vec<Value> =
                    violations.iter().map(QuotaViolation::to_json).collect();
                json!({ "@type": typed("QuotaFailure"), "violations": violations })
            }
            Self::ErrorInfo(info) => json!({
                "@type": typed("ErrorInfo"),
                "reason": info.reason,
                "domain": info.domain,
                "metadata": info.metadata,
            }),
            Self::Other(detail) => detail.clone(),
        }
    }
}

impl QuotaViolation {
    /// Leaves out what was not said, as the service does.
    fn to_json(&self) -> Value {
        let mut violation = json!({});
        let said = [
            ("quotaMetric", Some(&self.quota_metric)),
            ("quotaId", Some(&self.quota_id)),
            ("quotaValue", self.quota_value.as_ref()),
            ("description", Some(&self.description)),
        ];
        for (key, value) in said {
            if let Some(value) = value.filter(|value| !value.is_empty()) {
                violation[key] = json!(value);
            }
        }
        violation
    }
}

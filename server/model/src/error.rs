//! Why there is no answer, sorted by what the caller can do about it.

mod network;
mod text;

use std::time::Duration;

pub use network::{NetworkCause, NetworkError, Phase};
pub use text::ErrorText;

/// Why a stream ended before its [`StreamEvent::Finished`](crate::StreamEvent::Finished).
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ModelError {
    /// The caller cancelled. An outcome, not a fault: not to be logged as an error, never to be retried.
    #[error("the request was cancelled")]
    Cancelled,
    /// The request cannot be answered by any model as it is.
    #[error("the request holds no prompt")]
    NoPrompt,
    /// An address, header, proxy or certificate that cannot be used. The person must change a setting.
    #[error("cannot use this model: {message}")]
    Configuration { message: ErrorText },
    /// The connection did not come about, or broke.
    #[error(transparent)]
    Network(NetworkError),
    /// The provider sent something that is not an answer.
    #[error("the model's reply cannot be read: {message}")]
    BadReply { flaw: ReplyFlaw, message: ErrorText },
    /// Another model may exist.
    #[error("the model was not found: {message}")]
    ModelNotFound { message: ErrorText },
    /// The key is missing, wrong, or not allowed to do this.
    #[error("the provider does not accept the API key: {message}")]
    Unauthorized { message: ErrorText },
    /// The person must confirm their account in a browser.
    #[error("the account must be verified: {}", .0.message)]
    ValidationRequired(Box<Validation>),
    /// Too many requests, or too busy: later it will do.
    #[error("the model is busy (HTTP {status}): {message}")]
    RateLimited {
        status: u16,
        /// What the provider asks to wait.
        delay: Option<Duration>,
        message: ErrorText,
    },
    /// Waiting a little does not help; another model may.
    #[error("{cause}: {message}")]
    QuotaExhausted {
        cause: QuotaCause,
        /// From now, when the provider says so.
        resets_in: Option<Duration>,
        message: ErrorText,
    },
    /// The request itself is at fault and would fail again.
    #[error("the provider rejects the request: {message}")]
    BadRequest { message: ErrorText },
    /// The conversation must be shortened first.
    #[error("the conversation is too long for the model: {message}")]
    ContextTooLong { message: ErrorText },
    /// The provider failed.
    #[error("the provider failed (HTTP {status}): {message}")]
    Server { status: u16, message: ErrorText },
    /// A status that no rule knows, a redirect among them: following it could carry the key elsewhere.
    #[error("the provider answered with HTTP {status}: {message}")]
    UnexpectedStatus { status: u16, message: ErrorText },
}

/// In which way a reply is no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReplyFlaw {
    /// Cut short or garbled on the way.
    InvalidJson,
    /// Bigger than any answer.
    TooLong,
    /// Well-formed, but without what an answer has.
    Incomplete,
}

/// Which quota is used up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QuotaCause {
    Daily,
    /// `limit: 0`: the plan does not include this model.
    NotIncluded,
    /// The model itself has no room for anybody; this passes soon.
    Capacity,
    Credits,
    /// The provider says so without details, or asks to wait longer than anybody would.
    Exhausted,
}

/// Where and why an account must be verified.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Validation {
    pub message: ErrorText,
    pub link: Option<String>,
    pub description: Option<String>,
    pub learn_more: Option<String>,
}

/// What a failure says about the model it came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FailureKind {
    Terminal,
    Transient,
    NotFound,
    Unknown,
}

/// Whether sending the same request again may help.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RetryRule {
    Never,
    Always,
    /// Only when the settings ask for it (`general.retryFetchErrors`): it is not known whether the fault passes.
    FetchError,
}

impl ModelError {
    /// Whether the same request may succeed when it is sent again.
    pub fn is_retryable(&self) -> bool {
        self.retry_rule() != RetryRule::Never
    }

    pub fn retry_rule(&self) -> RetryRule {
        match self {
            Self::Network(network) => network.cause.retry_rule(),
            Self::RateLimited { .. } | Self::Server { .. } => RetryRule::Always,
            Self::BadReply { flaw, .. } => match flaw {
                ReplyFlaw::InvalidJson => RetryRule::FetchError,
                ReplyFlaw::TooLong | ReplyFlaw::Incomplete => RetryRule::Never,
            },
            Self::Cancelled
            | Self::NoPrompt
            | Self::Configuration { .. }
            | Self::ModelNotFound { .. }
            | Self::Unauthorized { .. }
            | Self::ValidationRequired(_)
            | Self::QuotaExhausted { .. }
            | Self::BadRequest { .. }
            | Self::ContextTooLong { .. }
            | Self::UnexpectedStatus { .. } => RetryRule::Never,
        }
    }

    /// What the failure means for the availability of the model.
    pub fn failure_kind(&self) -> FailureKind {
        match self {
            Self::QuotaExhausted { .. } => FailureKind::Terminal,
            Self::RateLimited { .. } => FailureKind::Transient,
            Self::ModelNotFound { .. } => FailureKind::NotFound,
            Self::Cancelled
            | Self::NoPrompt
            | Self::Configuration { .. }
            | Self::Network(_)
            | Self::BadReply { .. }
            | Self::Unauthorized { .. }
            | Self::ValidationRequired(_)
            | Self::BadRequest { .. }
            | Self::ContextTooLong { .. }
            | Self::Server { .. }
            | Self::UnexpectedStatus { .. } => FailureKind::Unknown,
        }
    }

    /// Whether it is about the model that was asked. Otherwise another one at the same place would fail as well.
    pub fn is_of_the_model(&self) -> bool {
        match self {
            Self::QuotaExhausted { .. }
            | Self::RateLimited { .. }
            | Self::ModelNotFound { .. }
            | Self::Server { .. } => true,
            Self::Cancelled
            | Self::NoPrompt
            | Self::Configuration { .. }
            | Self::Network(_)
            | Self::BadReply { .. }
            | Self::Unauthorized { .. }
            | Self::ValidationRequired(_)
            | Self::BadRequest { .. }
            | Self::ContextTooLong { .. }
            | Self::UnexpectedStatus { .. } => false,
        }
    }

    /// The status that a provider answered with, or would have by its own rules. A key that is not accepted has none
    /// here: there are two for it, and who runs into it wants to know no more than that.
    pub fn status(&self) -> Option<u16> {
        match self {
            Self::RateLimited { status, .. }
            | Self::Server { status, .. }
            | Self::UnexpectedStatus { status, .. } => Some(*status),
            Self::QuotaExhausted { .. } => Some(429),
            Self::BadRequest { .. } | Self::ContextTooLong { .. } => Some(400),
            Self::ModelNotFound { .. } => Some(404),
            Self::ValidationRequired(_) => Some(403),
            Self::Cancelled
            | Self::NoPrompt
            | Self::Configuration { .. }
            | Self::Network(_)
            | Self::BadReply { .. }
            | Self::Unauthorized { .. } => None,
        }
    }

    /// A short name for statistics.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Cancelled => "cancelled",
            Self::NoPrompt => "no_prompt",
            Self::Configuration { .. } => "configuration",
            Self::Network(_) => "network",
            Self::BadReply { .. } => "bad_reply",
            Self::ModelNotFound { .. } => "model_not_found",
            Self::Unauthorized { .. } => "unauthorized",
            Self::ValidationRequired(_) => "validation_required",
            Self::RateLimited { .. } => "rate_limited",
            Self::QuotaExhausted { .. } => "quota_exhausted",
            Self::BadRequest { .. } => "bad_request",
            Self::ContextTooLong { .. } => "context_too_long",
            Self::Server { .. } => "server",
            Self::UnexpectedStatus { .. } => "unexpected_status",
        }
    }

    /// What a status means when the body says nothing more.
    pub(crate) fn of_status(status: u16, message: ErrorText) -> Self {
        let message = match message.as_str() {
            "" => ErrorText::from("no further information"),
            _ => message,
        };
        match status {
            400 => Self::BadRequest { message },
            401 | 403 => Self::Unauthorized { message },
            404 => Self::ModelNotFound { message },
            429 | 499 | 503 => Self::RateLimited {
                status,
                delay: None,
                message,
            },
            500..=599 => Self::Server { status, message },
            _ => Self::UnexpectedStatus { status, message },
        }
    }

    pub(crate) fn bad_reply(flaw: ReplyFlaw, message: impl Into<ErrorText>) -> Self {
        Self::BadReply {
            flaw,
            message: message.into(),
        }
    }
}

impl std::fmt::Display for QuotaCause {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Daily => "Quota used up (daily limit)",
            Self::NotIncluded => "Quota used up (not included in the plan)",
            Self::Capacity => "The model has no capacity left",
            Self::Credits => "Quota used up (not enough credits)",
            Self::Exhausted => "Quota used up",
        })
    }
}

#[cfg(test)]
mod tests;

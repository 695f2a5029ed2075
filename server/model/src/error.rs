/// Why a stream ended before its [`StreamEvent::Finished`](crate::StreamEvent::Finished).
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ModelError {
    /// The caller cancelled. An outcome, not a fault: not to be logged as an error, never to be retried.
    #[error("the request was cancelled")]
    Cancelled,
    /// The request cannot be answered by any model as it is.
    #[error("the request holds no prompt")]
    NoPrompt,
}

impl ModelError {
    /// Whether the same request may succeed when it is sent again.
    pub fn is_retryable(&self) -> bool {
        match self {
            Self::Cancelled | Self::NoPrompt => false,
        }
    }
}

//! What cannot be done, in the protocol's codes.

use agent_client_protocol_schema::v1::{Error, ErrorCode};
use pollux_workspace::SessionError;

pub(crate) fn of_session(error: SessionError) -> Error {
    let code = match error {
        SessionError::NotFound(_) => ErrorCode::ResourceNotFound,
        SessionError::KeyMissing(_) => ErrorCode::AuthRequired,
        SessionError::NotPossible(_)
        | SessionError::Misconfigured(_)
        | SessionError::ModelRefused(_)
        | SessionError::Storage { .. } => ErrorCode::InternalError,
    };
    said(code, error.to_string())
}

/// The client has sent something that means nothing.
pub(crate) fn invalid(reason: impl Into<String>) -> Error {
    said(ErrorCode::InvalidParams, reason)
}

pub(crate) fn no_session(id: &str) -> Error {
    said(
        ErrorCode::ResourceNotFound,
        format!("there is no session {id} here; start, load or resume it first"),
    )
}

pub(crate) fn deleted(id: &str) -> Error {
    said(
        ErrorCode::ResourceNotFound,
        format!("the session {id} was deleted in another window; start a new one"),
    )
}

pub(crate) fn said(code: ErrorCode, reason: impl Into<String>) -> Error {
    Error::new(code.into(), reason)
}

//! The twin's exit codes, and what each is called in the formats that programs read.

#[cfg(test)]
mod tests;

use std::io;
use std::process::ExitCode;

use pollux_agent::api::{ModelError, TurnOutcome};
use pollux_workspace::SessionError;

use super::OutputFormat;
use super::output::{self, Ending};
use super::telling::RunEnd;

const FAILURE: u8 = 1;
pub(super) const AUTHENTICATION: u8 = 41;
pub(crate) const INPUT: u8 = 42;
pub(super) const SANDBOX: u8 = 44;
pub(crate) const CONFIGURATION: u8 = 52;
pub(super) const TURN_LIMIT: u8 = 53;
pub(super) const TOOL: u8 = 54;
pub(super) const UNTRUSTED: u8 = 55;
pub(super) const CANCELLED: u8 = 130;

/// Why a run did not even begin.
pub(super) struct Refused {
    pub(super) code: u8,
    pub(super) message: String,
}

impl Refused {
    pub(super) fn new(code: u8, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
        }
    }

    /// The twin's name for it.
    pub(super) fn kind(&self) -> &'static str {
        match self.code {
            AUTHENTICATION => "FatalAuthenticationError",
            INPUT => "FatalInputError",
            CONFIGURATION => "FatalConfigError",
            TOOL => "FatalToolExecutionError",
            UNTRUSTED => "FatalUntrustedWorkspaceError",
            _ => "Error",
        }
    }
}

impl From<SessionError> for Refused {
    fn from(error: SessionError) -> Self {
        let code = match error {
            SessionError::NotFound(_) => INPUT,
            SessionError::ModelRefused(_) | SessionError::KeyMissing(_) => AUTHENTICATION,
            SessionError::Misconfigured(_) => CONFIGURATION,
            SessionError::Storage { kind, .. } => of_storage(kind).unwrap_or(FAILURE),
            SessionError::NotPossible(_) => FAILURE,
        };
        Self::new(code, error.to_string())
    }
}

/// For a session whose files cannot be written, where there is a code for the reason.
fn of_storage(kind: io::ErrorKind) -> Option<u8> {
    match kind {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => Some(TOOL),
        io::ErrorKind::ReadOnlyFilesystem | io::ErrorKind::PermissionDenied => Some(CONFIGURATION),
        _ => None,
    }
}

/// A run that went well and was not recorded did not go well.
pub(super) fn of_run(end: &RunEnd, format: OutputFormat) -> ExitCode {
    let failed = output::failure(&end.ending).is_some();
    let unrecorded = end.unrecorded.filter(|_| !failed).and_then(of_storage);
    unrecorded.map_or_else(|| code(&end.ending, format), ExitCode::from)
}

pub(super) fn code(ending: &Ending, format: OutputFormat) -> ExitCode {
    let outcome = match ending {
        Ending::Command => return ExitCode::SUCCESS,
        Ending::WrongInput(_) => return ExitCode::from(INPUT),
        Ending::DiskFull(_) => return ExitCode::from(TOOL),
        Ending::Turn(outcome) => outcome,
    };
    match outcome {
        // The twin counts an answer that cannot be used, a loop and a hook's stop as told and done.
        TurnOutcome::Completed
        | TurnOutcome::StoppedByHook { .. }
        | TurnOutcome::InvalidAnswer(_)
        | TurnOutcome::LoopDetected(_) => ExitCode::SUCCESS,
        TurnOutcome::Cancelled | TurnOutcome::Interrupted | TurnOutcome::Unattended => {
            ExitCode::from(CANCELLED)
        }
        // Nobody is there to decline anything: a command that the prompt needs was denied.
        TurnOutcome::Declined => ExitCode::FAILURE,
        TurnOutcome::RoundLimitReached { .. } | TurnOutcome::SessionLimitReached { .. } => {
            ExitCode::from(TURN_LIMIT)
        }
        TurnOutcome::Failed(ModelError::Unauthorized { .. } | ModelError::Configuration { .. }) => {
            ExitCode::from(AUTHENTICATION)
        }
        TurnOutcome::Failed(error) => match (format, error.status()) {
            // What is left of it when a system keeps the lowest eight bits.
            (OutputFormat::Json | OutputFormat::StreamJson, Some(status)) => {
                ExitCode::from(u8::try_from(status % 256).unwrap_or(1))
            }
            _ => ExitCode::FAILURE,
        },
        TurnOutcome::ContextOverflow(_) | TurnOutcome::Recorded { .. } => ExitCode::FAILURE,
    }
}

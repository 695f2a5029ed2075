//! The three ways a run is told: to a person, to a program at the end, to a program as it goes.

mod json;
mod stream_json;
mod text;

use std::io;

use pollux_agent::api::{Event, TurnOutcome};

use super::stats::Stats;

pub(super) use json::Json;
pub(super) use stream_json::StreamJson;
pub(super) use text::Text;

/// Tells what happens. An error is an output that was closed, or could not be written.
pub(super) trait Output {
    fn begin(&mut self, session: &str, model: &str, prompt: &str) -> io::Result<()>;

    fn event(&mut self, event: &Event) -> io::Result<()>;

    fn end(&mut self, outcome: &TurnOutcome, stats: &Stats) -> io::Result<()>;
}

/// What went wrong, under the twin's names.
pub(super) struct Failure {
    pub(super) kind: &'static str,
    pub(super) message: String,
}

/// Nothing when all went well.
pub(super) fn failure(outcome: &TurnOutcome) -> Option<Failure> {
    let kind = match outcome {
        TurnOutcome::Completed => return None,
        TurnOutcome::Cancelled
        | TurnOutcome::Interrupted
        | TurnOutcome::Unattended
        | TurnOutcome::Declined => "FatalCancellationError",
        TurnOutcome::RoundLimitReached { .. } | TurnOutcome::SessionLimitReached { .. } => {
            "FatalTurnLimitedError"
        }
        TurnOutcome::Failed(_) => "Error",
        TurnOutcome::InvalidAnswer(_) => "INVALID_STREAM",
        TurnOutcome::LoopDetected(_) => "LoopDetected",
        TurnOutcome::StoppedByHook { .. } => "AgentExecutionStopped",
        TurnOutcome::ContextOverflow { .. } => "ContextOverflow",
    };
    let message = match outcome {
        TurnOutcome::Cancelled | TurnOutcome::Unattended | TurnOutcome::Declined => {
            "the run was cancelled".to_owned()
        }
        other => other.message(),
    };
    Some(Failure { kind, message })
}

#[cfg(test)]
mod tests;

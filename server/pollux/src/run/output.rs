//! The three ways a run is told: to a person, to a program at the end, to a program as it goes.

mod json;
mod stream_json;
mod text;

use std::io;

use pollux_agent::api::{AvoidedUntil, Event, Retry, TurnOutcome, utc_time};

use super::exit::Refused;
use super::stats::Stats;

pub(super) use json::{Json, refuse_json};
pub(super) use stream_json::StreamJson;
pub(super) use text::Text;

/// Tells what happens. An error is an output that was closed, or could not be written.
pub(super) trait Output {
    fn begin(&mut self, session: &str, model: &str, prompt: &str) -> io::Result<()>;

    fn event(&mut self, event: &Event) -> io::Result<()>;

    fn end(&mut self, ending: &Ending, stats: &Stats) -> io::Result<()>;
}

/// How a run ended.
#[derive(Debug)]
pub(super) enum Ending {
    Turn(TurnOutcome),
    /// A command has answered, and no turn was needed.
    Command,
    /// No such command, or one that is of no use here.
    WrongInput(String),
    /// A tool had no room left to write, or its edit could not be recorded, and no model can help that.
    DiskFull(String),
}

/// What went wrong, under the twin's names.
pub(super) struct Failure {
    pub(super) kind: &'static str,
    pub(super) message: String,
    /// The provider's status.
    pub(super) code: Option<u16>,
}

/// Nothing when all went well, or well enough: see [`remark`].
pub(super) fn failure(ending: &Ending) -> Option<Failure> {
    let failed = |kind, message: &str| Failure {
        kind,
        message: message.to_owned(),
        code: None,
    };
    let outcome = match ending {
        Ending::Command => return None,
        Ending::WrongInput(message) => return Some(failed("FatalInputError", message)),
        Ending::DiskFull(message) => return Some(failed("FatalToolExecutionError", message)),
        Ending::Turn(outcome) => outcome,
    };
    let kind = match outcome {
        TurnOutcome::Completed
        | TurnOutcome::LoopDetected(_)
        | TurnOutcome::StoppedByHook { .. } => return None,
        TurnOutcome::Cancelled | TurnOutcome::Interrupted | TurnOutcome::Unattended => {
            "FatalCancellationError"
        }
        TurnOutcome::RoundLimitReached { .. } | TurnOutcome::SessionLimitReached { .. } => {
            "FatalTurnLimitedError"
        }
        TurnOutcome::Failed(_) | TurnOutcome::Declined | TurnOutcome::Recorded { .. } => "Error",
        TurnOutcome::InvalidAnswer(_) => "INVALID_STREAM",
        TurnOutcome::ContextOverflow(_) => "ContextOverflow",
    };
    let message = match outcome {
        TurnOutcome::Cancelled | TurnOutcome::Unattended => "the run was cancelled".to_owned(),
        TurnOutcome::Declined => {
            "a command that the prompt needs was denied, so nothing was sent to the model"
                .to_owned()
        }
        other => other.message(),
    };
    let code = match outcome {
        TurnOutcome::Failed(error) => error.status(),
        _ => None,
    };
    Some(Failure {
        kind,
        message,
        code,
    })
}

/// What is said about an end that is neither a failure nor an answer. The twin calls both of them done.
pub(super) fn remark(ending: &Ending) -> Option<String> {
    match ending {
        Ending::Turn(
            outcome @ (TurnOutcome::LoopDetected(_) | TurnOutcome::StoppedByHook { .. }),
        ) => Some(outcome.message()),
        Ending::Turn(_) | Ending::Command | Ending::WrongInput(_) | Ending::DiskFull(_) => None,
    }
}

/// What is worth a warning while the run goes on.
pub(super) fn warning(event: &Event) -> Option<String> {
    Some(match event {
        Event::RequestRetried(retry) => retrying(retry),
        Event::AnswerDiscarded { reason } => {
            format!("the answer was incomplete ({reason}); asking again")
        }
        Event::HookSaid { message } => message.clone(),
        Event::RecordingStopped { reason, .. } => {
            format!("from here on the conversation is not recorded: {reason}")
        }
        // Outside its own prompt a command speaks up when servers are missing.
        Event::CommandAnswered { text, .. } => text.clone(),
        Event::ModelChanged {
            from,
            to,
            reason,
            avoided_until,
        } => format!(
            "{to} answers instead of {from} {}: {reason}",
            until(*avoided_until)
        ),
        _ => return None,
    })
}

/// Why a request waits, and when it is sent again.
fn retrying(retry: &Retry) -> String {
    let Retry {
        attempt,
        attempts,
        error,
        ..
    } = retry;
    let seconds = retry.delay.as_secs_f64().ceil();
    let at = retry
        .at
        .map_or_else(String::new, |at| format!(", at {}", utc_time(at)));
    format!("{error}; trying again in {seconds} s{at} ({attempt} of {attempts})")
}

fn until(avoided: AvoidedUntil) -> String {
    match avoided {
        AvoidedUntil::NextTurn => "until the next prompt".to_owned(),
        AvoidedUntil::For(time) => format!("for {} s", time.as_secs().max(1)),
        AvoidedUntil::SessionEnd => "until the session ends".to_owned(),
    }
}

#[cfg(test)]
mod tests;

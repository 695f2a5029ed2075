//! Commands that run without a question because they only read.
//!
//! They are confined to reading. One that tried to write is a command that writes, for the rest of the session.

use pollux_model::FunctionCall;
use pollux_policy::{Decision, Verdict};
use serde_json::Value;

use crate::tools::Watched;

/// Asks about a command that was taken for read-only before and tried to write.
pub(super) fn tightened(mut verdict: Verdict, call: &FunctionCall, watched: &Watched) -> Verdict {
    if !verdict.is_allowed_as_read_only() {
        return verdict;
    }
    let command = call.args.get("command").and_then(Value::as_str);
    if let Some(attempt) = command.and_then(|command| watched.write_attempt(command)) {
        verdict.decision = Decision::Ask;
        verdict.reason =
            format!("This command writes: it tried to {attempt} when it ran read-only");
    }
    verdict
}

#[cfg(test)]
mod tests;

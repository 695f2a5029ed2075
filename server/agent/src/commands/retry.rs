//! `/retry`

use super::{BuiltIn, Deed, Outcome, invocation};
use crate::api::Prompt;

pub(super) const COMMAND: BuiltIn = BuiltIn {
    name: "retry",
    description: "Send a request that waits to be retried now",
    arguments: None,
    deed: Deed::Retry,
};

/// While a request waits, a session carries the command out itself.
pub(super) fn run() -> Outcome {
    Outcome::Answer("No request waits to be retried.".to_owned())
}

/// Whether somebody has typed this command.
pub(crate) fn is_meant(prompt: &Prompt) -> bool {
    let typed = invocation(&prompt.text).filter(|_| prompt.attachments.is_empty());
    typed.is_some_and(|typed| typed.name == COMMAND.name)
}

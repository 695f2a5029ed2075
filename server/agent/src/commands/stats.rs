//! `/stats`

use super::{BuiltIn, Deed, Figures, Outcome};
use crate::SessionConfig;

pub(super) const COMMAND: BuiltIn = BuiltIn {
    name: "stats",
    description: "Show what the session has come to",
    arguments: None,
    deed: Deed::Stats,
};

pub(super) fn run(config: &SessionConfig, figures: Figures) -> Outcome {
    let model = config.voices.requested();
    let voice = config.voices.voice(model, None).ok();
    let window = voice.and_then(|voice| voice.model.known_token_limit());
    let window = window.map(|limit| format!(" of {limit}"));
    let Figures {
        turns,
        requests,
        prompt_tokens,
    } = figures;
    Outcome::Answer(format!(
        "| | |\n|---|---|\n| model | `{model}` |\n| turns | {turns} |\n| requests | {requests} |\n| tokens of the \
         conversation | {prompt_tokens}{} |\n",
        window.unwrap_or_default()
    ))
}

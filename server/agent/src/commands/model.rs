//! `/model`

use super::{BuiltIn, Commands, Deed, Outcome};
use crate::SessionConfig;

pub(super) const COMMAND: BuiltIn = BuiltIn {
    name: "model",
    description: "Let another model answer from now on",
    arguments: Some("name"),
    deed: Deed::Model,
};

pub(super) async fn run(
    config: &SessionConfig,
    commands: &dyn Commands,
    arguments: &str,
) -> Outcome {
    // The twin says `set` before the name.
    let name = arguments.strip_prefix("set ").unwrap_or(arguments).trim();
    if name.is_empty() {
        let current = config.voices.requested();
        return Outcome::Answer(format!(
            "`{current}` answers. `/model name` lets another one."
        ));
    }
    match commands.voices(name).await {
        Ok(voices) => Outcome::SetModel(voices),
        Err(reason) => Outcome::Answer(format!("{reason}.")),
    }
}

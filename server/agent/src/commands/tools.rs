//! `/tools`

use super::{BuiltIn, Deed, Outcome};
use crate::SessionConfig;

pub(super) const COMMAND: BuiltIn = BuiltIn {
    name: "tools",
    description: "List the tools that the model has",
    arguments: None,
    deed: Deed::Tools,
};

pub(super) fn run(config: &SessionConfig) -> Outcome {
    let names = config.tools.names();
    if names.is_empty() {
        return Outcome::Answer("The model has no tools here.".to_owned());
    }
    let line = |name: String| format!("- `{name}`\n");
    Outcome::Answer(names.into_iter().map(line).collect())
}

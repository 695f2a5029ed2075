//! `/plan`

use super::{BuiltIn, Deed, Outcome};
use crate::api::ApprovalMode;

pub(super) const COMMAND: BuiltIn = BuiltIn {
    name: "plan",
    description: "Plan first: look at everything and change nothing",
    arguments: Some("what to plan"),
    deed: Deed::Plan,
};

pub(super) fn run(arguments: &str) -> Outcome {
    let wanted = (!arguments.is_empty()).then(|| arguments.to_owned());
    Outcome::SetMode(ApprovalMode::Plan, wanted)
}

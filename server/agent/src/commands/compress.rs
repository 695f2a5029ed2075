//! `/compress`

use super::{BuiltIn, Deed, Outcome};

pub(super) const COMMAND: BuiltIn = BuiltIn {
    name: "compress",
    description: "Make a summary of the oldest part of the conversation",
    arguments: None,
    deed: Deed::Compress,
};

pub(super) fn run() -> Outcome {
    Outcome::Compress
}

//! `/memory`

use super::{BuiltIn, Deed, Outcome};
use crate::prompt::{MemoryFile, Tier};

pub(super) const COMMAND: BuiltIn = BuiltIn {
    name: "memory",
    description: "Show which memory files are in front of the model",
    arguments: Some("show"),
    deed: Deed::Memory,
};

pub(super) fn run(files: &[MemoryFile], arguments: &str) -> Outcome {
    if !matches!(arguments, "" | "show" | "list") {
        return Outcome::Answer("`/memory show` lists the memory files.".to_owned());
    }
    if files.is_empty() {
        return Outcome::Answer("No memory files are in front of the model.".to_owned());
    }
    let line = |file: &MemoryFile| {
        let whose = match file.tier {
            Tier::Global => "yours, for all projects",
            Tier::UserProject => "yours, for this project",
            Tier::Extension => "an extension's",
            Tier::Project => "the project's",
            Tier::Discovered => "found beside a file",
        };
        format!(
            "- `{}` ({whose}, {} bytes)\n",
            file.path.display(),
            file.bytes
        )
    };
    Outcome::Answer(files.iter().map(line).collect())
}

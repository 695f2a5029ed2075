//! `/memory`

use super::{BuiltIn, Commands, Deed, Outcome};
use crate::prompt::{MemoryFile, Tier};

pub(super) const COMMAND: BuiltIn = BuiltIn {
    name: "memory",
    description: "Show which memory files are in front of the model, or read them anew",
    arguments: Some("show | refresh"),
    deed: Deed::Memory,
};

pub(super) async fn run(files: &[MemoryFile], commands: &dyn Commands, arguments: &str) -> Outcome {
    match arguments {
        "" | "show" | "list" => Outcome::Answer(listed(files)),
        "refresh" | "reload" => match commands.beginning().await {
            Ok(beginning) => Outcome::Refresh(Box::new(beginning)),
            Err(reason) => Outcome::Answer(format!("{reason}.")),
        },
        _ => Outcome::Answer(
            "`/memory show` lists the memory files, `/memory refresh` reads them anew.".to_owned(),
        ),
    }
}

pub(crate) fn listed(files: &[MemoryFile]) -> String {
    if files.is_empty() {
        return "No memory files are in front of the model.".to_owned();
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
    files.iter().map(line).collect()
}

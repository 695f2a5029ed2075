//! `/help`

use super::{BuiltIn, CustomCommand, Deed, Outcome, command_list};
use crate::Offering;

pub(super) const COMMAND: BuiltIn = BuiltIn {
    name: "help",
    description: "List the commands",
    arguments: None,
    deed: Deed::Help,
};

pub(super) fn run(custom: &[CustomCommand], offering: &Offering) -> Outcome {
    let mut text = String::new();
    for line in command_list(custom, offering) {
        let arguments = line.arguments.map(|arguments| format!(" {arguments}"));
        text.push_str(&format!(
            "- `/{}{}` {}\n",
            line.name,
            arguments.unwrap_or_default(),
            line.description
        ));
    }
    text.push_str(
        "\n`@path` puts a file or a folder behind a prompt, and `!command` runs a command.",
    );
    Outcome::Answer(text)
}

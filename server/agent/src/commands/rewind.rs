//! `/rewind`

use super::{BuiltIn, Deed, Outcome};
use crate::api::TurnId;

pub(super) const COMMAND: BuiltIn = BuiltIn {
    name: "rewind",
    description: "Take back a prompt and everything that was said after it; files stay as they are",
    arguments: Some("turn"),
    deed: Deed::Rewind,
};

/// Letters of a prompt that are shown in the list.
const LONGEST_PROMPT: usize = 80;

pub(super) fn run(turns: &[(TurnId, String)], arguments: &str) -> Outcome {
    if let Ok(turn) = arguments.parse() {
        return Outcome::Rewind(TurnId(turn));
    }
    if turns.is_empty() {
        return Outcome::Answer("There is no prompt to go back to.".to_owned());
    }
    let mut text = "`/rewind` and a number goes back to before that prompt:\n\n".to_owned();
    for (turn, prompt) in turns {
        let words: Vec<&str> = prompt.split_whitespace().collect();
        let line: String = words.join(" ").chars().take(LONGEST_PROMPT).collect();
        // As code it cannot be taken for anything else.
        text.push_str(&format!("- {turn}: `{}`\n", line.replace('`', "'")));
    }
    Outcome::Answer(text)
}

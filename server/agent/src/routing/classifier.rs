use pollux_model::Content;
use serde_json::{Value, json};

use super::{Size, window};
use crate::utility::{Errand, Utility, UtilityError};

/// Turns before the prompt that are shown.
const TURNS: usize = 4;

/// Large or small, by name. No opinion about results of tools.
pub(super) async fn classify(
    utility: Utility<'_>,
    history: &[Content],
) -> Result<Option<Size>, UtilityError> {
    let (before, prompt) = window::split_prompt(history);
    if window::answers_tools(prompt) {
        return Ok(None);
    }
    let mut contents = window::talk(before, TURNS);
    contents.extend_from_slice(prompt);
    let errand = Errand {
        alias: "classifier",
        system: SYSTEM,
        contents,
    };
    let answer = utility.json(errand, schema()).await?;
    match answer.get("model_choice").and_then(Value::as_str) {
        Some("pro") => Ok(Some(Size::Pro)),
        Some("flash") => Ok(Some(Size::Flash)),
        _ => Err(UtilityError::Missing("model_choice")),
    }
}

fn schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "reasoning": {
                "type": "string",
                "description": "Which of the signs you saw, in a sentence or two.",
            },
            "model_choice": { "type": "string", "enum": ["flash", "pro"] },
        },
        "required": ["reasoning", "model_choice"],
    })
}

const SYSTEM: &str = "\
You choose which of two models takes on the last request of a conversation with a coding agent: `flash`, fast and good \
at clear tasks, or `pro`, slower and better at hard ones. You do not carry the request out.

Choose `pro` if at least one of these holds:
- It takes four or more steps that build on each other.
- It asks for a design, a strategy, a comparison of ways, or for the why behind something large.
- It is vague or wide, so that finding out what to do is a part of the work.
- Something fails and the cause is unknown.

Otherwise choose `flash`: a question with one answer, a change at a known place, one command, a plan that only has to \
be carried out. A short request may be a hard one, and a long one easy: judge the work, not the words.

Answer with a JSON object only.";

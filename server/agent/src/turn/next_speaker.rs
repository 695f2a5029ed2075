//! Who speaks next: a model that announces what it will do should do it.

use pollux_model::{Content, Part, Role};
use serde_json::{Value, json};
use tracing::warn;

use super::Turn;
use crate::NextSpeaker;
use crate::utility::{Errand, UtilityError};

/// What a model is told that has stopped in the middle.
pub(super) const GO_ON: &str = "Please continue.";

/// Whose turn it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Speaker {
    Person,
    Model,
}

impl Turn<'_> {
    /// The person, unless the settings want it judged and the judge finds that the model is not done.
    pub(super) async fn next_speaker(&mut self) -> Speaker {
        if self.config.context.next_speaker == NextSpeaker::Person {
            return Speaker::Person;
        }
        match self.history.last() {
            None => return Speaker::Person,
            Some(last) if last.parts.is_empty() && last.role == Role::Model => {
                return Speaker::Model;
            }
            Some(last) if last.role == Role::User => {
                return match last.parts.iter().any(is_response) {
                    true => Speaker::Model,
                    false => Speaker::Person,
                };
            }
            Some(_) => {}
        }
        match self.judge_speaker().await {
            Ok(speaker) => speaker,
            // The next request will find out.
            Err(UtilityError::Cancelled) => Speaker::Person,
            Err(error) => {
                warn!(%error, "nobody knows who speaks next, so it is the person");
                Speaker::Person
            }
        }
    }

    async fn judge_speaker(&mut self) -> Result<Speaker, UtilityError> {
        let mut contents = self.history.clone();
        contents.push(Content::prompt(QUESTION));
        let errand = Errand {
            alias: "next-speaker-checker",
            system: "",
            contents,
        };
        let answer = self.utility().json(errand, schema()).await?;
        match answer.get("next_speaker").and_then(Value::as_str) {
            Some("model") => Ok(Speaker::Model),
            Some("user") => Ok(Speaker::Person),
            _ => Err(UtilityError::Missing("next_speaker")),
        }
    }
}

fn is_response(part: &Part) -> bool {
    matches!(part, Part::FunctionResponse(_))
}

fn schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "reasoning": {
                "type": "string",
                "description": "Which rule applies, and to which words.",
            },
            "next_speaker": { "type": "string", "enum": ["user", "model"] },
        },
        "required": ["reasoning", "next_speaker"],
    })
}

const QUESTION: &str = "\
Look only at your own last answer, and decide who speaks next. The first rule that fits decides:
1. It announces what you will do at once, or it breaks off in the middle: `model`.
2. It ends with a question to the user that needs an answer: `user`.
3. It is complete: `user`.
Answer with a JSON object only.";

//! `ask_user`: questions whose answers are the result.

#[cfg(test)]
mod tests;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use pollux_model::ToolDeclaration;
use serde_json::{Map, Value, json};

use super::{Asks, Desk, ErrorKind, Tool, ToolError, ToolOutput};
use crate::api::{Answer, Choice, Pick, Question, QuestionKind, Reply, Subject};

pub(super) const NAME: &str = "ask_user";

const DISMISSED: &str = "User dismissed ask_user dialog without answering.";

pub(super) struct AskUser;

impl Tool for AskUser {
    fn name(&self) -> &str {
        NAME
    }

    fn declaration(&self) -> ToolDeclaration {
        ToolDeclaration {
            name: NAME.to_owned(),
            description: "Asks the person and waits for the answers. Ask only what you cannot find out yourself."
                .to_owned(),
            parameters: json!({
                "type": "object",
                "properties": {
                    "questions": {
                        "type": "array",
                        "minItems": 1,
                        "maxItems": 4,
                        "items": {
                            "type": "object",
                            "properties": {
                                "question": { "type": "string" },
                                "header": { "type": "string", "description": "A word or two." },
                                "type": { "type": "string", "enum": ["choice", "text", "yesno"] },
                                "options": {
                                    "type": "array",
                                    "description": "For choice: 2 to 4. The person can always write their own.",
                                    "items": {
                                        "type": "object",
                                        "properties": {
                                            "label": { "type": "string" },
                                            "description": { "type": "string" },
                                        },
                                        "required": ["label", "description"],
                                    },
                                },
                                "multiSelect": { "type": "boolean" },
                                "placeholder": { "type": "string" },
                            },
                            "required": ["question", "header", "type"],
                        },
                    },
                },
                "required": ["questions"],
            }),
        }
    }

    fn title(&self, args: &Map<String, Value>) -> String {
        let questions = questions(args).unwrap_or_default();
        let headers: Vec<&str> = questions.iter().map(|one| one.header.as_str()).collect();
        match headers.is_empty() {
            true => "Ask you".to_owned(),
            false => format!("Ask you: {}", headers.join(", ")),
        }
    }

    fn check(&self, desk: &Desk<'_>) -> Result<(), ToolError> {
        questions(&desk.call.args).map(drop)
    }

    fn asks<'a>(&'a self, desk: &'a Desk<'_>) -> BoxFuture<'a, Result<Asks, ToolError>> {
        async {
            let questions = questions(&desk.call.args)?;
            Ok(Asks::Person(Subject::Questions(questions)))
        }
        .boxed()
    }

    fn denied(&self, feedback: Option<&str>) -> ToolError {
        let told = match feedback {
            None => DISMISSED.to_owned(),
            Some(feedback) => format!("{DISMISSED} They say: {feedback}"),
        };
        ToolError::denied(told, feedback)
    }

    fn run<'a>(&'a self, desk: &'a Desk<'_>) -> BoxFuture<'a, Result<ToolOutput, ToolError>> {
        async {
            // A policy can allow the question, but it cannot answer it.
            let Answer::Replies(replies) = desk.answer()? else {
                let told = "the questions were not answered";
                return Err(ToolError::new(ErrorKind::ExecutionFailed, told));
            };
            let asked = questions(&desk.call.args)?.len();
            let answers: Map<String, Value> = replies
                .iter()
                .filter(|(place, _)| **place < asked)
                .map(|(place, reply)| (place.to_string(), told(reply)))
                .collect();
            let summary = match answers.len() {
                1 => "1 answer".to_owned(),
                count => format!("{count} answers"),
            };
            let output = json!({ "answers": answers }).to_string();
            Ok(ToolOutput::text(output, summary))
        }
        .boxed()
    }
}

/// A list stays one, because a label may have commas in it.
fn told(reply: &Reply) -> Value {
    match reply {
        Reply::Words(words) => words.as_str().into(),
        Reply::Chosen(labels) => labels.as_slice().into(),
    }
}

fn questions(args: &Map<String, Value>) -> Result<Vec<Question>, ToolError> {
    let questions = args.get("questions").and_then(Value::as_array);
    let questions = questions.into_iter().flatten().enumerate();
    questions
        .map(|(index, value)| question(index + 1, value))
        .collect()
}

fn question(number: usize, value: &Value) -> Result<Question, ToolError> {
    let text = |name: &str| value.get(name).and_then(Value::as_str);
    let required = |name: &str| match text(name).map(str::trim) {
        Some(text) if !text.is_empty() => Ok(text.to_owned()),
        _ => Err(ToolError::invalid(format!(
            "question {number} must have `{name}`, and it must not be empty"
        ))),
    };
    let kind = match text("type") {
        Some("text") => QuestionKind::Text,
        Some("yesno") => QuestionKind::YesNo,
        _ => QuestionKind::Choice {
            options: options(number, value)?,
            pick: match value.get("multiSelect").and_then(Value::as_bool) {
                Some(true) => Pick::Several,
                Some(false) | None => Pick::One,
            },
        },
    };
    Ok(Question {
        text: required("question")?,
        header: required("header")?,
        kind,
        placeholder: text("placeholder").map(str::to_owned),
        default: None,
        is_optional: false,
    })
}

fn options(number: usize, value: &Value) -> Result<Vec<Choice>, ToolError> {
    let options = value.get("options").and_then(Value::as_array);
    let text = |option: &Value, name: &str| {
        let text = option.get(name).and_then(Value::as_str);
        text.unwrap_or_default().to_owned()
    };
    let options: Vec<Choice> = options
        .into_iter()
        .flatten()
        .map(|option| Choice {
            label: text(option, "label"),
            description: text(option, "description"),
        })
        .collect();
    if !(2..=4).contains(&options.len()) {
        return Err(ToolError::invalid(format!(
            "question {number} is a choice, so it must have 2 to 4 `options`"
        )));
    }
    if options.iter().any(|option| option.label.trim().is_empty()) {
        return Err(ToolError::invalid(format!(
            "every option of question {number} must have a `label`"
        )));
    }
    Ok(options)
}

//! Questions of the model as a form, for clients that show one.

use std::collections::BTreeMap;

use agent_client_protocol_schema::v1::{
    BooleanPropertySchema, CreateElicitationRequest, CreateElicitationResponse, ElicitationAction,
    ElicitationContentValue, ElicitationFormMode, ElicitationSchema, ElicitationSessionScope,
    EnumOption, MultiSelectPropertySchema, SessionId, StringPropertySchema, ToolCallId,
};
use pollux_agent::api::{Choice, Pick, Question, QuestionKind, Reply};

/// What came of a form.
pub(super) enum Filled {
    Replies(BTreeMap<usize, Reply>),
    /// The person does not want to answer.
    Declined,
    /// It was closed.
    Closed,
}

const WHY: &str = "instead";
const YES: &str = "Yes";

pub(super) fn request(
    session: &SessionId,
    call: &ToolCallId,
    questions: &[Question],
) -> CreateElicitationRequest {
    let mut schema = ElicitationSchema::new();
    for (place, question) in questions.iter().enumerate() {
        schema = with(schema, &name(place), question);
    }
    let scope = ElicitationSessionScope::new(session.clone()).tool_call_id(call.clone());
    let message = match questions {
        [question] => question.text.clone(),
        _ => "The agent has some questions".to_owned(),
    };
    CreateElicitationRequest::new(ElicitationFormMode::new(scope, schema), message)
}

/// Asks what to do instead of what was rejected.
pub(super) fn why(session: &SessionId) -> CreateElicitationRequest {
    let words = StringPropertySchema::new().title("What to do instead".to_owned());
    let schema = ElicitationSchema::new().property(WHY, words, true);
    let scope = ElicitationSessionScope::new(session.clone());
    let message = "What should the agent do instead?";
    CreateElicitationRequest::new(ElicitationFormMode::new(scope, schema), message)
}

pub(super) fn reason(filled: CreateElicitationResponse) -> Option<String> {
    let ElicitationAction::Accept(accepted) = filled.action else {
        return None;
    };
    let content = accepted.content.unwrap_or_default();
    let words = content.get(WHY).map(text)?;
    (!words.trim().is_empty()).then_some(words)
}

pub(super) fn replies(questions: &[Question], filled: CreateElicitationResponse) -> Filled {
    let content = match filled.action {
        ElicitationAction::Accept(accepted) => accepted.content.unwrap_or_default(),
        ElicitationAction::Decline => return Filled::Declined,
        _ => return Filled::Closed,
    };
    let replies = questions
        .iter()
        .enumerate()
        .filter_map(|(place, question)| {
            let reply = reply(content.get(&name(place))?);
            // Emptied, where something stood already, is an answer.
            let counts = !is_empty(&reply) || question.default.is_some();
            counts.then_some((place, reply))
        });
    Filled::Replies(replies.collect())
}

fn name(place: usize) -> String {
    format!("question{}", place + 1)
}

fn with(schema: ElicitationSchema, name: &str, question: &Question) -> ElicitationSchema {
    let (title, text) = (question.header.clone(), question.text.clone());
    let is_required = !question.is_optional;
    let default = question.default.as_ref().map(Reply::to_string);
    match &question.kind {
        QuestionKind::Text => {
            let words = StringPropertySchema::new().default_value(default);
            schema.property(name, words.title(title).description(text), is_required)
        }
        QuestionKind::YesNo => {
            let yes = BooleanPropertySchema::new().default_value(default.map(|it| it == YES));
            schema.property(name, yes.title(title).description(text), is_required)
        }
        QuestionKind::Choice { options, pick } => {
            let options = options.iter().map(option).collect();
            match pick {
                Pick::One => {
                    let one = StringPropertySchema::new().one_of(Some(options));
                    let one = one.default_value(default).title(title).description(text);
                    schema.property(name, one, is_required)
                }
                Pick::Several => {
                    let default = question.default.clone().map(|default| match default {
                        Reply::Chosen(labels) => labels,
                        Reply::Words(words) => vec![words],
                    });
                    let several = MultiSelectPropertySchema::titled(options);
                    let several = several
                        .default_value(default)
                        .title(title)
                        .description(text);
                    schema.property(name, several, is_required)
                }
            }
        }
    }
}

fn option(choice: &Choice) -> EnumOption {
    let shown = match choice.description.is_empty() {
        true => choice.label.clone(),
        false => format!("{} – {}", choice.label, choice.description),
    };
    EnumOption::new(choice.label.clone(), shown)
}

fn reply(value: &ElicitationContentValue) -> Reply {
    match value {
        ElicitationContentValue::StringArray(labels) => Reply::Chosen(labels.clone()),
        one => Reply::Words(text(one)),
    }
}

fn is_empty(reply: &Reply) -> bool {
    match reply {
        Reply::Words(words) => words.is_empty(),
        Reply::Chosen(labels) => labels.is_empty(),
    }
}

fn text(value: &ElicitationContentValue) -> String {
    match value {
        ElicitationContentValue::String(text) => text.clone(),
        ElicitationContentValue::Integer(number) => number.to_string(),
        ElicitationContentValue::Number(number) => number.to_string(),
        ElicitationContentValue::Boolean(true) => YES.to_owned(),
        ElicitationContentValue::Boolean(false) => "No".to_owned(),
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests;

//! Questions of the model as a form, for clients that show one.

use std::collections::BTreeMap;

use agent_client_protocol_schema::v1::{
    BooleanPropertySchema, CreateElicitationRequest, CreateElicitationResponse, ElicitationAction,
    ElicitationContentValue, ElicitationFormMode, ElicitationSchema, ElicitationSessionScope,
    EnumOption, MultiSelectPropertySchema, SessionId, StringPropertySchema, ToolCallId,
};
use pollux_agent::api::{Choice, Pick, Question, QuestionKind};

/// What came of a form.
pub(super) enum Filled {
    Replies(BTreeMap<usize, String>),
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
            let reply = content.get(&name(place)).map(text)?;
            // Emptied, where something stood already, is an answer.
            let counts = !reply.is_empty() || question.default.is_some();
            counts.then_some((place, reply))
        });
    Filled::Replies(replies.collect())
}

fn name(place: usize) -> String {
    format!("question{}", place + 1)
}

fn with(schema: ElicitationSchema, name: &str, question: &Question) -> ElicitationSchema {
    let (title, text) = (question.header.clone(), question.text.clone());
    let (default, is_required) = (question.default.clone(), !question.is_optional);
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
                    let default =
                        default.map(|labels| labels.split(", ").map(str::to_owned).collect());
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

fn text(value: &ElicitationContentValue) -> String {
    match value {
        ElicitationContentValue::String(text) => text.clone(),
        ElicitationContentValue::Integer(number) => number.to_string(),
        ElicitationContentValue::Number(number) => number.to_string(),
        ElicitationContentValue::Boolean(true) => YES.to_owned(),
        ElicitationContentValue::Boolean(false) => "No".to_owned(),
        ElicitationContentValue::StringArray(several) => several.join(", "),
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests;

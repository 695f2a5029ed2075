use serde_json::{Map, Value};

use super::answer::{Answer, GoesOn, Word};

/// What several answers to one event come to.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Merged {
    pub(super) ruling: Ruling,
    pub(super) specific: Map<String, Value>,
    /// Text for the model, safe to put between marks.
    pub(super) context: Option<String>,
}

/// What hooks say about going on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) enum Ruling {
    #[default]
    GoOn,
    /// Somebody is to be asked, with these words.
    Ask { message: Option<String> },
    /// Not this.
    Deny { reason: String },
    /// Not this and nothing else: the turn is over.
    Stop { reason: String },
}

/// The strictest answer rules.
pub(super) fn merge(answers: &[Answer]) -> Merged {
    let stops = answers.iter().any(|answer| answer.goes_on == GoesOn::No);
    let says = |word: Word| answers.iter().any(|answer| answer.decision == Some(word));
    let reason = || {
        joined(answers, |answer| answer.stop_reason.as_deref())
            .or_else(|| joined(answers, |answer| answer.reason.as_deref()))
            .unwrap_or_else(|| "No reason provided".to_owned())
    };
    let ruling = if stops {
        Ruling::Stop { reason: reason() }
    } else if says(Word::Deny) {
        Ruling::Deny { reason: reason() }
    } else if says(Word::Ask) {
        Ruling::Ask {
            message: joined(answers, |answer| answer.message.as_deref()),
        }
    } else {
        Ruling::GoOn
    };
    let mut specific = Map::new();
    for answer in answers {
        specific.extend(answer.specific.clone());
    }
    let context = joined(answers, |answer| {
        answer.specific.get("additionalContext")?.as_str()
    });
    Merged {
        ruling,
        specific,
        context: context.map(|context| in_marks(&context)),
    }
}

fn joined<'a>(
    answers: &'a [Answer],
    text: impl Fn(&'a Answer) -> Option<&'a str>,
) -> Option<String> {
    let texts: Vec<&str> = answers
        .iter()
        .filter_map(text)
        .filter(|text| !text.is_empty())
        .collect();
    (!texts.is_empty()).then(|| texts.join("\n"))
}

/// The text cannot close the marks.
fn in_marks(context: &str) -> String {
    let context = context.replace('<', "&lt;").replace('>', "&gt;");
    format!("<hook_context>{context}</hook_context>")
}

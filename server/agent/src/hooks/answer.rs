use serde_json::{Map, Value};

use crate::{Completeness, Punctuality, Ran};

/// What a hook said.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Answer {
    pub(super) decision: Option<Word>,
    pub(super) reason: Option<String>,
    /// For the person.
    pub(super) message: Option<String>,
    pub(super) goes_on: GoesOn,
    pub(super) stop_reason: Option<String>,
    /// What only this kind of event knows.
    pub(super) specific: Map<String, Value>,
}

/// What a hook decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Word {
    /// Says no more than silence does: the policy has still to agree.
    Allow,
    Ask,
    Deny,
}

/// Whether the agent goes on at all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum GoesOn {
    #[default]
    Yes,
    No,
}

/// What the end of a program says. An object counts whatever the exit code is; other text is told by it.
pub(super) fn read(ran: &Ran) -> Result<Option<Answer>, String> {
    if ran.time == Punctuality::Late {
        return Err("it took too long".to_owned());
    }
    if ran.output == Completeness::Cut {
        return Err("it printed too much".to_owned());
    }
    let said = match ran.stdout.trim() {
        "" => ran.stderr.trim(),
        said => said,
    };
    if said.is_empty() {
        return match (ran.code, ran.signal) {
            (Some(0), _) => Ok(None),
            (Some(code), _) => Err(format!("it ended with the code {code} and said nothing")),
            (None, Some(signal)) => Err(format!("the signal {signal} ended it")),
            (None, None) => Err("it ended, nobody knows how".to_owned()),
        };
    }
    if let Some(object) = object(said) {
        return Ok(Some(from_object(object)));
    }
    let said = said.to_owned();
    Ok(Some(match ran.code {
        Some(0) => Answer {
            decision: Some(Word::Allow),
            message: Some(said),
            ..Answer::default()
        },
        Some(1) | None => Answer {
            decision: Some(Word::Allow),
            message: Some(format!("Warning: {said}")),
            ..Answer::default()
        },
        Some(_) => Answer {
            decision: Some(Word::Deny),
            reason: Some(said),
            ..Answer::default()
        },
    }))
}

/// A text that holds the object as a text counts as well.
fn object(said: &str) -> Option<Map<String, Value>> {
    match serde_json::from_str(said).ok()? {
        Value::Object(object) => Some(object),
        Value::String(inner) => match serde_json::from_str(&inner).ok()? {
            Value::Object(object) => Some(object),
            _ => None,
        },
        _ => None,
    }
}

fn from_object(mut object: Map<String, Value>) -> Answer {
    let text = |name: &str| object.get(name).and_then(Value::as_str).map(str::to_owned);
    let answer = Answer {
        decision: match text("decision").as_deref() {
            Some("block" | "deny") => Some(Word::Deny),
            Some("ask") => Some(Word::Ask),
            Some("allow" | "approve") => Some(Word::Allow),
            Some(_) | None => None,
        },
        reason: text("reason"),
        message: text("systemMessage"),
        goes_on: match object.get("continue").and_then(Value::as_bool) {
            Some(false) => GoesOn::No,
            Some(true) | None => GoesOn::Yes,
        },
        stop_reason: text("stopReason"),
        specific: Map::new(),
    };
    let specific = match object.shift_remove("hookSpecificOutput") {
        Some(Value::Object(specific)) => specific,
        _ => Map::new(),
    };
    Answer { specific, ..answer }
}

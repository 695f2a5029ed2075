//! What our records say beyond the twin's, each under one key of our own that the twin leaves alone.

use std::path::PathBuf;
use std::time::Duration;

use pollux_agent::api::{
    Answer, ApprovalMode, CommandExit, EditedFile, RecordedEnd, Reply, Scope, SentItem, SentKind,
    TurnId, TurnOutcome,
};
use pollux_agent::{Fate, Given, Said, Spent};
use serde_json::{Map, Value, json};

use super::edits::RecordedEdit;
use super::kept;

const KEY: &str = "pollux";

/// Bytes of a text about the editor that are kept. It is short by its own limits.
const LONGEST_EDITOR: usize = 256 * 1024;

/// How something was said, for its message.
pub(super) fn said(how: &Said<'_>) -> Map<String, Value> {
    let extra = match how {
        Said::Asked {
            turn,
            items,
            editor,
        } => {
            let editor = editor.filter(|text| text.len() <= LONGEST_EDITOR);
            let items: Vec<Value> = items.iter().map(item).collect();
            json!({ "turn": turn.0, "sent": items, "editor": editor })
        }
        Said::Steered => json!({ "how": "steered" }),
        Said::Told => json!({ "how": "told" }),
    };
    under_key(extra)
}

/// What a message says about how it was said.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Recalled {
    pub(super) how: How,
    pub(super) turn: Option<TurnId>,
    pub(super) items: Vec<SentItem>,
    pub(super) editor: Option<String>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum How {
    #[default]
    Asked,
    Steered,
    Told,
}

pub(super) fn recalled(other: &Map<String, Value>) -> Recalled {
    let Some(extra) = other.get(KEY) else {
        return Recalled::default();
    };
    let items = extra.get("sent").and_then(Value::as_array);
    Recalled {
        how: match extra.get("how").and_then(Value::as_str) {
            Some("steered") => How::Steered,
            Some("told") => How::Told,
            _ => How::Asked,
        },
        turn: extra.get("turn").and_then(Value::as_u64).map(TurnId),
        items: items.into_iter().flatten().filter_map(sent_item).collect(),
        editor: text(extra, "editor"),
    }
}

/// What is known about a call, for its record.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct CallFacts {
    pub(super) took: Duration,
    pub(super) edited: Option<EditedFile>,
    /// How, unless that is too much to keep.
    pub(super) edit: Option<RecordedEdit>,
    pub(super) exit: Option<CommandExit>,
    pub(super) given: Option<Given>,
}

pub(super) fn call(facts: &CallFacts) -> Map<String, Value> {
    let took = u64::try_from(facts.took.as_millis()).unwrap_or(u64::MAX);
    let mut extra = json!({ "durationMs": took });
    if let (Some(edited), Value::Object(extra)) = (&facts.edited, &mut extra) {
        let edited = json!({
            "path": edited.path, "added": edited.added, "removed": edited.removed
        });
        extra.insert("edited".to_owned(), edited);
    }
    if let (Some(edit), Value::Object(extra)) = (&facts.edit, &mut extra) {
        extra.insert("edit".to_owned(), edit.to_json());
    }
    if let (Some(exit), Value::Object(extra)) = (facts.exit, &mut extra) {
        let (key, number) = match exit {
            CommandExit::Code(code) => ("exitCode", code),
            CommandExit::Signal(signal) => ("signal", signal),
        };
        extra.insert(key.to_owned(), number.into());
    }
    if let (Some(given), Value::Object(extra)) = (&facts.given, &mut extra) {
        let given = json!({ "answer": answer(&given.answer), "reason": given.reason });
        extra.insert("given".to_owned(), given);
    }
    under_key(extra)
}

pub(super) fn facts(other: &Map<String, Value>) -> CallFacts {
    let Some(extra) = other.get(KEY) else {
        return CallFacts::default();
    };
    let count = |value: &Value, key: &str| usize::try_from(value.get(key)?.as_u64()?).ok();
    let number = |key: &str| i32::try_from(extra.get(key)?.as_i64()?).ok();
    let took = extra.get("durationMs").and_then(Value::as_u64);
    CallFacts {
        took: Duration::from_millis(took.unwrap_or_default()),
        edited: extra.get("edited").and_then(|edited| {
            Some(EditedFile {
                path: text(edited, "path")?,
                added: count(edited, "added")?,
                removed: count(edited, "removed")?,
            })
        }),
        edit: extra.get("edit").and_then(RecordedEdit::from_json),
        exit: number("exitCode")
            .map(CommandExit::Code)
            .or(number("signal").map(CommandExit::Signal)),
        given: extra.get("given").and_then(|given| {
            Some(Given {
                answer: answered(given.get("answer")?)?,
                reason: text(given, "reason").unwrap_or_default(),
            })
        }),
    }
}

/// How a turn ended, for the note about it.
pub(super) fn outcome(outcome: &TurnOutcome) -> Map<String, Value> {
    let name = match outcome {
        TurnOutcome::Cancelled => "cancelled",
        TurnOutcome::Declined => "declined",
        TurnOutcome::Interrupted => "interrupted",
        TurnOutcome::Unattended => "unattended",
        TurnOutcome::StoppedByHook { reason } => {
            return under_key(json!({ "outcome": "stopped", "reason": reason }));
        }
        TurnOutcome::LoopDetected(found) => {
            return under_key(json!({ "outcome": "loop", "reason": found }));
        }
        TurnOutcome::Failed(_)
        | TurnOutcome::InvalidAnswer(_)
        | TurnOutcome::Recorded {
            end: RecordedEnd::Failed,
            ..
        } => {
            return under_key(json!({ "outcome": "failed", "reason": outcome.message() }));
        }
        TurnOutcome::RoundLimitReached { .. }
        | TurnOutcome::ContextOverflow(_)
        | TurnOutcome::SessionLimitReached { .. }
        | TurnOutcome::Recorded {
            end: RecordedEnd::Limited,
            ..
        } => {
            return under_key(json!({ "outcome": "limited", "reason": outcome.message() }));
        }
        TurnOutcome::Completed => return Map::new(),
    };
    under_key(json!({ "outcome": name }))
}

/// The same with the turn that has ended, and with what became of its prompt.
pub(super) fn of_turn(note: Map<String, Value>, turn: TurnId, prompt: Fate) -> Map<String, Value> {
    let mut note = note;
    let extra = note.entry(KEY).or_insert_with(|| json!({}));
    if let Value::Object(extra) = extra {
        extra.insert("turn".to_owned(), turn.0.into());
        if prompt == Fate::TakenBack {
            extra.insert("takenBack".to_owned(), true.into());
        }
    }
    note
}

/// The turn whose end a note is about, where it says so.
pub(super) fn ended_turn(other: &Map<String, Value>) -> Option<TurnId> {
    other.get(KEY)?.get("turn")?.as_u64().map(TurnId)
}

/// The turn of which the model knows nothing any more, if the note is about the end of such a one.
pub(super) fn taken_back(other: &Map<String, Value>) -> Option<TurnId> {
    let is_taken_back = other.get(KEY)?.get("takenBack")?.as_bool()?;
    ended_turn(other).filter(|_| is_taken_back)
}

/// `None` if the note does not say.
pub(super) fn ended(other: &Map<String, Value>) -> Option<TurnOutcome> {
    let extra = other.get(KEY)?;
    let reason = || text(extra, "reason").unwrap_or_default();
    Some(match extra.get("outcome")?.as_str()? {
        "cancelled" => TurnOutcome::Cancelled,
        "declined" => TurnOutcome::Declined,
        "interrupted" => TurnOutcome::Interrupted,
        "unattended" => TurnOutcome::Unattended,
        "stopped" => TurnOutcome::StoppedByHook { reason: reason() },
        "loop" => TurnOutcome::LoopDetected(reason()),
        "failed" => TurnOutcome::Recorded {
            end: RecordedEnd::Failed,
            message: reason(),
        },
        "limited" => TurnOutcome::Recorded {
            end: RecordedEnd::Limited,
            message: reason(),
        },
        _ => return None,
    })
}

/// What a session has cost, for what is known about it as a whole.
pub(super) fn spent(so_far: &Spent) -> Map<String, Value> {
    under_key(json!({ "cost": so_far }))
}

/// Nothing where nothing has a price.
pub(super) fn spent_before(known: &Map<String, Value>) -> Spent {
    let cost = known.get(KEY).and_then(|extra| extra.get("cost"));
    let sums = cost.and_then(Value::as_object).into_iter().flatten();
    sums.filter_map(|(currency, sum)| Some((currency.clone(), sum.as_f64()?)))
        .collect()
}

fn under_key(extra: Value) -> Map<String, Value> {
    Map::from_iter([(KEY.to_owned(), extra)])
}

fn text(value: &Value, key: &str) -> Option<String> {
    value.get(key).and_then(Value::as_str).map(str::to_owned)
}

const KINDS: [(SentKind, &str); 8] = [
    (SentKind::ActiveFile, "activeFile"),
    (SentKind::Selection, "selection"),
    (SentKind::OpenFiles, "openFiles"),
    (SentKind::Diagnostics, "diagnostics"),
    (SentKind::File, "file"),
    (SentKind::Folder, "folder"),
    (SentKind::Attachment, "attachment"),
    (SentKind::Memory, "memory"),
];

fn item(item: &SentItem) -> Value {
    let kind = KINDS.iter().find(|(kind, _)| *kind == item.kind);
    json!({
        "kind": kind.map(|(_, name)| name),
        "label": item.label,
        "path": item.path.as_ref().and_then(|path| path.to_str()),
        "range": item.range.map(kept::range),
        "bytes": item.bytes,
    })
}

fn sent_item(value: &Value) -> Option<SentItem> {
    let named = value.get("kind")?.as_str()?;
    let (kind, _) = KINDS.iter().find(|(_, name)| *name == named)?;
    let bytes = value.get("bytes").and_then(Value::as_u64);
    Some(SentItem {
        kind: *kind,
        label: text(value, "label")?,
        path: text(value, "path").map(PathBuf::from),
        range: value.get("range").and_then(kept::ranged),
        bytes: usize::try_from(bytes.unwrap_or_default()).unwrap_or(usize::MAX),
    })
}

fn answer(answer: &Answer) -> Value {
    match answer {
        Answer::Allow => json!({ "kind": "allow" }),
        Answer::Always { offer, scope } => json!({
            "kind": "always", "offer": offer, "scope": scope_name(*scope)
        }),
        Answer::AlwaysBy { rule, scope } => json!({
            "kind": "alwaysBy", "rule": rule, "scope": scope_name(*scope)
        }),
        // The text is in the file.
        Answer::AllowWith { .. } => json!({ "kind": "allow" }),
        Answer::Deny { feedback } => json!({ "kind": "deny", "feedback": feedback }),
        Answer::Replies(replies) => {
            let replies = replies.iter();
            let replies: Map<String, Value> = replies
                .map(|(place, reply)| (place.to_string(), reply_value(reply)))
                .collect();
            json!({ "kind": "replies", "replies": replies })
        }
        Answer::CarryOut(mode) => json!({ "kind": "carryOut", "mode": mode.as_str() }),
    }
}

fn reply_value(reply: &Reply) -> Value {
    match reply {
        Reply::Words(words) => words.as_str().into(),
        Reply::Chosen(labels) => labels.as_slice().into(),
    }
}

fn replied(value: &Value) -> Option<Reply> {
    match value {
        Value::String(words) => Some(Reply::Words(words.clone())),
        Value::Array(labels) => {
            let labels = labels.iter().map(|label| label.as_str().map(str::to_owned));
            labels.collect::<Option<_>>().map(Reply::Chosen)
        }
        _ => None,
    }
}

fn scope_name(scope: Scope) -> &'static str {
    match scope {
        Scope::Session => "session",
        Scope::Workspace => "workspace",
        Scope::User => "user",
    }
}

fn scope(value: &Value) -> Option<Scope> {
    let scopes = [Scope::Session, Scope::Workspace, Scope::User];
    let named = value.get("scope")?.as_str()?;
    scopes.into_iter().find(|scope| scope_name(*scope) == named)
}

fn answered(value: &Value) -> Option<Answer> {
    Some(match value.get("kind")?.as_str()? {
        "allow" => Answer::Allow,
        "always" => Answer::Always {
            offer: usize::try_from(value.get("offer")?.as_u64()?).ok()?,
            scope: scope(value)?,
        },
        "alwaysBy" => Answer::AlwaysBy {
            rule: text(value, "rule")?,
            scope: scope(value)?,
        },
        "deny" => Answer::Deny {
            feedback: text(value, "feedback"),
        },
        "replies" => {
            let replies = value.get("replies")?.as_object()?.iter();
            let replies =
                replies.filter_map(|(place, reply)| Some((place.parse().ok()?, replied(reply)?)));
            Answer::Replies(replies.collect())
        }
        "carryOut" => Answer::CarryOut(ApprovalMode::parse(value.get("mode")?.as_str()?)?),
        _ => return None,
    })
}

#[cfg(test)]
mod tests;

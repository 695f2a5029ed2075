//! History hygiene: what a conversation must look like before a model gets it.
//!
//! One small function per rule, each in place, and [`prepare`] which applies them all to a copy that the request
//! needs anyway. The session's own history is never changed by preparing it.

mod calls;

#[cfg(test)]
mod tests;

use pollux_model::{Content, FunctionCall, Part, Role};

pub(crate) use calls::{adopt_orphan_responses, answer_open_calls, drop_duplicate_responses};

/// Tells Gemini that a call has no signature because it did not come from this model.
pub(crate) const SYNTHETIC_SIGNATURE: &str = "skip_thought_signature_validator";
/// Stands for the answer that did not arrive after tools had run.
pub(crate) const INTERRUPTED: &str = "[The previous response was interrupted before it completed.]";
/// Stands between tool results and a nudge, which must not look like a part of the results.
const TOOLS_COMPLETED: &str = "[Tool execution completed.]";
const NUDGE: &str =
    "Your last response held no text for the user. Please answer now, or go on with the task.";
const BEGINNING: &str = "[The beginning of this conversation is not available.]";

/// Everything that must hold for a request. Moves what it keeps; nothing is copied.
pub(crate) fn prepare(mut history: Vec<Content>) -> Vec<Content> {
    drop_invalid_answers(&mut history);
    strip_thoughts(&mut history);
    drop_duplicate_responses(&mut history);
    coalesce(&mut history);
    adopt_orphan_responses(&mut history);
    answer_open_calls(&mut history);
    begin_with_user(&mut history);
    sign_calls(&mut history);
    history
}

/// Curated history: a run of the model's turns that holds an invalid one goes as a whole, because its other turns
/// refer to it.
pub(crate) fn drop_invalid_answers(history: &mut Vec<Content>) {
    let mut verdicts = Vec::with_capacity(history.len());
    for run in history.chunk_by(|one, next| one.role == next.role) {
        let keep = run
            .iter()
            .all(|content| content.role == Role::User || is_valid(content));
        verdicts.extend(std::iter::repeat_n(keep, run.len()));
    }
    let mut verdicts = verdicts.into_iter();
    history.retain(|_| verdicts.next().unwrap_or(true));
}

/// Thoughts are for the person. A turn of nothing else goes.
pub(crate) fn strip_thoughts(history: &mut Vec<Content>) {
    history.retain_mut(|content| {
        let had_parts = !content.parts.is_empty();
        content
            .parts
            .retain(|part| !matches!(part, Part::Thought(_)));
        !(had_parts && content.parts.is_empty())
    });
}

/// Providers want the sides to alternate.
pub(crate) fn coalesce(history: &mut Vec<Content>) {
    history.dedup_by(|next, kept| {
        let same = next.role == kept.role;
        if same {
            kept.parts.append(&mut next.parts);
        }
        same
    });
}

/// The first call of each of the model's turns since the last prompt must carry a signature; Gemini refuses the
/// request otherwise. Older turns are not checked by the provider and stay as they are.
pub(crate) fn sign_calls(history: &mut [Content]) {
    let is_prompt = |content: &Content| {
        content.role == Role::User
            && content
                .parts
                .iter()
                .any(|part| matches!(part, Part::Text(_)))
    };
    let start = history.iter().rposition(is_prompt).unwrap_or(0);
    for content in history.iter_mut().skip(start) {
        if content.role == Role::Model
            && let Some(call) = content.parts.iter_mut().find_map(as_call)
        {
            call.signature
                .get_or_insert_with(|| SYNTHETIC_SIGNATURE.to_owned());
        }
    }
}

/// To be called before the next prompt is added: if the turn failed behind tool results, the results stay and the
/// missing answer is marked, or the prompt would look like a part of the results.
pub(crate) fn mark_interruption(history: &mut Vec<Content>) {
    if history.last().is_some_and(holds_response) {
        history.push(text(Role::Model, INTERRUPTED));
    }
}

/// Asks for an answer after one that said nothing. Meant for the copy that is sent: the nudge is no prompt of the
/// person.
pub(crate) fn nudge(history: &mut Vec<Content>) {
    match history.last_mut() {
        Some(last) if last.role == Role::User && !holds_response(last) => {
            last.parts.push(Part::Text(NUDGE.to_owned()));
        }
        Some(last) if last.role == Role::User => {
            history.push(text(Role::Model, TOOLS_COMPLETED));
            history.push(text(Role::User, NUDGE));
        }
        Some(_) | None => history.push(text(Role::User, NUDGE)),
    }
}

fn begin_with_user(history: &mut Vec<Content>) {
    if history
        .first()
        .is_some_and(|first| first.role == Role::Model)
    {
        history.insert(0, text(Role::User, BEGINNING));
    }
}

fn is_valid(content: &Content) -> bool {
    let is_empty_text = |part: &Part| matches!(part, Part::Text(text) if text.is_empty());
    !content.parts.is_empty() && !content.parts.iter().any(is_empty_text)
}

fn holds_response(content: &Content) -> bool {
    let is_response = |part: &Part| matches!(part, Part::FunctionResponse(_));
    content.role == Role::User && content.parts.iter().any(is_response)
}

fn as_call(part: &mut Part) -> Option<&mut FunctionCall> {
    match part {
        Part::FunctionCall(call) => Some(call),
        Part::Text(_)
        | Part::SignedText(_)
        | Part::Thought(_)
        | Part::FunctionResponse(_)
        | Part::InlineData(_) => None,
    }
}

fn text(role: Role, text: &str) -> Content {
    Content {
        role,
        parts: vec![Part::Text(text.to_owned())],
    }
}

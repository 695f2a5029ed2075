//! Calls and their responses: each call has exactly one, right behind it and in the order of the calls.

use std::collections::HashMap;

use pollux_model::{CallId, Content, FunctionCall, FunctionResponse, Part, Role};
use serde_json::{Map, Value};

const LOST: &str = "The result of this call was lost due to context management truncation.";

/// A session that was recorded by the twin holds each response twice. The first one stays. An id may be used again
/// by a later call, so what counts is whether a call is still open, not whether the id was seen.
pub(crate) fn drop_duplicate_responses(history: &mut Vec<Content>) {
    // With the run of turns in which the calls were made: a call that nobody answered before the next run is not
    // waited for when its id is used again.
    let mut open: HashMap<CallId, (usize, usize)> = HashMap::new();
    let (mut run, mut role) = (0, Role::User);
    history.retain_mut(|content| {
        if std::mem::replace(&mut role, content.role) != content.role {
            run += 1;
        }
        let had_parts = !content.parts.is_empty();
        let mut keeps = true;
        content.parts.retain(|part| match part {
            // What a call shows goes with its answer.
            Part::InlineData(_) => keeps,
            Part::FunctionCall(call) => {
                let (made_in, count) = open.entry(call.id.clone()).or_default();
                *count = match std::mem::replace(made_in, run) == run {
                    true => *count + 1,
                    false => 1,
                };
                true
            }
            Part::FunctionResponse(response) => {
                keeps = match open.get_mut(&response.id) {
                    Some((_, 0)) => false,
                    Some((_, count)) => {
                        *count -= 1;
                        true
                    }
                    // An orphan: it may stay once.
                    None => {
                        open.insert(response.id.clone(), (run, 0));
                        true
                    }
                };
                keeps
            }
            Part::Text(_) | Part::SignedText(_) | Part::Thought(_) => {
                keeps = true;
                true
            }
        });
        !(had_parts && content.parts.is_empty())
    });
}

/// A response whose call was cut away gets a call, or the provider refuses the conversation. Expects that sides
/// alternate.
pub(crate) fn adopt_orphan_responses(history: &mut Vec<Content>) {
    let mut place = 0;
    while place < history.len() {
        let before = place.checked_sub(1).and_then(|before| history.get(before));
        let calls = before.map(open_calls).unwrap_or_default();
        let orphans = match history.get(place) {
            Some(content) => orphans_in(content, &calls),
            None => Vec::new(),
        };
        if !orphans.is_empty() {
            match place
                .checked_sub(1)
                .and_then(|before| history.get_mut(before))
            {
                Some(before) => before.parts.extend(orphans),
                None => {
                    let role = Role::Model;
                    let parts = orphans;
                    history.insert(place, Content { role, parts });
                    place += 1;
                }
            }
        }
        place += 1;
    }
}

/// Puts responses before everything else of their turn, in the order of the calls, with an error for each call that
/// has none. Expects that sides alternate and that no response is an orphan.
pub(crate) fn answer_open_calls(history: &mut Vec<Content>) {
    let mut place = 0;
    while let Some(content) = history.get(place) {
        let calls = open_calls(content);
        place += 1;
        if calls.is_empty() {
            continue;
        }
        match history.get_mut(place) {
            Some(answer) => answer.parts = in_order(&calls, std::mem::take(&mut answer.parts)),
            None => history.push(Content {
                role: Role::User,
                parts: in_order(&calls, Vec::new()),
            }),
        }
    }
}

fn open_calls(content: &Content) -> Vec<(CallId, String)> {
    if content.role != Role::Model {
        return Vec::new();
    }
    let call = |part: &Part| match part {
        Part::FunctionCall(call) => Some((call.id.clone(), call.name.clone())),
        Part::Text(_)
        | Part::SignedText(_)
        | Part::Thought(_)
        | Part::FunctionResponse(_)
        | Part::InlineData(_) => None,
    };
    content.parts.iter().filter_map(call).collect()
}

fn orphans_in(content: &Content, calls: &[(CallId, String)]) -> Vec<Part> {
    let orphan = |part: &Part| match part {
        Part::FunctionResponse(response) if calls.iter().all(|(id, _)| *id != response.id) => {
            Some(Part::FunctionCall(FunctionCall {
                id: response.id.clone(),
                name: response.name.clone(),
                args: Map::new(),
                signature: None,
            }))
        }
        _ => None,
    };
    content.parts.iter().filter_map(orphan).collect()
}

fn in_order(calls: &[(CallId, String)], mut parts: Vec<Part>) -> Vec<Part> {
    let mut ordered = Vec::with_capacity(parts.len().max(calls.len()));
    for (id, name) in calls {
        let is_answer =
            |part: &Part| matches!(part, Part::FunctionResponse(response) if response.id == *id);
        match parts.iter().position(is_answer) {
            Some(place) => {
                // What a call shows stays behind its answer: some models are told which belongs to which.
                let shown = parts
                    .iter()
                    .skip(place + 1)
                    .take_while(|part| is_shown(part));
                let end = place + 1 + shown.count();
                ordered.extend(parts.drain(place..end));
            }
            None => ordered.push(lost(id, name)),
        }
    }
    ordered.append(&mut parts);
    ordered
}

fn is_shown(part: &Part) -> bool {
    matches!(part, Part::InlineData(_))
}

fn lost(id: &CallId, name: &str) -> Part {
    let error = Value::String(LOST.to_owned());
    Part::FunctionResponse(FunctionResponse {
        id: id.clone(),
        name: name.to_owned(),
        response: Map::from_iter([("error".to_owned(), error)]),
    })
}

//! Which call has been answered, and where.
//!
//! The newest twin records an answer twice: with the call, and as a turn of the user. Models refuse a
//! history in which a call has two answers or none.

use std::collections::HashSet;

use pollux_model::{CallId, Content, FunctionResponse, Part, Role};
use serde_json::{Map, Value, json};

use super::{call_id, canonical, synthetic};
use crate::part;
use crate::record::{Message, MessageKind, RecordedContent, ToolCall};
use crate::text::content_text;

const CUT_OFF: &str = "The call was interrupted before it returned a result.";

pub(super) struct Answers {
    /// Answered by a turn of the user, sooner or later.
    in_turns: HashSet<CallId>,
    /// Answered in what was rebuilt so far.
    given: HashSet<CallId>,
    /// Asked without an answer so far, with the tool's name.
    open: Vec<(CallId, String)>,
    /// How many ids were made up, which tells equal calls apart.
    made_up: usize,
}

impl Answers {
    pub(super) fn of(messages: &[Message]) -> Self {
        let in_turns = messages
            .iter()
            .filter(|message| message.kind == MessageKind::User)
            .flat_map(|message| message.content.iter())
            .filter_map(part::from_json)
            .filter_map(|part| match part {
                Part::FunctionResponse(answer) => Some(canonical(answer.id.as_str(), &answer.name)),
                Part::Text(_)
                | Part::SignedText(_)
                | Part::Thought(_)
                | Part::FunctionCall(_)
                | Part::InlineData(_) => None,
            })
            .filter(|id| !id.as_str().is_empty())
            .collect();
        Self {
            in_turns,
            given: HashSet::new(),
            open: Vec::new(),
            made_up: 0,
        }
    }

    /// A turn of the model, its calls under ids that are remembered.
    pub(super) fn asked(&mut self, mut parts: Vec<Part>) -> Vec<Part> {
        for part in &mut parts {
            if let Part::FunctionCall(call) = part {
                call.id = canonical(call.id.as_str(), &call.name);
                if call.id.as_str().is_empty() {
                    let args = Value::Object(call.args.clone());
                    call.id = synthetic("synth", &call.name, &args, self.made_up);
                    self.made_up += 1;
                }
                self.open.push((call.id.clone(), call.name.clone()));
            }
        }
        parts
    }

    /// The parts without the answers that were given before.
    pub(super) fn once(&mut self, parts: impl IntoIterator<Item = Part>) -> Vec<Part> {
        let mut kept = Vec::new();
        let mut is_known = false;
        for mut part in parts {
            match &mut part {
                Part::FunctionResponse(answer) => {
                    answer.id = self.name(answer);
                    is_known = !self.given.insert(answer.id.clone());
                    self.open.retain(|(id, _)| *id != answer.id);
                }
                // It goes with the answer before it.
                Part::InlineData(_) => {}
                Part::Text(_) | Part::SignedText(_) | Part::Thought(_) | Part::FunctionCall(_) => {
                    is_known = false;
                }
            }
            if !is_known {
                kept.push(part);
            }
        }
        kept
    }

    /// The answers that were recorded with the calls and nowhere else.
    pub(super) fn only_in(&mut self, calls: &[ToolCall]) -> Vec<Part> {
        let mut parts = Vec::new();
        for call in calls {
            let id = call_id(call);
            if let Some(result) = &call.result
                && (id.as_str().is_empty() || !self.in_turns.contains(&id))
            {
                parts.extend(result_parts(result, &id, &call.name));
            }
        }
        self.once(parts)
    }

    fn name(&mut self, answer: &FunctionResponse) -> CallId {
        let id = canonical(answer.id.as_str(), &answer.name);
        if !id.as_str().is_empty() {
            return id;
        }
        let asked = self.open.iter().find(|(_, name)| *name == answer.name);
        if let Some((id, _)) = asked {
            return id.clone();
        }
        let response = Value::Object(answer.response.clone());
        self.made_up += 1;
        synthetic("synth_orph", &answer.name, &response, self.made_up)
    }
}

/// Answers every call that was left open, where a model expects the answer.
pub(super) fn complete(history: Vec<Content>) -> Vec<Content> {
    let mut completed: Vec<Content> = Vec::with_capacity(history.len());
    let mut open: Vec<Part> = Vec::new();
    for mut content in history {
        if content.role == Role::User && content.parts.iter().any(super::is_answer) {
            let answered: Vec<&CallId> = content.parts.iter().filter_map(answered_id).collect();
            open.retain(|part| answered_id(part).is_none_or(|id| !answered.contains(&id)));
            content.parts.splice(0..0, open.drain(..));
        } else if !open.is_empty() {
            completed.push(user(std::mem::take(&mut open)));
        }
        open.extend(content.parts.iter().filter_map(cut_off));
        completed.push(content);
    }
    if !open.is_empty() {
        completed.push(user(open));
    }
    completed
}

fn user(parts: Vec<Part>) -> Content {
    Content {
        role: Role::User,
        parts,
    }
}

fn answered_id(part: &Part) -> Option<&CallId> {
    match part {
        Part::FunctionResponse(answer) => Some(&answer.id),
        Part::Text(_)
        | Part::SignedText(_)
        | Part::Thought(_)
        | Part::FunctionCall(_)
        | Part::InlineData(_) => None,
    }
}

fn cut_off(part: &Part) -> Option<Part> {
    match part {
        Part::FunctionCall(call) => Some(response(&call.id, &call.name, "error", CUT_OFF)),
        Part::Text(_)
        | Part::SignedText(_)
        | Part::Thought(_)
        | Part::FunctionResponse(_)
        | Part::InlineData(_) => None,
    }
}

fn result_parts(result: &Value, id: &CallId, name: &str) -> Vec<Part> {
    let content = RecordedContent::from(result.clone());
    let mut parts: Vec<Part> = content.iter().flat_map(part::all_from_json).collect();
    let mut answers = 0;
    for part in &mut parts {
        if let Part::FunctionResponse(answer) = part {
            answers += 1;
            if answer.id.as_str().is_empty() {
                answer.id = id.clone();
            }
            if answer.name.is_empty() {
                answer.name = name.to_owned();
            }
        }
    }
    if answers > 0 {
        return parts;
    }
    // Text alone, or parts that do not say what they answer.
    parts.retain(|part| matches!(part, Part::InlineData(_)));
    let text = match result {
        Value::String(text) => text.clone(),
        _ => content_text(&content),
    };
    parts.insert(0, response(id, name, "output", &text));
    parts
}

fn response(id: &CallId, name: &str, key: &str, text: &str) -> Part {
    Part::FunctionResponse(FunctionResponse {
        id: id.clone(),
        name: name.to_owned(),
        response: Map::from_iter([(key.to_owned(), json!(text))]),
    })
}

//! What a view shows of a session that goes on: its history, told as events.

use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap, VecDeque};
use std::sync::Arc;

use pollux_agent::api::{
    Approval, ApprovalId, Attachment, CallId, Event, FunctionCall, HunkCounts, SentContext,
    Subject, ToolOutcome, ToolReport, TurnId, TurnOutcome, sent_text,
};
use pollux_agent::{Fate, Mark, ToolSet};
use pollux_model::{Content, FunctionResponse, Part, Role};
use pollux_sessions::{
    CallStatus, Message, MessageKind, RecordedContent, ToolCall, part_from_json,
};
use serde_json::Value;

use super::attached;
use super::delegated::Delegated;
use super::extras::{self, CallFacts, How, Recalled};

/// What is told from.
pub(super) struct Recollection<'a> {
    /// What was said, also what the model will not be sent.
    pub(super) history: &'a [Content],
    /// What was recorded, which knows more than a model is told.
    pub(super) messages: &'a [Message],
    /// The model that answers now, for turns whose own is not known.
    pub(super) model: &'a str,
    pub(super) tools: &'a ToolSet,
    /// What sub-agents did.
    pub(super) delegated: &'a Delegated,
}

/// What was.
pub(super) struct Told {
    pub(super) events: Vec<Event>,
    /// Where the turns begin in the history.
    pub(super) marks: Vec<Mark>,
    /// How many questions and edits were numbered.
    pub(super) questions: u64,
}

/// `opened` comes first, and then what was said.
pub(super) fn tell(opened: Event, from: &Recollection<'_>) -> Told {
    let mut past = Past {
        events: vec![opened],
        marks: Vec::new(),
        turns: 0,
        outcome: None,
        questions: 0,
        prompts: prompts(from.messages),
        calls: calls(from.messages),
        showing: Fate::Kept,
        unsent: 0,
        from,
    };
    for (place, content) in from.history.iter().enumerate() {
        // What was attached to a prompt stands behind it, in the same message.
        let mut is_said = false;
        for part in &content.parts {
            match (content.role, part) {
                (Role::User, Part::Text(_)) if is_said => {}
                (Role::User, Part::Text(text)) => {
                    is_said = true;
                    past.said(text, content, place);
                }
                (Role::Model, Part::Text(text)) => {
                    past.events.push(Event::TextReceived(text.clone()));
                }
                (_, Part::SignedText(signed)) => {
                    past.events.push(Event::TextReceived(signed.text.clone()));
                }
                (_, Part::Thought(thought)) => {
                    past.events.push(Event::ThoughtReceived(thought.clone()));
                }
                (_, Part::FunctionCall(call)) => past.called(call),
                (_, Part::FunctionResponse(response)) => past.returned(response),
                (_, Part::InlineData(_)) => {}
            }
        }
        if past.showing == Fate::TakenBack {
            past.unsent += 1;
        }
    }
    past.end();
    Told {
        events: past.events,
        marks: past.marks,
        questions: past.questions,
    }
}

struct Past<'a> {
    events: Vec<Event>,
    /// Where the turns begin in the history.
    marks: Vec<Mark>,
    turns: u64,
    /// How the turn that is told ended; nothing between turns.
    outcome: Option<TurnOutcome>,
    questions: u64,
    prompts: VecDeque<Prompt>,
    calls: HashMap<CallId, &'a ToolCall>,
    /// Whether the model knows of the turn that is told.
    showing: Fate,
    /// How much of the history it does not know.
    unsent: usize,
    from: &'a Recollection<'a>,
}

/// A prompt as it is recorded.
struct Prompt {
    /// What the model was told first.
    sent: String,
    typed: String,
    recalled: Recalled,
    /// Who answered first; nothing where the record does not say.
    model: Option<String>,
    outcome: TurnOutcome,
    fate: Fate,
}

impl Past<'_> {
    fn said(&mut self, text: &str, content: &Content, place: usize) {
        let known = self.prompts.iter().position(|prompt| prompt.sent == text);
        let found = known.and_then(|known| self.prompts.drain(..=known).next_back());
        let Some(prompt) = found else {
            self.showing = Fate::Kept;
            self.prompt(text, None, None, TurnOutcome::Completed, Arc::default());
            return self.mark(text, place);
        };
        let Prompt {
            typed,
            recalled,
            model,
            outcome,
            fate,
            ..
        } = prompt;
        match recalled.how {
            How::Told => {}
            How::Steered => self.events.push(Event::PromptSteered(typed)),
            How::Asked => {
                self.showing = fate;
                let attached = attached::of(&recalled.items, &content.parts);
                self.prompt(&typed, recalled.turn, model, outcome, attached);
                self.mark(&typed, place);
                if !recalled.items.is_empty() {
                    let context = SentContext {
                        turn: TurnId(self.turns),
                        text: sent_text(recalled.editor.as_deref(), &content.parts),
                        items: recalled.items,
                    };
                    self.events.push(Event::ContextSent(Arc::new(context)));
                }
            }
        }
    }

    /// Turns keep their numbers, because edits go by them.
    fn prompt(
        &mut self,
        text: &str,
        recorded: Option<TurnId>,
        model: Option<String>,
        outcome: TurnOutcome,
        attachments: Arc<[Attachment]>,
    ) {
        self.end();
        let next = self.turns + 1;
        self.turns = recorded.map_or(next, |TurnId(turn)| turn.max(next));
        self.outcome = Some(outcome);
        self.events.push(Event::TurnStarted {
            turn: TurnId(self.turns),
            prompt: text.to_owned(),
            model: model.unwrap_or_else(|| self.from.model.to_owned()),
            attachments,
        });
    }

    /// Nobody goes back to before what was taken back: there is nothing of it.
    fn mark(&mut self, prompt: &str, place: usize) {
        if self.showing == Fate::TakenBack {
            return;
        }
        self.marks.push(Mark {
            turn: TurnId(self.turns),
            length: place - self.unsent,
            prompt: prompt.to_owned(),
        });
    }

    fn end(&mut self) {
        if let Some(outcome) = self.outcome.take() {
            self.events.push(Event::TurnEnded {
                turn: TurnId(self.turns),
                outcome,
            });
        }
    }

    fn called(&mut self, call: &FunctionCall) {
        let recorded = self.calls.get(&call.id);
        let title = recorded.and_then(|recorded| recorded.description.clone());
        let title = title.unwrap_or_else(|| self.from.tools.title(call));
        let facts = recorded.map(|recorded| extras::facts(&recorded.other));
        self.events.push(Event::ToolStarted {
            call: call.clone(),
            title: title.clone(),
            parent: None,
        });
        if let Some(CallFacts {
            given: Some(given), ..
        }) = facts
        {
            self.questions += 1;
            let id = ApprovalId(self.questions);
            let approval = Approval {
                id,
                call: Some(call.id.clone()),
                tool: call.name.clone(),
                title,
                reason: given.reason,
                rule: None,
                subject: Subject::Other {
                    arguments: Value::Object(call.args.clone()).to_string(),
                },
                offers: Vec::new(),
            };
            self.events
                .push(Event::ApprovalRequested(Arc::new(approval)));
            self.events.push(Event::ApprovalEnded {
                approval: id,
                answer: Some(given.answer),
                by: None,
            });
        }
    }

    fn returned(&mut self, response: &FunctionResponse) {
        let recorded = self.calls.get(&response.id).copied();
        self.delegated(&response.id, recorded);
        self.ended(&response.id, Some(response), recorded);
    }

    /// What a sub-agent did on the way, inside its call.
    fn delegated(&mut self, parent: &CallId, recorded: Option<&ToolCall>) {
        let run = recorded.and_then(|call| call.agent_id.as_ref());
        let calls = run.and_then(|run| self.from.delegated.get(run));
        for (place, call) in calls.into_iter().flatten().enumerate() {
            let id = match &call.id {
                Some(id) => CallId::new(id.as_str()),
                None => CallId::new(format!("{parent}_{place}")),
            };
            let made = FunctionCall {
                id: id.clone(),
                name: call.name.clone(),
                args: call.args.clone(),
                signature: None,
            };
            let title = call.description.clone();
            self.events.push(Event::ToolStarted {
                title: title.unwrap_or_else(|| self.from.tools.title(&made)),
                call: made,
                parent: Some(parent.clone()),
            });
            let results = call.result.as_ref().and_then(Value::as_array);
            let mut results = results.into_iter().flatten().filter_map(part_from_json);
            let response = results.find_map(|part| match part {
                Part::FunctionResponse(response) => Some(response),
                _ => None,
            });
            self.ended(&id, response.as_ref(), Some(call));
        }
    }

    fn ended(
        &mut self,
        id: &CallId,
        response: Option<&FunctionResponse>,
        recorded: Option<&ToolCall>,
    ) {
        let facts = recorded.map(|recorded| extras::facts(&recorded.other));
        let CallFacts {
            took,
            edited,
            edit,
            exit,
            ..
        } = facts.unwrap_or_default();
        if let Some(edit) = edit {
            self.questions += 1;
            let shown = edit.events(self.questions, id);
            let path = shown.iter().find_map(|event| match event {
                Event::EditMade(edit) | Event::EditProposed(edit) => Some(edit.path.to_string()),
                _ => None,
            });
            let waited = shown
                .iter()
                .any(|event| matches!(event, Event::EditMade(_) | Event::EditContested { .. }));
            self.events.extend(shown);
            // Whether anything of it still waits is for the review to say, which remembers less than the record.
            self.events.extend(path.filter(|_| waited).map(|path| {
                Event::HunksDecided(HunkCounts {
                    turn: TurnId(self.turns),
                    path,
                    kept: 0,
                    rejected: 0,
                    pending: 0,
                    conflicts: 0,
                })
            }));
        }
        self.events.push(Event::ToolEnded {
            call: id.clone(),
            outcome: outcome(response, recorded),
            report: Arc::new(ToolReport {
                edited,
                exit,
                ..response.map_or_else(ToolReport::default, |response| {
                    ToolReport::new(response, took)
                })
            }),
        });
    }
}

/// What was said, in order, with the end of the turn that it was said in.
fn prompts(messages: &[Message]) -> VecDeque<Prompt> {
    let mut prompts: VecDeque<Prompt> = VecDeque::new();
    for message in messages {
        match message.kind {
            MessageKind::User => {
                let Some(sent) = first_text(&message.content) else {
                    continue;
                };
                let typed = message.display_content.as_ref().and_then(first_text);
                prompts.push_back(Prompt {
                    typed: typed.unwrap_or_else(|| sent.clone()),
                    sent,
                    recalled: extras::recalled(&message.other),
                    model: None,
                    outcome: TurnOutcome::Completed,
                    fate: Fate::Kept,
                });
            }
            MessageKind::Info | MessageKind::Warning | MessageKind::Error => {
                let turn = extras::ended_turn(&message.other);
                let mut begun = prompts.iter_mut().rev();
                // A turn may end before its prompt was taken down. Older notes do not name theirs.
                let ended = begun.find(|prompt| {
                    prompt.recalled.how == How::Asked
                        && (turn.is_none() || prompt.recalled.turn == turn)
                });
                if let Some(prompt) = ended {
                    if let Some(outcome) = extras::ended(&message.other) {
                        prompt.outcome = outcome;
                    }
                    if extras::taken_back(&message.other).is_some() {
                        prompt.fate = Fate::TakenBack;
                    }
                }
            }
            MessageKind::Gemini => {
                let mut begun = prompts.iter_mut().rev();
                let begun = begun.find(|prompt| prompt.recalled.how == How::Asked);
                if let Some(prompt) = begun
                    && prompt.model.is_none()
                {
                    prompt.model.clone_from(&message.model);
                }
            }
            MessageKind::Other(_) => {}
        }
    }
    prompts
}

/// What of a record the model is told: not what was taken back while it was said.
pub(super) fn kept(messages: &[Message]) -> Cow<'_, [Message]> {
    let notes = messages.iter();
    let gone = notes.filter_map(|message| extras::taken_back(&message.other));
    let gone: BTreeSet<TurnId> = gone.collect();
    if gone.is_empty() {
        return Cow::Borrowed(messages);
    }
    let mut fate = Fate::Kept;
    let kept = messages.iter().filter(|message| {
        let recalled = extras::recalled(&message.other);
        let is_prompt = message.kind == MessageKind::User
            && recalled.how == How::Asked
            && first_text(&message.content).is_some();
        if is_prompt {
            fate = match recalled.turn.is_some_and(|turn| gone.contains(&turn)) {
                true => Fate::TakenBack,
                false => Fate::Kept,
            };
        }
        fate == Fate::Kept
    });
    Cow::Owned(kept.cloned().collect())
}

fn first_text(content: &RecordedContent) -> Option<String> {
    let mut parts = content.iter().filter_map(part_from_json);
    parts.find_map(|part| match part {
        Part::Text(text) => Some(text),
        _ => None,
    })
}

fn calls(messages: &[Message]) -> HashMap<CallId, &ToolCall> {
    let calls = messages.iter().flat_map(|message| &message.tool_calls);
    let named = calls.flatten().filter_map(|call| {
        let id = call.id.as_deref()?;
        Some((CallId::new(id), call))
    });
    named.collect()
}

fn outcome(response: Option<&FunctionResponse>, recorded: Option<&ToolCall>) -> ToolOutcome {
    let display = recorded.and_then(|call| call.result_display.as_ref()?.as_str());
    let text = |key: &str| response?.response.get(key).and_then(Value::as_str);
    let status = recorded.and_then(|call| call.status);
    // Without a result it was cut off, unless the record says otherwise.
    if status == Some(CallStatus::Cancelled)
        || (response.is_none() && status != Some(CallStatus::Success))
    {
        return ToolOutcome::Cancelled;
    }
    match text("error") {
        Some(message) => ToolOutcome::Failed {
            error_type: "unknown",
            message: display.unwrap_or(message).to_owned(),
        },
        None => ToolOutcome::Succeeded {
            summary: display.unwrap_or_default().to_owned(),
        },
    }
}

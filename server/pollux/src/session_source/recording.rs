//! The session's journal, written by a thread of its own.

use std::collections::BTreeMap;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::JoinHandle;
use std::time::SystemTime;

use pollux_agent::api::{ToolOutcome, TurnId, TurnOutcome};
use pollux_agent::{Entry, Journal};
use pollux_model::{Content, FunctionCall, FunctionResponse, Part, Thought, Usage};
use pollux_sessions::{
    Answer, CallStatus, MessageId, NoteKind, Prompt, RandomIds, Recorded, RecordedContent,
    Recorder, SessionError, ToolCall, messages_of,
};
use serde_json::{Map, Value};
use tracing::warn;

/// Hands every entry to a thread that writes it. Dropping it waits until all is written.
pub(super) struct Recording {
    /// Nothing once it is closed.
    entries: Option<Sender<Owned>>,
    writer: Option<JoinHandle<()>>,
}

enum Owned {
    Prompt {
        typed: String,
        parts: Vec<Part>,
    },
    Answer {
        model: String,
        said: Vec<Part>,
        thoughts: Vec<Thought>,
        calls: Vec<FunctionCall>,
        usage: Option<Usage>,
    },
    Tool(Box<ToolCall>),
    Results(Vec<FunctionResponse>),
    Replaced(Vec<Content>),
    TurnStarted(TurnId),
    Rewound {
        turn: TurnId,
        history: Vec<Content>,
    },
    Note(NoteKind, String),
    Titled(String),
}

impl Recording {
    pub(super) fn new(recorder: Recorder) -> Self {
        let (entries, receiver) = channel();
        Self {
            entries: Some(entries),
            writer: Some(std::thread::spawn(move || write(recorder, &receiver))),
        }
    }

    fn send(&self, entry: Owned) {
        if let Some(entries) = &self.entries {
            // The thread ends early only when nothing can be recorded, and has said so.
            let _not_recorded = entries.send(entry);
        }
    }
}

impl Journal for Recording {
    fn record(&mut self, entry: Entry<'_>) {
        match entry {
            Entry::Prompt { typed, parts } => self.send(Owned::Prompt {
                typed: typed.to_owned(),
                parts: parts.to_vec(),
            }),
            Entry::Answer {
                model,
                parts,
                usage,
            } => self.send(answer(model, parts, usage)),
            Entry::Tool {
                call,
                title,
                outcome,
                response,
            } => self.send(Owned::Tool(Box::new(tool(call, title, outcome, response)))),
            Entry::Results { parts } => {
                let mut responses = Vec::new();
                for part in parts {
                    match part {
                        Part::FunctionResponse(response) => responses.push(response.clone()),
                        Part::Text(text) => self.send(Owned::Prompt {
                            typed: text.clone(),
                            parts: vec![part.clone()],
                        }),
                        Part::SignedText(_)
                        | Part::Thought(_)
                        | Part::FunctionCall(_)
                        | Part::InlineData(_) => {}
                    }
                }
                if !responses.is_empty() {
                    self.send(Owned::Results(responses));
                }
            }
            Entry::Replaced { history } => self.send(Owned::Replaced(history.to_vec())),
            Entry::TurnStarted { turn } => self.send(Owned::TurnStarted(turn)),
            Entry::Rewound { turn, history } => self.send(Owned::Rewound {
                turn,
                history: history.to_vec(),
            }),
            Entry::Titled { title } => self.send(Owned::Titled(title.to_owned())),
            Entry::TurnEnded { outcome } => {
                if let Some((kind, text)) = note(outcome) {
                    self.send(Owned::Note(kind, text));
                }
            }
        }
    }
}

impl Drop for Recording {
    fn drop(&mut self) {
        self.entries = None;
        if let Some(writer) = self.writer.take() {
            // It has nothing left to do but to end.
            let _ended = writer.join();
        }
    }
}

/// What the twin calls a summary is what lists show first.
pub(super) fn title(title: &str) -> Map<String, Value> {
    let summary = ("summary".to_owned(), Value::from(title));
    Map::from_iter([summary])
}

fn answer(model: &str, parts: &[Part], usage: Option<Usage>) -> Owned {
    let mut said = Vec::new();
    let mut thoughts = Vec::new();
    let mut calls = Vec::new();
    for part in parts {
        match part {
            Part::Text(_) | Part::SignedText(_) => said.push(part.clone()),
            Part::Thought(thought) => thoughts.push(thought.clone()),
            Part::FunctionCall(call) => calls.push(call.clone()),
            Part::FunctionResponse(_) | Part::InlineData(_) => {}
        }
    }
    Owned::Answer {
        model: model.to_owned(),
        said,
        thoughts,
        calls,
        usage,
    }
}

fn tool(call: &FunctionCall, title: &str, outcome: &ToolOutcome, response: &Part) -> ToolCall {
    let (status, display) = match outcome {
        ToolOutcome::Succeeded { summary } => (CallStatus::Success, summary.clone()),
        ToolOutcome::Failed { message, .. } => (CallStatus::Error, message.clone()),
        ToolOutcome::Cancelled => (CallStatus::Cancelled, String::new()),
    };
    let result = match response {
        Part::FunctionResponse(response) => Some(serde_json::json!([{
            "functionResponse": {
                "id": response.id.as_str(),
                "name": response.name,
                "response": response.response,
            }
        }])),
        _ => None,
    };
    ToolCall {
        status: Some(status),
        description: Some(title.to_owned()),
        result,
        result_display: (!display.is_empty()).then_some(Value::String(display)),
        ..ToolCall::from(call)
    }
}

fn note(outcome: &TurnOutcome) -> Option<(NoteKind, String)> {
    Some(match outcome {
        TurnOutcome::Completed => return None,
        TurnOutcome::Declined => (NoteKind::Info, "A tool call was denied.".to_owned()),
        TurnOutcome::Cancelled => (NoteKind::Info, "The turn was stopped.".to_owned()),
        TurnOutcome::Unattended | TurnOutcome::StoppedByHook { .. } => {
            (NoteKind::Warning, outcome.message())
        }
        TurnOutcome::Failed(error) => (NoteKind::Error, error.to_string()),
        TurnOutcome::InvalidAnswer(invalid) => (NoteKind::Error, invalid.name().to_owned()),
        TurnOutcome::LoopDetected(found) => (NoteKind::Warning, found.clone()),
        TurnOutcome::RoundLimitReached { .. }
        | TurnOutcome::ContextOverflow { .. }
        | TurnOutcome::SessionLimitReached { .. } => {
            (NoteKind::Warning, "A limit was reached.".to_owned())
        }
    })
}

/// Writes until the session has ended. The first error is told; from then on nothing is recorded.
fn write(mut recorder: Recorder, entries: &Receiver<Owned>) {
    let mut prompts = Prompts::default();
    for entry in entries {
        let session = recorder.session_id().as_str().to_owned();
        match put(&mut recorder, &mut prompts, entry) {
            Ok(Recorded::Kept | Recorded::Off) => {}
            Ok(Recorded::SwitchedOff) => warn!(session, "the disk is full; recording has stopped"),
            Err(error) => {
                warn!(%error, session, "recording has stopped");
                return;
            }
        }
    }
}

/// The messages with which turns begin.
#[derive(Default)]
struct Prompts {
    begins: Option<TurnId>,
    known: BTreeMap<TurnId, MessageId>,
}

fn put(
    recorder: &mut Recorder,
    prompts: &mut Prompts,
    entry: Owned,
) -> Result<Recorded, SessionError> {
    let now = SystemTime::now();
    let receipt = match entry {
        Owned::Prompt { typed, parts } => {
            let prompt = Prompt {
                parts: &parts,
                typed: Some(&typed),
            };
            let receipt = recorder.prompt(now, &prompt)?;
            if let Some(turn) = prompts.begins.take() {
                prompts.known.insert(turn, receipt.id.clone());
            }
            receipt
        }
        Owned::TurnStarted(turn) => {
            prompts.begins = Some(turn);
            return Ok(Recorded::Kept);
        }
        Owned::Rewound { turn, history } => {
            let id = prompts.known.remove(&turn);
            prompts.known.retain(|known, _| *known < turn);
            return match id {
                Some(id) => recorder.rewind_to(now, &id),
                None => {
                    let messages = messages_of(&history, now, &mut RandomIds);
                    recorder.replace_messages(now, &messages)
                }
            };
        }
        Owned::Answer {
            model,
            said,
            thoughts,
            calls,
            usage,
        } => {
            let text: String = said.iter().filter_map(Part::as_text).collect();
            let answer = Answer {
                text: &text,
                said: &said,
                thoughts: &thoughts,
                usage,
                model: Some(&model),
            };
            let answered = recorder.answer(now, &answer)?;
            match calls.is_empty() {
                true => answered,
                false => recorder.tool_calls(now, calls.iter().map(ToolCall::from).collect())?,
            }
        }
        Owned::Tool(call) => recorder.tool_calls(now, vec![*call])?,
        Owned::Results(responses) => recorder.tool_responses(now, &responses)?,
        Owned::Replaced(history) => {
            // Every message has a new name.
            prompts.known.clear();
            let messages = messages_of(&history, now, &mut RandomIds);
            return recorder.replace_messages(now, &messages);
        }
        Owned::Titled(text) => return recorder.set(title(&text)),
        Owned::Note(kind, text) => recorder.note(now, kind, RecordedContent::text(text))?,
    };
    Ok(receipt.recorded)
}

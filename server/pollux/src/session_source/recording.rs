//! The session's journal, written by a thread of its own.

mod queue;

use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::thread::JoinHandle;
use std::time::SystemTime;

use futures_util::future::BoxFuture;
use pollux_agent::api::{Event, KeptId, RecordedEnd, ToolOutcome, TurnId, TurnOutcome};
use pollux_agent::{Entry, Journal, Keep, PromptKeeper, Said, Spent};
use pollux_model::{Content, FunctionCall, Part, Thought, Usage};
use pollux_sessions::{
    Answer, CallStatus, HalfTurn, Message, MessageId, MessageKind, Prompt, RandomIds, Recorded,
    RecordedContent, RecordedThought, Recorder, SessionError, ToolCall, Underway, messages_of,
    part_to_json,
};
use serde_json::{Map, Value};
use tokio::sync::{mpsc, oneshot};
use tracing::warn;

use super::edits::RecordedEdit;
use super::extras::{self, CallFacts};
use super::kept;
use queue::{Entries, Writing, queue};

/// Hands every entry to a thread that writes it. Dropping it waits until all is written.
pub(super) struct Recording {
    /// Nothing once it is closed.
    entries: Option<Entries>,
    writer: Option<JoinHandle<()>>,
    /// Whether an answer is kept while it comes. Where it is not, its pieces need not wake the thread.
    follows: bool,
}

enum Owned {
    Prompt {
        typed: String,
        parts: Vec<Part>,
        other: Map<String, Value>,
        kept: Option<KeptId>,
    },
    Asked(String),
    Text(String),
    Thought(Thought),
    Answer {
        model: String,
        said: Vec<Part>,
        thoughts: Vec<Thought>,
        calls: Vec<FunctionCall>,
        usage: Option<Usage>,
    },
    Tool(Box<ToolCall>),
    /// What tools returned, and what they showed.
    Results(Vec<Part>),
    Replaced(Vec<Content>),
    TurnStarted(TurnId),
    Rewound {
        turn: TurnId,
        history: Vec<Content>,
    },
    TurnEnded(Option<Note>),
    Titled(String),
    Kept {
        id: KeptId,
        prompt: Map<String, Value>,
    },
    Gone(KeptId),
    Order(Vec<KeptId>),
    /// Somebody wants to know when everything before this is written.
    Reached(oneshot::Sender<()>),
    Spent(Spent),
    /// Whom to tell that nothing is recorded any more.
    Listener(mpsc::WeakSender<Event>),
    /// Nothing more comes that is worth waiting for.
    End,
}

/// What is said about the end of a turn that is no good end.
struct Note {
    kind: MessageKind,
    text: String,
    other: Map<String, Value>,
}

/// Gives what was typed to the thread of a [`Recording`].
pub(super) struct Keeping(Entries);

impl PromptKeeper for Keeping {
    fn keep(&self, step: Keep<'_>) {
        let step = match step {
            Keep::Prompt { id, prompt } => Owned::Kept {
                id,
                prompt: kept::to_json(prompt),
            },
            Keep::Gone(id) => Owned::Gone(id),
            Keep::Order(ids) => Owned::Order(ids),
        };
        // Once the recording has ended nothing is kept.
        self.0.put(step);
    }

    fn kept(&self) -> BoxFuture<'static, ()> {
        let (reached, written) = oneshot::channel();
        self.0.put(Owned::Reached(reached));
        Box::pin(async move {
            // A thread that has ended has let go of its end, and keeps nothing.
            let _not_kept = written.await;
        })
    }
}

impl Recording {
    pub(super) fn new(recorder: Recorder, underway: Option<Underway>) -> (Self, Keeping) {
        let (entries, writing) = queue();
        let keeping = Keeping(entries.clone());
        let follows = underway.is_some();
        let writer = Writer {
            recorder,
            underway,
            prompts: Prompts::default(),
            listener: None,
        };
        let recording = Self {
            entries: Some(entries),
            writer: Some(std::thread::spawn(move || writer.write(writing))),
            follows,
        };
        (recording, keeping)
    }

    fn send(&self, entry: Owned) {
        if let Some(entries) = &self.entries {
            // The thread ends early only when nothing can be recorded, and has said so.
            entries.put(entry);
        }
    }
}

impl Journal for Recording {
    fn record(&mut self, entry: Entry<'_>) {
        match entry {
            Entry::Prompt {
                typed,
                parts,
                how,
                kept,
            } => self.send(Owned::Prompt {
                typed: typed.to_owned(),
                parts: parts.to_vec(),
                other: extras::said(&how),
                kept,
            }),
            Entry::Asked { .. } | Entry::Text(_) | Entry::Thought(_) if !self.follows => {}
            Entry::Asked { model } => self.send(Owned::Asked(model.to_owned())),
            Entry::Text(text) => {
                if let Some(entries) = &self.entries {
                    entries.piece(text);
                }
            }
            Entry::Thought(thought) => self.send(Owned::Thought(thought.clone())),
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
                shown,
                took,
                edited,
                edit,
                exit,
                agent,
                given,
            } => {
                let facts = CallFacts {
                    took,
                    edited: edited.cloned(),
                    edit: edit.and_then(RecordedEdit::of),
                    exit,
                    given: given.cloned(),
                };
                let mut tool = tool(call, title, outcome);
                tool.result = Some(result(response, shown));
                tool.agent_id = agent.map(str::to_owned);
                tool.other = extras::call(&facts);
                self.send(Owned::Tool(Box::new(tool)));
            }
            Entry::Results { parts } => {
                let mut responses = Vec::new();
                for part in parts {
                    match part {
                        Part::FunctionResponse(_) | Part::InlineData(_) => {
                            responses.push(part.clone());
                        }
                        Part::Text(text) => self.send(Owned::Prompt {
                            typed: text.clone(),
                            parts: vec![part.clone()],
                            other: extras::said(&Said::Told),
                            kept: None,
                        }),
                        Part::SignedText(_) | Part::Thought(_) | Part::FunctionCall(_) => {}
                    }
                }
                if !responses.is_empty() {
                    self.send(Owned::Results(responses));
                }
            }
            Entry::Replaced { history } => self.send(Owned::Replaced(history.to_vec())),
            // Says nothing without the prompt that follows.
            Entry::TurnStarted { turn } => {
                if let Some(entries) = &self.entries {
                    entries.put_before_next(Owned::TurnStarted(turn));
                }
            }
            Entry::Rewound { turn, history } => self.send(Owned::Rewound {
                turn,
                history: history.to_vec(),
            }),
            Entry::Spent { so_far } => self.send(Owned::Spent(so_far.clone())),
            Entry::Titled { title } => self.send(Owned::Titled(title.to_owned())),
            Entry::TurnEnded {
                turn,
                outcome,
                prompt,
            } => {
                let note = note(outcome).map(|note| Note {
                    other: extras::of_turn(note.other, turn, prompt),
                    ..note
                });
                self.send(Owned::TurnEnded(note));
            }
        }
    }

    fn tell_through(&mut self, events: mpsc::WeakSender<Event>) {
        self.send(Owned::Listener(events));
    }
}

impl Drop for Recording {
    fn drop(&mut self) {
        self.send(Owned::End);
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

fn tool(call: &FunctionCall, title: &str, outcome: &ToolOutcome) -> ToolCall {
    let (status, display) = match outcome {
        ToolOutcome::Succeeded { summary } => (CallStatus::Success, summary.clone()),
        ToolOutcome::Failed { message, .. } => (CallStatus::Error, message.clone()),
        ToolOutcome::Cancelled => (CallStatus::Cancelled, String::new()),
    };
    ToolCall {
        status: Some(status),
        description: Some(title.to_owned()),
        result_display: (!display.is_empty()).then_some(Value::String(display)),
        ..ToolCall::from(call)
    }
}

/// With the call too: whoever is killed while another call of the same answer still runs has it nowhere else.
fn result(response: &Part, shown: &[Part]) -> Value {
    let parts = std::iter::once(response).chain(shown);
    parts.map(part_to_json).collect()
}

fn note(outcome: &TurnOutcome) -> Option<Note> {
    use MessageKind::{Error, Info, Warning};
    let (kind, text) = match outcome {
        TurnOutcome::Completed => return None,
        TurnOutcome::Declined => (Info, "A tool call was denied.".to_owned()),
        TurnOutcome::Cancelled => (Info, "The turn was stopped.".to_owned()),
        TurnOutcome::Interrupted => (Warning, "The turn was interrupted.".to_owned()),
        TurnOutcome::Unattended | TurnOutcome::StoppedByHook { .. } => (Warning, outcome.message()),
        TurnOutcome::Failed(error) => (Error, error.to_string()),
        TurnOutcome::InvalidAnswer(invalid) => (Error, invalid.name().to_owned()),
        TurnOutcome::Recorded {
            end: RecordedEnd::Failed,
            message,
        } => (Error, message.clone()),
        TurnOutcome::LoopDetected(found) => (Warning, found.clone()),
        TurnOutcome::RoundLimitReached { .. }
        | TurnOutcome::ContextOverflow(_)
        | TurnOutcome::SessionLimitReached { .. }
        | TurnOutcome::Recorded { .. } => (Warning, "A limit was reached.".to_owned()),
    };
    Some(Note {
        kind,
        text,
        other: extras::outcome(outcome),
    })
}

/// What a process that was killed had begun becomes a part of the record: the half answer, and a word about it.
pub(super) fn interrupted(half: &HalfTurn, now: SystemTime) -> Vec<Message> {
    let mut messages = Vec::new();
    if !half.text.is_empty() || !half.thoughts.is_empty() {
        let id = MessageId::generate(&mut RandomIds);
        let said = RecordedContent::text(half.text.as_str());
        let mut message = Message::new(id, MessageKind::Gemini, said, now);
        let thought = |thought: &Thought| RecordedThought {
            subject: thought.subject.clone(),
            description: thought.description.clone(),
            ..RecordedThought::default()
        };
        let thoughts: Vec<RecordedThought> = half.thoughts.iter().map(thought).collect();
        message.thoughts = (!thoughts.is_empty()).then_some(thoughts);
        message.model.clone_from(&half.model);
        messages.push(message);
    }
    messages.extend(note(&TurnOutcome::Interrupted).map(|note| note.message(now)));
    messages
}

impl Note {
    fn message(self, now: SystemTime) -> Message {
        let id = MessageId::generate(&mut RandomIds);
        let text = RecordedContent::text(self.text);
        Message {
            other: self.other,
            ..Message::new(id, self.kind, text, now)
        }
    }
}

/// The messages with which turns begin.
#[derive(Default)]
struct Prompts {
    begins: Option<TurnId>,
    known: BTreeMap<TurnId, MessageId>,
}

struct Writer {
    recorder: Recorder,
    /// Nothing once it cannot be written.
    underway: Option<Underway>,
    prompts: Prompts,
    listener: Option<mpsc::WeakSender<Event>>,
}

impl Writer {
    /// Writes until the session has ended. The first error is told; from then on nothing is recorded.
    fn write(mut self, mut entries: Writing) {
        while let Some(entry) = entries.next() {
            if matches!(entry, Owned::End) {
                return;
            }
            match self.put(entry) {
                Ok(Recorded::Kept | Recorded::Off) => {}
                Ok(Recorded::SwitchedOff) => {
                    let session = self.recorder.session_id().as_str();
                    warn!(session, "the disk is full; recording has stopped");
                    let full = Some(ErrorKind::StorageFull);
                    self.tell_of_end("the disk is full".to_owned(), full);
                }
                Err(error) => {
                    let session = self.recorder.session_id().as_str();
                    warn!(%error, session, "recording has stopped");
                    let kind = match &error {
                        SessionError::Io { source, .. } => Some(source.kind()),
                        _ => None,
                    };
                    self.tell_of_end(error.to_string(), kind);
                    return;
                }
            }
        }
    }

    /// Never waits: the session may be ending, and waits for this thread then.
    fn tell_of_end(&self, reason: String, error: Option<ErrorKind>) {
        let listener = self.listener.as_ref().and_then(mpsc::WeakSender::upgrade);
        if let Some(listener) = listener {
            let _unheard = listener.try_send(Event::RecordingStopped { reason, error });
        }
    }

    /// A session goes on being recorded when what it is in the middle of cannot be.
    fn note_down(&mut self, step: impl FnOnce(&mut Underway) -> Result<(), SessionError>) {
        if let Some(underway) = &mut self.underway
            && let Err(error) = step(underway)
        {
            warn!(%error, "what is under way is no longer kept");
            self.underway = None;
        }
    }

    fn put(&mut self, entry: Owned) -> Result<Recorded, SessionError> {
        let now = SystemTime::now();
        let receipt = match entry {
            Owned::Prompt {
                typed,
                parts,
                other,
                kept,
            } => {
                let prompt = Prompt {
                    parts: &parts,
                    typed: Some(&typed),
                    other,
                };
                let message = self.recorder.message_of(now, &prompt);
                let turn = self.prompts.begins.take();
                if let Some(turn) = turn {
                    self.prompts.known.insert(turn, message.id.clone());
                }
                let kept = kept.map(|KeptId(id)| id);
                if turn.is_none() && kept.is_none() {
                    return Ok(self.recorder.put(now, message)?.recorded);
                }
                // Wherever the process is killed, what was typed is in one of the two files, and counts once.
                let turn = turn.map(|TurnId(turn)| turn);
                self.note_down(|underway| underway.recording(&message.id, kept, turn));
                let receipt = self.recorder.put(now, message)?;
                self.note_down(|underway| underway.recorded(kept));
                receipt
            }
            Owned::Listener(listener) => {
                self.listener = Some(listener);
                return Ok(Recorded::Kept);
            }
            Owned::TurnStarted(turn) => {
                self.prompts.begins = Some(turn);
                return Ok(Recorded::Kept);
            }
            Owned::Rewound { turn, history } => {
                let id = self.prompts.known.remove(&turn);
                self.prompts.known.retain(|known, _| *known < turn);
                return match id {
                    Some(id) => self.recorder.rewind_to(now, &id),
                    None => {
                        let messages = messages_of(&history, now, &mut RandomIds);
                        self.recorder.replace_messages(now, &messages)
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
                let mut receipt = self.recorder.answer(now, &answer)?;
                if !calls.is_empty() {
                    let calls = calls.iter().map(ToolCall::from).collect();
                    receipt = self.recorder.tool_calls(now, calls)?;
                }
                self.note_down(Underway::answered);
                receipt
            }
            Owned::Tool(call) => self.recorder.tool_calls(now, vec![*call])?,
            Owned::Results(responses) => self.recorder.tool_responses(now, &responses)?,
            Owned::Replaced(history) => {
                // Every message has a new name.
                self.prompts.known.clear();
                let messages = messages_of(&history, now, &mut RandomIds);
                return self.recorder.replace_messages(now, &messages);
            }
            Owned::Titled(text) => return self.recorder.set(title(&text)),
            Owned::Spent(so_far) => return self.recorder.set(extras::spent(&so_far)),
            Owned::Reached(reached) => {
                // Whoever asked may have gone.
                let _gone = reached.send(());
                return Ok(Recorded::Kept);
            }
            Owned::TurnEnded(note) => {
                let noted = note.map(|note| self.recorder.put(now, note.message(now)));
                self.note_down(Underway::turn_ended);
                match noted {
                    Some(receipt) => receipt?,
                    None => return Ok(Recorded::Kept),
                }
            }
            step => {
                self.keep(step);
                return Ok(Recorded::Kept);
            }
        };
        Ok(receipt.recorded)
    }

    /// What is in no record, or not yet.
    fn keep(&mut self, step: Owned) {
        self.note_down(|underway| match step {
            Owned::Kept { id, prompt } => underway.prompt(id.0, prompt),
            Owned::Gone(KeptId(id)) => underway.gone(id),
            Owned::Order(ids) => underway.order(ids.into_iter().map(|KeptId(id)| id).collect()),
            Owned::Asked(model) => underway.asked(&model),
            Owned::Text(text) => underway.text(&text),
            Owned::Thought(thought) => underway.thought(&thought),
            _ => Ok(()),
        });
    }
}

#[cfg(test)]
mod tests;

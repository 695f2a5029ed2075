//! A session: one task that owns the conversation and runs at most one turn at a time.

mod baggage;
mod config;
mod handle;
mod queue;
mod serving;
#[cfg(test)]
mod tests;
mod working;

use std::sync::Arc;

use pollux_model::{Availability, Content};
use tokio::sync::mpsc;

use crate::api::{ApprovalMode, Event, NewVoices, Op, PromptMark, Refusal, TurnId};
use crate::compression::Compressions;
use crate::cost::Meter;
use crate::mode::SharedMode;
use crate::prompt::{EditorTold, Memory};
use crate::title::SharedTitle;
use crate::topic::SharedTopic;
use crate::turn::{Filling, Pending, Untold};
use crate::{Entry, Gate, Journal, Voices};

pub use baggage::{Baggage, Mark};
pub use config::{LoopDetection, SessionConfig};
pub use handle::{SessionClosed, SessionHandle};

use handle::Shelf;
use queue::Queue;
use serving::Task;

/// Ops are rare; a door that floods waits here.
const OP_CAPACITY: usize = 32;
/// A door that does not listen slows its session down instead of filling the memory.
const EVENT_CAPACITY: usize = 256;

/// Who has chosen a model when a person has.
const BY_PERSON: &str = "person";

/// The task's own state. Talk to it through its [`SessionHandle`].
pub struct Session {
    config: SessionConfig,
    history: Vec<Content>,
    turns: u64,
    /// How long the conversation was before each turn that it can go back to.
    marks: Vec<Mark>,
    rounds: u64,
    mode: SharedMode,
    topic: SharedTopic,
    title: SharedTitle,
    /// Who answers from the next turn on, if somebody was chosen during this one.
    next_voices: Option<Arc<dyn Voices>>,
    pending: Pending,
    availability: Availability,
    told: EditorTold,
    untold: Untold,
    filling: Filling,
    compressions: Compressions,
    meter: Meter,
    queue: Queue,
    /// The prompt whose turn it is.
    serving: Option<PromptMark>,
    journal: Box<dyn Journal>,
    memory: Option<Memory>,
    ops: mpsc::Receiver<Op>,
    events: mpsc::Sender<Event>,
}

impl Session {
    /// Starts a session on the current tokio runtime. Dropping the receiver ends it too.
    pub fn start(
        config: SessionConfig,
        mut baggage: Baggage,
    ) -> (SessionHandle, mpsc::Receiver<Event>) {
        let (op_tx, op_rx) = mpsc::channel(OP_CAPACITY);
        let (event_tx, event_rx) = mpsc::channel(EVENT_CAPACITY);
        // A journal that listens on must not keep the session's listeners waiting for its end.
        baggage.journal.tell_through(event_tx.downgrade());
        let filling = Filling::estimate(&config.opening, &baggage.history);
        let shelf = Shelf::new(baggage.keeper, &baggage.waiting);
        let session = Self {
            mode: SharedMode::new(config.mode),
            topic: SharedTopic::default(),
            title: SharedTitle::new(baggage.title, baggage.turns),
            next_voices: None,
            config,
            history: baggage.history,
            journal: baggage.journal,
            memory: baggage.memory,
            turns: baggage.turns,
            marks: baggage.marks,
            rounds: 0,
            pending: Pending::after(baggage.questions),
            availability: Availability::default(),
            told: EditorTold::default(),
            untold: Untold::default(),
            filling,
            compressions: Compressions::default(),
            meter: Meter::new(baggage.prices, baggage.spent),
            queue: Queue::new(baggage.waiting, shelf.clone()),
            serving: None,
            ops: op_rx,
            events: event_tx,
        };
        tokio::spawn(session.run());
        (SessionHandle::new(op_tx, shelf), event_rx)
    }

    async fn run(mut self) {
        for left in self.queue.announced() {
            emit(&self.events, left).await;
        }
        loop {
            if let Some((id, prompt)) = self.queue.next() {
                let heard = self.events.send(Event::PromptUnqueued(id)).await;
                if heard.is_err() || self.take_prompt(prompt).await == Heard::No {
                    return;
                }
                continue;
            }
            let Some(op) = self.ops.recv().await else {
                return;
            };
            let heard = match op {
                Op::Queue(prompt) | Op::Steer(prompt) if self.queue.is_empty() => {
                    self.take_prompt(prompt).await
                }
                Op::Queue(prompt) | Op::Steer(prompt) => {
                    self.queue.release();
                    emit(&self.events, self.queue.push(prompt)).await
                }
                Op::Unqueue(id) => emit_all(&self.events, self.queue.remove(id)).await,
                Op::TakeBack(mark) | Op::StopPrompt(mark) => {
                    emit_all(&self.events, self.queue.take_back(&mark)).await
                }
                Op::EditQueued { id, text } => emit(&self.events, self.queue.edit(id, text)).await,
                Op::MoveQueued { id, place } => {
                    emit(&self.events, self.queue.shift(id, place)).await
                }
                Op::ReleaseQueue => {
                    self.queue.release();
                    Heard::Yes
                }
                Op::Compress => self.run_task(Task::Compress).await,
                Op::Rewind { turn } => {
                    let event = self.rewind(turn);
                    emit(&self.events, event).await
                }
                Op::SetMode(mode) => {
                    let event = set_mode(&self.mode, &*self.config.gate, mode);
                    emit(&self.events, event).await
                }
                Op::SetModel(NewVoices(voices)) => {
                    let chosen = chosen(&*voices);
                    self.config.voices = voices;
                    emit(&self.events, chosen).await
                }
                Op::Rename(title) => {
                    let event = rename(&self.title, &title);
                    self.record_title();
                    emit(&self.events, event).await
                }
                Op::Close | Op::Release => return,
                // It has ended by itself meanwhile, and nobody is there to be told.
                Op::AbandonTurn => Heard::Yes,
                Op::Decide { .. }
                | Op::Answer { .. }
                | Op::CancelTurn
                | Op::RetryNow
                | Op::StopCall(_) => {
                    emit(&self.events, Event::OpRefused(Refusal::NoTurnIsRunning)).await
                }
            };
            if heard == Heard::No {
                return;
            }
        }
    }

    fn record_title(&mut self) {
        if let Some(title) = self.title.take_unrecorded() {
            self.journal.record(Entry::Titled { title: &title });
        }
    }

    /// Goes back to before a turn.
    fn rewind(&mut self, turn: TurnId) -> Event {
        let found = self.marks.iter().find(|mark| mark.turn == turn);
        let Some(length) = found.map(|mark| mark.length) else {
            return Event::OpRefused(Refusal::NoSuchTurn { turn });
        };
        self.history.truncate(length);
        self.marks.retain(|mark| mark.turn < turn);
        self.told.reset();
        if let Some(memory) = &mut self.memory {
            memory.forget_discovered();
        }
        self.filling = Filling::estimate(&self.config.opening, &self.history);
        self.journal.record(Entry::Rewound {
            turn,
            history: &self.history,
        });
        Event::Rewound { turn }
    }

    /// The newest first.
    fn turns_to_go_back_to(&self) -> Vec<(TurnId, String)> {
        let marks = self.marks.iter().rev();
        marks.map(|mark| (mark.turn, mark.prompt.clone())).collect()
    }
}

fn chosen(voices: &dyn Voices) -> Event {
    Event::ModelChosen {
        model: voices.requested().to_owned(),
        reason: BY_PERSON.to_owned(),
        thinking: voices.thinking(),
    }
}

fn rename(held: &SharedTitle, title: &str) -> Event {
    match held.by_person(title) {
        Some(title) => Event::Titled(title),
        None => Event::OpRefused(Refusal::EmptyTitle),
    }
}

fn set_mode(held: &SharedMode, gate: &dyn Gate, mode: ApprovalMode) -> Event {
    if !gate.may_enter(mode) {
        return Event::OpRefused(Refusal::Untrusted);
    }
    held.set(mode);
    Event::ModeChanged(mode)
}

/// Whether anyone listens to the session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Heard {
    Yes,
    No,
}

async fn emit(events: &mpsc::Sender<Event>, event: Event) -> Heard {
    match events.send(event).await {
        Ok(()) => Heard::Yes,
        Err(_) => Heard::No,
    }
}

async fn emit_all(events: &mpsc::Sender<Event>, all: Vec<Event>) -> Heard {
    for event in all {
        if emit(events, event).await == Heard::No {
            return Heard::No;
        }
    }
    Heard::Yes
}

//! A session: one task that owns the conversation and runs at most one turn at a time.

mod queue;
#[cfg(test)]
mod tests;

use std::path::PathBuf;
use std::pin::pin;
use std::sync::Arc;
use std::time::Instant;

use pollux_model::{Availability, Content, TokenEstimate};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use crate::api::{
    Answer, ApprovalId, ApprovalMode, Event, NewVoices, Op, Prompt, Refusal, ServedBy, TurnId,
    TurnOutcome,
};
use crate::commands::{Counter, Figures, Invocation, Outcome, invocation, memory_list};
use crate::compression::Compressions;
use crate::journal::NoJournal;
use crate::loop_detection::LoopDetector;
use crate::mode::SharedMode;
use crate::prompt::{EditorTold, Memory};
use crate::scheduler::policy_call;
use crate::title::SharedTitle;
use crate::topic::SharedTopic;
use crate::turn::{Events, Failures, Pending, Steering, Turn, Untold};
use crate::{
    Beginning, Commands, ContextOptions, CustomCommand, Entry, Files, Gate, Hooks, Instructions,
    Journal, PromptKeeper, Surroundings, ToolSet, Voice, Voices,
};
use queue::Queue;

/// Ops are rare; a door that floods waits here.
const OP_CAPACITY: usize = 32;
/// A door that does not listen slows its session down instead of filling the memory.
const EVENT_CAPACITY: usize = 256;

/// Who has chosen a model when a person has.
const BY_PERSON: &str = "person";

/// What a session is made of.
pub struct SessionConfig {
    pub voices: Arc<dyn Voices>,
    pub files: Arc<dyn Files>,
    /// Nothing: a prompt is sent as it was typed.
    pub surroundings: Option<Arc<dyn Surroundings>>,
    /// Absolute: the folder that tool paths are relative to.
    pub root: PathBuf,
    /// Absolute: folders outside the root that tools may use as well, such as the session's own.
    pub places: Vec<PathBuf>,
    /// Nothing: the model is told nothing but the conversation.
    pub instructions: Option<Arc<dyn Instructions>>,
    /// What the model is told before the person's first word, with every request.
    pub opening: Vec<Content>,
    /// How often one prompt may go back to the model.
    pub round_limit: usize,
    /// How often the session may ask the model in all: for prompts, and with the results of tools.
    pub turn_limit: Option<u64>,
    pub loop_detection: LoopDetection,
    pub tools: ToolSet,
    /// Who decides what they may do.
    pub gate: Arc<dyn Gate>,
    /// Who else has a say.
    pub hooks: Hooks,
    /// How much the agent may do without asking, to begin with.
    pub mode: ApprovalMode,
    /// How a long conversation goes on, and which model it goes on with.
    pub context: ContextOptions,
    /// Nothing: whatever begins with a slash is a prompt.
    pub commands: Option<Arc<dyn Commands>>,
}

impl SessionConfig {
    /// The twin's budget of rounds per prompt.
    pub const ROUND_LIMIT: usize = 100;
}

/// Whether a model that repeats itself is stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LoopDetection {
    On,
    Off,
}

/// What a session comes with and takes along.
pub struct Baggage {
    /// What was said before, for a session that goes on.
    pub history: Vec<Content>,
    pub journal: Box<dyn Journal>,
    /// Keeps what was typed until the journal has it.
    pub keeper: Box<dyn PromptKeeper>,
    /// What was typed and never had its turn. It waits until somebody says something, or lets it go on.
    pub waiting: Vec<Prompt>,
    /// How many turns there were before.
    pub turns: u64,
    /// Those of them that the conversation can go back to, oldest first.
    pub marks: Vec<Mark>,
    /// What the record calls it.
    pub title: Option<String>,
    /// The memory files that are loaded; more come with the folders that tools look into.
    pub memory: Option<Memory>,
}

/// Where a turn begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mark {
    pub turn: TurnId,
    /// How long the conversation was before it.
    pub length: usize,
    /// As it was typed.
    pub prompt: String,
}

/// A new session that is not recorded.
impl Default for Baggage {
    fn default() -> Self {
        Self {
            history: Vec::new(),
            journal: Box::new(NoJournal),
            keeper: Box::new(NoJournal),
            waiting: Vec::new(),
            turns: 0,
            marks: Vec::new(),
            title: None,
            memory: None,
        }
    }
}

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
    last_prompt_tokens: u64,
    compressions: Compressions,
    queue: Queue,
    journal: Box<dyn Journal>,
    memory: Option<Memory>,
    ops: mpsc::Receiver<Op>,
    events: mpsc::Sender<Event>,
}

/// Sends ops to a session. The session ends, and stops its turn, when the last handle is gone.
#[derive(Clone, Debug)]
pub struct SessionHandle {
    ops: mpsc::Sender<Op>,
}

/// The session has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the session has ended")]
pub struct SessionClosed;

impl Session {
    /// Starts a session on the current tokio runtime. Dropping the receiver ends it too.
    pub fn start(
        config: SessionConfig,
        baggage: Baggage,
    ) -> (SessionHandle, mpsc::Receiver<Event>) {
        let (op_tx, op_rx) = mpsc::channel(OP_CAPACITY);
        let (event_tx, event_rx) = mpsc::channel(EVENT_CAPACITY);
        // Until a provider has counted, an estimate says how full the window is.
        let last_prompt_tokens = TokenEstimate::of_contents(&baggage.history).tokens();
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
            pending: Pending::default(),
            availability: Availability::default(),
            told: EditorTold::default(),
            untold: Untold::default(),
            last_prompt_tokens,
            compressions: Compressions::default(),
            queue: Queue::new(baggage.waiting, baggage.keeper),
            ops: op_rx,
            events: event_tx,
        };
        tokio::spawn(session.run());
        (SessionHandle { ops: op_tx }, event_rx)
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
                    let prompt = self.queue.keep(prompt);
                    self.take_prompt(prompt).await
                }
                Op::Queue(prompt) | Op::Steer(prompt) => {
                    self.queue.release();
                    let prompt = self.queue.keep(prompt);
                    emit(&self.events, self.queue.push(prompt)).await
                }
                Op::Unqueue(id) => emit_all(&self.events, self.queue.remove(id)).await,
                Op::TakeBack(mark) => emit_all(&self.events, self.queue.take_back(&mark)).await,
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
                Op::Close => return,
                // It has ended by itself meanwhile, and nobody is there to be told.
                Op::AbandonTurn => Heard::Yes,
                Op::Decide { .. } | Op::Answer { .. } | Op::CancelTurn => {
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
        self.last_prompt_tokens = TokenEstimate::of_contents(&self.history).tokens();
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

    /// The first model of the chain that is there.
    fn choose_voice(&mut self) -> Result<(String, Voice), TurnOutcome> {
        self.availability.reset_turn();
        let voices = &self.config.voices;
        let chain = voices.chain(voices.requested());
        // A guess: the choice itself is made with the prompt, and only it may use up a model's one try.
        let selection = chain.select(&mut self.availability.clone(), Instant::now());
        let name = selection
            .model
            .unwrap_or_else(|| voices.requested().to_owned());
        match voices.voice(&name, selection.attempts) {
            Ok(voice) => Ok((name, voice)),
            Err(error) => Err(TurnOutcome::Failed(error)),
        }
    }

    /// A turn that ends before it has begun.
    async fn refuse_turn(&mut self, turn: TurnId, prompt: Prompt, outcome: TurnOutcome) -> Heard {
        let started = Event::TurnStarted {
            turn,
            attachments: prompt.labels(),
            prompt: prompt.stands_for.unwrap_or(prompt.text),
            model: self.config.voices.requested().to_owned(),
        };
        if emit(&self.events, started).await == Heard::No {
            return Heard::No;
        }
        emit(&self.events, Event::TurnEnded { turn, outcome }).await
    }

    /// A prompt or a command, whose turn has come. Afterwards it is recorded, or is nothing to record.
    async fn take_prompt(&mut self, prompt: Prompt) -> Heard {
        let (kept, mark) = (prompt.kept, prompt.mark.clone());
        if let Some(mark) = mark.clone() {
            emit(&self.events, Event::PromptTaken(mark)).await;
        }
        let before = self.turns;
        let heard = self.serve(prompt).await;
        self.queue.gone(kept);
        if let Some(mark) = mark {
            let by = match self.turns == before {
                true => ServedBy::Command,
                false => ServedBy::Turn(TurnId(self.turns)),
            };
            emit(&self.events, Event::PromptServed { mark, by }).await;
        }
        heard
    }

    async fn serve(&mut self, prompt: Prompt) -> Heard {
        let Some(commands) = self.config.commands.clone() else {
            return self.run_task(Task::Prompt(prompt)).await;
        };
        let Some(invocation) = command_in(&prompt) else {
            return self.run_task(Task::Prompt(prompt)).await;
        };
        let counter = Counter {
            config: &self.config,
            commands: &*commands,
            memory: self.memory.as_ref().map_or(&[], |memory| memory.files()),
            turns: self.turns_to_go_back_to(),
            figures: Figures {
                turns: self.turns,
                requests: self.rounds,
                prompt_tokens: self.last_prompt_tokens,
            },
        };
        let command = invocation.name.to_owned();
        match counter.serve(&invocation).await {
            Outcome::Answer(text) => {
                emit(&self.events, Event::CommandAnswered { command, text }).await
            }
            Outcome::Prompt(text) => {
                let stands_for = Some(invocation.typed.to_owned());
                let filled = Prompt {
                    text,
                    stands_for,
                    context: prompt.context,
                    kept: prompt.kept,
                    ..Prompt::default()
                };
                self.run_task(Task::Prompt(filled)).await
            }
            Outcome::Custom(custom) => self.run_task(Task::Custom(prompt, custom)).await,
            Outcome::Compress => self.run_task(Task::Compress).await,
            Outcome::Refresh(beginning) => {
                let Beginning {
                    instructions,
                    opening,
                    memory,
                } = *beginning;
                let text = memory_list(memory.files());
                self.config.instructions = Some(instructions);
                self.config.opening = opening;
                self.memory = Some(memory);
                emit(&self.events, Event::CommandAnswered { command, text }).await
            }
            Outcome::Rewind(turn) => {
                let event = self.rewind(turn);
                emit(&self.events, event).await
            }
            Outcome::SetModel(NewVoices(voices)) => {
                let chosen = chosen(&*voices);
                self.config.voices = voices;
                emit(&self.events, chosen).await
            }
            Outcome::SetMode(mode, prompt) => {
                let event = set_mode(&self.mode, &*self.config.gate, mode);
                let heard = emit(&self.events, event).await;
                match prompt.filter(|_| heard == Heard::Yes) {
                    Some(text) => self.run_task(Task::Prompt(text.as_str().into())).await,
                    None => heard,
                }
            }
        }
    }

    /// Runs a task, and then does what could not be done meanwhile.
    async fn run_task(&mut self, task: Task) -> Heard {
        let heard = self.work_on(task).await;
        self.record_title();
        if let Some(voices) = self.next_voices.take() {
            self.config.voices = voices;
        }
        heard
    }

    /// Runs one turn or another task, and meanwhile takes the ops that concern it.
    async fn work_on(&mut self, task: Task) -> Heard {
        if let Task::Prompt(_) | Task::Custom(..) = task {
            self.turns += 1;
        }
        let id = TurnId(self.turns);
        let (voice_name, voice) = match (self.choose_voice(), &task) {
            (Ok(chosen), _) => chosen,
            (Err(outcome), Task::Prompt(prompt) | Task::Custom(prompt, _)) => {
                let prompt = prompt.clone();
                return self.refuse_turn(id, prompt, outcome).await;
            }
            (Err(_), Task::Compress) => {
                let refusal = Refusal::NoModel;
                return emit(&self.events, Event::OpRefused(refusal)).await;
            }
        };
        let cancel = CancellationToken::new();
        let abandoned = CancellationToken::new();
        let pending = self.pending.clone();
        let steering = Steering::default();
        let turn = Turn {
            id,
            config: &self.config,
            history: &mut self.history,
            journal: &mut *self.journal,
            memory: self.memory.as_mut(),
            availability: &mut self.availability,
            told: &mut self.told,
            untold: &mut self.untold,
            marks: &mut self.marks,
            last_prompt_tokens: &mut self.last_prompt_tokens,
            loops: match self.config.loop_detection {
                LoopDetection::On => LoopDetector::new(),
                LoopDetection::Off => LoopDetector::disabled(),
            },
            voice_name,
            voice,
            rounds: &mut self.rounds,
            mode: self.mode.clone(),
            topic: self.topic.clone(),
            title: self.title.clone(),
            routed: None,
            compressions: &mut self.compressions,
            failures: Failures::default(),
            events: Events::new(self.events.clone(), cancel.clone()).of_turn(id),
            pending: pending.clone(),
            steering: steering.clone(),
            cancel: cancel.clone(),
            abandoned: abandoned.clone(),
        };
        let mut running = pin!(async {
            match task {
                Task::Prompt(prompt) => turn.run(prompt, None).await,
                Task::Custom(prompt, custom) => turn.run(prompt, Some(custom)).await,
                Task::Compress => turn.compress_now().await,
            }
        });
        let takes_commands = self.config.commands.is_some();
        let mut handle_is_alive = true;
        let mut late = Vec::new();
        'working: loop {
            let op = tokio::select! {
                () = &mut running => break,
                op = self.ops.recv(), if handle_is_alive => op,
            };
            let answers: Vec<Event> = match op {
                Some(Op::CancelTurn) => {
                    self.queue.hold();
                    cancel.cancel();
                    Vec::new()
                }
                // An answer may have come a moment ago; then the turn has something to do.
                Some(Op::AbandonTurn) => {
                    if pending.is_waiting() {
                        self.queue.hold();
                        abandoned.cancel();
                        cancel.cancel();
                    }
                    Vec::new()
                }
                Some(Op::Decide {
                    proposal,
                    decisions,
                }) => pending
                    .decide(proposal, decisions)
                    .err()
                    .map(Event::OpRefused)
                    .into_iter()
                    .collect(),
                Some(Op::Answer { approval, answer }) => {
                    let answered = fitting(&pending, &*self.config.gate, approval, &answer)
                        .and_then(|()| pending.answer(approval, answer));
                    answered.err().map(Event::OpRefused).into_iter().collect()
                }
                Some(Op::SetMode(mode)) => vec![set_mode(&self.mode, &*self.config.gate, mode)],
                Some(Op::SetModel(NewVoices(voices))) => {
                    let chosen = chosen(&*voices);
                    self.next_voices = Some(voices);
                    vec![chosen]
                }
                Some(Op::Rename(title)) => vec![rename(&self.title, &title)],
                Some(Op::Queue(prompt)) => {
                    let prompt = self.queue.keep(prompt);
                    vec![self.queue.push(prompt)]
                }
                // No model can do anything with a command.
                Some(Op::Steer(prompt)) if takes_commands && command_in(&prompt).is_some() => {
                    let prompt = self.queue.keep(prompt);
                    vec![self.queue.push(prompt)]
                }
                Some(Op::Steer(prompt)) => {
                    steering.push(self.queue.keep(prompt));
                    Vec::new()
                }
                Some(Op::Unqueue(id)) => self.queue.remove(id),
                Some(Op::TakeBack(mark)) => self.queue.take_back(&mark),
                Some(Op::EditQueued { id, text }) => vec![self.queue.edit(id, text)],
                Some(Op::MoveQueued { id, place }) => vec![self.queue.shift(id, place)],
                Some(Op::ReleaseQueue) => {
                    self.queue.release();
                    Vec::new()
                }
                Some(Op::Compress | Op::Rewind { .. }) => {
                    vec![Event::OpRefused(Refusal::TurnIsRunning)]
                }
                Some(Op::Close) | None => {
                    handle_is_alive = false;
                    cancel.cancel();
                    Vec::new()
                }
            };
            // The turn waits for the same listener; racing it keeps a slow one from stopping both.
            let mut answers = answers.into_iter();
            while let Some(answer) = answers.next() {
                tokio::select! {
                    room = self.events.reserve() => if let Ok(room) = room {
                        room.send(answer);
                    },
                    () = &mut running => {
                        late.push(answer);
                        late.extend(answers);
                        break 'working;
                    }
                }
            }
        }
        emit_all(&self.events, late).await;
        for kept in steering.heard() {
            self.queue.gone(Some(kept));
        }
        // What was said too late for this turn is a prompt of its own.
        for prompt in steering.take() {
            let queued = self.queue.push(prompt);
            emit(&self.events, queued).await;
        }
        match handle_is_alive && !self.events.is_closed() {
            true => Heard::Yes,
            false => Heard::No,
        }
    }
}

/// What a session may be busy with.
enum Task {
    Prompt(Prompt),
    /// A prompt that somebody has written, by what was typed.
    Custom(Prompt, CustomCommand),
    Compress,
}

/// The command that a prompt is. With something attached it is none.
fn command_in(prompt: &Prompt) -> Option<Invocation<'_>> {
    invocation(&prompt.text).filter(|_| prompt.attachments.is_empty())
}

fn chosen(voices: &dyn Voices) -> Event {
    Event::ModelChosen {
        model: voices.requested().to_owned(),
        reason: BY_PERSON.to_owned(),
    }
}

fn rename(held: &SharedTitle, title: &str) -> Event {
    match held.by_person(title) {
        Some(title) => Event::Titled(title),
        None => Event::OpRefused(Refusal::EmptyTitle),
    }
}

/// A rule that cannot be used is refused while the question is still there to be answered otherwise.
fn fitting(
    pending: &Pending,
    gate: &dyn Gate,
    approval: ApprovalId,
    answer: &Answer,
) -> Result<(), Refusal> {
    let (Answer::AlwaysBy { rule, .. }, Some(asked)) = (answer, pending.asked(approval)) else {
        return Ok(());
    };
    let call = policy_call(asked.outside.as_deref(), &asked.call);
    gate.check_rule(&call, asked.mode, rule)
        .map_err(|reason| Refusal::UnusableRule { approval, reason })
}

fn set_mode(held: &SharedMode, gate: &dyn Gate, mode: ApprovalMode) -> Event {
    if !gate.may_enter(mode) {
        return Event::OpRefused(Refusal::Untrusted);
    }
    held.set(mode);
    Event::ModeChanged(mode)
}

impl SessionHandle {
    /// A handle to somebody who asks as a session does and is none, such as an agent outside.
    pub fn of(ops: mpsc::Sender<Op>) -> Self {
        Self { ops }
    }

    /// Queues an op. It is carried out in order; the answer is an event.
    pub async fn submit(&self, op: Op) -> Result<(), SessionClosed> {
        self.ops.send(op).await.map_err(|_| SessionClosed)
    }
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

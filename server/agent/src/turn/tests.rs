//! The rules of the turn loop, one by one: a whole session, a Gemini model, and a scripted server
//! behind real HTTP. The clock is paused, so every wait is exact and costs nothing.

mod calling;
mod cancelling;
mod chat_completions;
mod compression;
mod delegating;
mod discovering;
mod fallback;
mod faults;
mod interruption;
mod judged;
mod limits;
mod loops;
mod masking;
mod retrying;
mod rewinding;
mod routing;
mod shapes;
mod steering;
mod talking;
mod untold;
mod validity;
mod volume;

use std::fmt::Write as _;
use std::sync::Arc;

use pollux_model::{
    ApiKey, Gemini, GeminiApi, GeminiConfig, Http, Jitter, Model, NetworkOptions, OnCapacity,
    RetryPolicy,
};
use pollux_testkit::{Call, Reply, Script, ScriptedModel};
use serde_json::{Value, json};
use tokio::sync::mpsc;
use tokio::time::Instant;

use crate::api::{CallId, Event, Op, PromptMark, TurnOutcome};
use crate::testing::{MemoryFiles, config};
use crate::{Baggage, OneVoice, Session, SessionConfig, SessionHandle};

const MODEL: &str = "gemini-test";

/// A model that pauses for exactly 5, 10, 20, 30 … seconds.
fn gemini(base: &str, name: &str, attempts: u32) -> Model {
    let config = GeminiConfig {
        base_url: base.to_owned(),
        retry: RetryPolicy {
            attempts,
            jitter: Jitter::fixed(0.5),
            capacity: OnCapacity::TryTwiceMore,
            ..RetryPolicy::default()
        },
        ..GeminiConfig::new(GeminiApi::Developer, name, ApiKey::new("a-key-of-a-test"))
    };
    Model::Gemini(Gemini::new(config, Http::new(NetworkOptions::default())).unwrap())
}

/// A session and the server that its model talks to.
struct Stage {
    server: ScriptedModel,
    files: Arc<MemoryFiles>,
    session: SessionHandle,
    events: mpsc::Receiver<Event>,
    started: Instant,
    shows_choice: bool,
}

impl Stage {
    async fn start(script: Script) -> Self {
        Self::start_with(script, |_, _| {}).await
    }

    /// `change` gets the server's address and what the session is made of.
    async fn start_with(script: Script, change: impl FnOnce(&str, &mut SessionConfig)) -> Self {
        Self::start_in(script, |base, config, _| change(base, config)).await
    }

    /// The same, with what the session brings along.
    async fn start_in(
        script: Script,
        change: impl FnOnce(&str, &mut SessionConfig, &mut Baggage),
    ) -> Self {
        let server = ScriptedModel::start(script.strict()).await;
        let files = MemoryFiles::new(&[("a.rs", "one\n"), ("b.rs", "two\n")]);
        let mut config = config(files.clone());
        config.voices = OneVoice::shared(gemini(&server.url(), MODEL, 3));
        let mut baggage = Baggage::default();
        change(&server.url(), &mut config, &mut baggage);
        let (session, events) = Session::start(config, baggage);
        Self {
            server,
            files,
            session,
            events,
            started: Instant::now(),
            shows_choice: false,
        }
    }

    async fn submit(&self, op: Op) {
        self.session.submit(op).await.unwrap();
    }

    /// Plays a turn from its prompt to its end and shows it.
    async fn turn(&mut self, prompt: &str) -> String {
        self.submit(Op::Queue(prompt.into())).await;
        self.until(is_end).await
    }

    /// Listens up to an event of this kind and shows what was heard, with the second of each.
    async fn until(&mut self, is_last: impl Fn(&Event) -> bool) -> String {
        let mut shown = Transcript::default();
        loop {
            let event = self.events.recv().await.unwrap();
            // Every turn has one, and only the tests of routing care.
            if matches!(event, Event::ModelChosen { .. }) && !self.shows_choice {
                continue;
            }
            shown.add(self.started.elapsed().as_secs(), &event);
            if is_last(&event) {
                let address = self.server.address().to_string();
                return shown.text.replace(&address, "<host>");
            }
        }
    }

    /// The contents of a request, counted from 1: one line each.
    fn contents(&self, order: usize) -> String {
        let body = self.server.requests()[order - 1].json();
        let contents = body["contents"].as_array().unwrap();
        contents.iter().map(show_content).collect()
    }

    fn request_count(&self) -> usize {
        self.server.requests().len()
    }
}

/// One line per event; texts that follow each other are one line.
#[derive(Default)]
struct Transcript {
    text: String,
    is_in_text: bool,
    /// Where the calls that ended last are told: those that run together may end in any order.
    ends: Vec<usize>,
}

impl Transcript {
    fn add(&mut self, second: u64, event: &Event) {
        // Every first prompt names its session; that has tests of its own.
        if matches!(event, Event::Titled(_) | Event::RetryStarted) {
            return;
        }
        if let Event::TextReceived(text) = event {
            if !self.is_in_text {
                write!(self.text, "{second}s text: ").unwrap();
            }
            self.is_in_text = true;
            self.text += text;
            return;
        }
        if std::mem::take(&mut self.is_in_text) {
            self.text.push('\n');
        }
        let line = format!("{second}s {}\n", show(event));
        if !matches!(event, Event::ToolEnded { .. }) {
            self.ends.clear();
            self.text += &line;
            return;
        }
        let is_behind = |start: &usize| self.text[*start..] > *line;
        let place = self.ends.iter().position(is_behind);
        let start = place.map_or(self.text.len(), |place| self.ends[place]);
        self.text.insert_str(start, &line);
        for later in self.ends.iter_mut().filter(|later| **later >= start) {
            *later += line.len();
        }
        self.ends.insert(place.unwrap_or(self.ends.len()), start);
    }
}

fn show(event: &Event) -> String {
    match event {
        Event::PromptTaken(PromptMark(mark)) => format!("prompt {mark} taken"),
        Event::PromptServed { mark, by } => format!("prompt {} served by {by:?}", mark.0),
        Event::Opened { model, .. } => format!("opened with {model}"),
        Event::CommandAnswered { command, text } => format!("/{command}: {text}"),
        Event::Titled(title) => format!("title: {title}"),
        Event::ContextSent(sent) => format!("sent with it: {}", sent.items.len()),
        Event::HunksDecided(counts) => format!("hunks {counts:?}"),
        Event::PromptQueued { id, text, .. } => format!("queued {}: {text}", id.0),
        Event::PromptUnqueued(id) => format!("unqueued {}", id.0),
        Event::PromptEdited { id, text } => format!("{} is now: {text}", id.0),
        Event::QueueOrdered(ids) => format!("order {ids:?}"),
        Event::PromptSteered(text) => format!("steered: {text}"),
        Event::TextReceived(text) => format!("text: {text}"),
        Event::ThoughtReceived(thought) => format!("thought: {}", thought.subject),
        Event::CitationReceived(citation) => format!("quotes {}", citation.uri),
        Event::RequestRetried(retry) => format!(
            "retries {}/{} after {:?}: {}",
            retry.attempt, retry.attempts, retry.delay, retry.error
        ),
        Event::RetryStarted => "retry started".to_owned(),
        Event::ModelChanged {
            from,
            to,
            reason,
            avoided_until,
        } => format!("model {from} -> {to} until {avoided_until:?}: {reason}"),
        Event::ModelChosen { model, reason, .. } => format!("{reason} chose {model}"),
        Event::HistoryCompressed {
            before,
            after,
            status,
        } => format!("{} {before} -> {after}", status.name()),
        Event::UtilityUsed { task, model, usage } => {
            format!("{task} by {model} for {} tokens", usage.total_tokens)
        }
        Event::AnswerDiscarded { reason } => format!("discarded: {reason}"),
        Event::TurnStarted {
            turn,
            prompt,
            model,
            ..
        } => format!("turn {turn} with {model}: {prompt}"),
        Event::AnswerEnded { reason, usage, .. } => {
            format!(
                "answer ended: {reason:?}, prompt of {}",
                usage.prompt_tokens
            )
        }
        Event::ToolStarted {
            call,
            title,
            parent: None,
        } => format!("{}: {title}", shown(&call.id)),
        Event::ToolStarted {
            call,
            title,
            parent: Some(parent),
        } => format!("{parent} > {}: {title}", shown(&call.id)),
        Event::EditProposed(proposal) => format!("edit {} of {}", proposal.id, proposal.path),
        Event::EditDecided {
            proposal,
            decisions,
            ..
        } => format!("edit {proposal}: {decisions:?}"),
        Event::EditMade(made) => format!("edit {} of {} made", made.id, made.path),
        Event::EditContested {
            proposal,
            conflicts,
        } => format!("edit {proposal} in conflict at {conflicts} places"),
        Event::ApprovalRequested(approval) => format!("asks {}: {}", approval.id, approval.title),
        Event::ApprovalEnded {
            approval, answer, ..
        } => format!("answer to {approval}: {answer:?}"),
        Event::NotRemembered { message } => format!("not remembered: {message}"),
        Event::HookSaid { message } => format!("a hook says: {message}"),
        Event::ToolPrinted { call, text } => format!("{call} prints {text:?}"),
        Event::ToolTerminal { call, terminal } => format!("{call} runs in {}", terminal.id),
        Event::ToolProgressed { call, progress } => format!("{call} is at {}", progress.done),
        Event::Rewound { turn } => format!("back to before {turn}"),
        Event::RecordingStopped { reason, .. } => format!("no longer recorded: {reason}"),
        Event::ModeChanged(mode) => format!("mode {mode:?}"),
        Event::TodosChanged(todos) => format!("todos {todos:?}"),
        Event::TopicChanged(topic) => format!("topic {topic:?}"),
        Event::ToolEnded { call, outcome, .. } => format!("{} {outcome:?}", shown(call)),
        Event::OpRefused(refusal) => format!("refused: {refusal}"),
        Event::CostGrown(cost) => format!("cost {cost:?}"),
        Event::TurnEnded { turn, outcome } => match outcome.message() {
            message if message.is_empty() => format!("turn {turn} ended: {outcome:?}"),
            message => format!("turn {turn} ended {}: {message}", kind(outcome)),
        },
    }
}

/// The calls of sub-agents begin with a random name.
fn shown(call: &CallId) -> String {
    match call.as_str().split_once('_') {
        Some((run, number)) if run.len() == 12 => format!("<run>_{number}"),
        _ => call.to_string(),
    }
}

fn kind(outcome: &TurnOutcome) -> &'static str {
    match outcome {
        TurnOutcome::Completed => "Completed",
        TurnOutcome::Cancelled => "Cancelled",
        TurnOutcome::Interrupted => "Interrupted",
        TurnOutcome::Unattended => "Unattended",
        TurnOutcome::RoundLimitReached { .. } => "RoundLimitReached",
        TurnOutcome::Failed(_) => "Failed",
        TurnOutcome::InvalidAnswer(_) => "InvalidAnswer",
        TurnOutcome::LoopDetected(_) => "LoopDetected",
        TurnOutcome::ContextOverflow(_) => "ContextOverflow",
        TurnOutcome::Declined => "Declined",
        TurnOutcome::StoppedByHook { .. } => "StoppedByHook",
        TurnOutcome::SessionLimitReached { .. } => "SessionLimitReached",
        TurnOutcome::Recorded { .. } => "Recorded",
    }
}

fn show_content(content: &Value) -> String {
    let show_part = |part: &Value| match part.as_object().unwrap().get("text") {
        Some(text) => text.to_string(),
        None => part.to_string(),
    };
    let parts = content["parts"].as_array().unwrap();
    let parts: Vec<String> = parts.iter().map(show_part).collect();
    let role = content["role"].as_str().unwrap();
    format!("{role}: {}\n", parts.join(" + "))
}

fn is_end(event: &Event) -> bool {
    matches!(event, Event::TurnEnded { .. })
}

fn ok() -> Reply {
    Reply::text("ok").finish("STOP")
}

fn read(path: &str, id: &str) -> Call {
    Call::new("read_file", json!({ "file_path": path }))
        .id(id)
        .thought_signature("signed")
}

/// An answer that calls for a file.
fn reads(path: &str, id: &str) -> Reply {
    Reply::new().call(read(path, id)).finish("STOP")
}

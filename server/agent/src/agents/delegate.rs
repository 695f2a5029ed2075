use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use pollux_model::{CallId, FunctionCall, Usage};

use super::clock::Clock;
use crate::api::{Event, Progress};

/// A sub-agent at work. What it does is shown inside the call that wanted it.
pub(crate) struct Delegate {
    name: String,
    /// The call that it works for.
    call: CallId,
    /// What the names of its own calls begin with.
    prefix: String,
    calls: AtomicU64,
    turns: AtomicU32,
    max_turns: u32,
    /// What it thought about last.
    thinking: Mutex<Option<String>>,
    clock: Clock,
}

impl Delegate {
    pub(crate) fn new(name: &str, call: &CallId, run: &str, max_turns: u32) -> Self {
        Self {
            name: name.to_owned(),
            call: call.clone(),
            prefix: run
                .chars()
                .filter(char::is_ascii_alphanumeric)
                .take(12)
                .collect(),
            calls: AtomicU64::new(0),
            turns: AtomicU32::new(0),
            max_turns,
            thinking: Mutex::default(),
            clock: Clock::new(),
        }
    }

    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// The call that it works for.
    pub(crate) fn call(&self) -> &CallId {
        &self.call
    }

    /// A call of its own, under a name that no other call of the session has: its model does not know the others.
    pub(crate) fn own(&self, call: FunctionCall) -> FunctionCall {
        let number = self.calls.fetch_add(1, Ordering::Relaxed) + 1;
        FunctionCall {
            id: CallId::new(format!("{}_{number}", self.prefix)),
            ..call
        }
    }

    /// It asks its model once more.
    pub(crate) fn next_turn(&self) -> Event {
        self.turns.fetch_add(1, Ordering::Relaxed);
        self.progress()
    }

    pub(crate) fn turns(&self) -> u32 {
        self.turns.load(Ordering::Relaxed)
    }

    /// Resolves once it has worked so long.
    pub(crate) async fn run_out(&self, time: Duration) {
        self.clock.run_out(time).await;
    }

    /// What people are told of something that happens to it. Nothing: that is between it and its model.
    pub(crate) fn told(&self, event: Event) -> Option<Event> {
        match &event {
            Event::ApprovalRequested(_) | Event::EditProposed(_) => self.clock.pause(),
            Event::ApprovalEnded { .. } | Event::EditDecided { .. } => self.clock.resume(),
            _ => {}
        }
        Some(match event {
            Event::TextReceived(text) => Event::ToolPrinted {
                call: self.call.clone(),
                text,
            },
            Event::ThoughtReceived(thought) => {
                let subject = match thought.subject.is_empty() {
                    true => thought.description,
                    false => thought.subject,
                };
                *self.thinking() = Some(subject);
                self.progress()
            }
            Event::ToolStarted {
                call,
                title,
                parent: None,
            } => Event::ToolStarted {
                call,
                title,
                parent: Some(self.call.clone()),
            },
            // The window, the steps and the models that are shown are those of the session.
            Event::AnswerEnded { .. }
            | Event::AnswerDiscarded { .. }
            | Event::CitationReceived(_)
            | Event::ModelChosen { .. }
            | Event::ModelChanged { .. }
            | Event::HistoryCompressed { .. }
            | Event::TodosChanged(_)
            | Event::TopicChanged(_)
            | Event::Titled(_) => return None,
            event => event,
        })
    }

    /// What its model was used for, beside the conversation of the session.
    pub(crate) fn used(&self, model: &str, usage: Usage) -> Event {
        Event::UtilityUsed {
            task: self.name.clone(),
            model: model.to_owned(),
            usage,
        }
    }

    fn progress(&self) -> Event {
        Event::ToolProgressed {
            call: self.call.clone(),
            progress: Progress {
                message: self.thinking().clone(),
                done: f64::from(self.turns()),
                total: Some(f64::from(self.max_turns)),
            },
        }
    }

    fn thinking(&self) -> std::sync::MutexGuard<'_, Option<String>> {
        self.thinking.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

//! The turn loop: ask the model, run the tools it calls, send their results, until it calls none.

mod events;
mod pending;
mod steering;

use futures_util::StreamExt;
use pollux_model::{
    Content, FunctionCall, FunctionResponse, ModelError, Part, Request, Role, StreamEvent,
};
use tokio_util::sync::CancellationToken;

pub(crate) use events::Events;
pub(crate) use pending::Pending;
pub(crate) use steering::Steering;

use crate::api::{Event, Prompt, ToolOutcome, TurnId, TurnOutcome};
use crate::tools::{self, Desk};
use crate::{Entry, Journal, SessionConfig};

/// One prompt and everything that follows from it.
pub(crate) struct Turn<'session> {
    pub(crate) id: TurnId,
    pub(crate) config: &'session SessionConfig,
    pub(crate) history: &'session mut Vec<Content>,
    pub(crate) journal: &'session mut dyn Journal,
    /// How many edits the session has proposed so far.
    pub(crate) proposals: &'session mut u64,
    pub(crate) events: Events,
    pub(crate) pending: Pending,
    pub(crate) steering: Steering,
    pub(crate) cancel: CancellationToken,
}

impl Turn<'_> {
    pub(crate) async fn run(mut self, prompt: Prompt) {
        let turn = self.id;
        let started = Event::TurnStarted {
            turn,
            prompt: prompt.text.clone(),
            model: self.config.model.name().to_owned(),
        };
        self.events.emit(started).await;
        let outcome = self.converse(prompt).await;
        self.journal.record(Entry::TurnEnded { outcome: &outcome });
        self.events.emit(Event::TurnEnded { turn, outcome }).await;
    }

    async fn converse(&mut self, prompt: Prompt) -> TurnOutcome {
        let before_prompt = self.history.len();
        let typed = prompt.text.clone();
        let parts = prompt.into_parts();
        self.journal.record(Entry::Prompt {
            typed: &typed,
            parts: &parts,
        });
        self.remember(Role::User, parts);
        let limit = self.config.round_limit;
        for round in 0..limit {
            let answer = match self.ask().await {
                Ok(answer) => answer,
                Err(ModelError::Cancelled) => {
                    self.history.truncate(before_prompt);
                    return TurnOutcome::Cancelled;
                }
                Err(error) => {
                    // After tools have run their results stay, or the model would not know what it did.
                    if round == 0 {
                        self.history.truncate(before_prompt);
                    }
                    return TurnOutcome::Failed(error);
                }
            };
            let calls = calls_in(&answer);
            self.remember(Role::Model, answer);
            let mut responses = Vec::with_capacity(calls.len());
            let said_all = calls.is_empty();
            for call in calls {
                responses.push(self.run_tool(call).await);
                if self.cancel.is_cancelled() {
                    self.history.truncate(before_prompt);
                    return TurnOutcome::Cancelled;
                }
            }
            let steered = self.hear_steering().await;
            if said_all && steered.is_empty() {
                return TurnOutcome::Completed;
            }
            responses.extend(steered);
            self.journal.record(Entry::Results { parts: &responses });
            self.remember(Role::User, responses);
        }
        TurnOutcome::RoundLimitReached { limit }
    }

    /// One answer of the model, shown while it arrives.
    async fn ask(&mut self) -> Result<Vec<Part>, ModelError> {
        let request = Request {
            system_instruction: self.config.system_instruction.clone(),
            contents: self.history.clone(),
            tools: tools::declarations(&self.config.excluded_tools),
            ..Request::default()
        };
        let mut stream = self.config.model.stream(request, self.cancel.clone());
        let mut parts = Vec::new();
        let mut cost = None;
        while let Some(event) = stream.next().await {
            match event? {
                StreamEvent::Text(text) => {
                    append_text(&mut parts, &text);
                    self.events.emit(Event::TextReceived(text)).await;
                }
                StreamEvent::Thought(thought) => {
                    parts.push(Part::Thought(thought.clone()));
                    self.events.emit(Event::ThoughtReceived(thought)).await;
                }
                StreamEvent::FunctionCall(call) => parts.push(Part::FunctionCall(call)),
                StreamEvent::Citation(citation) => {
                    self.events.emit(Event::CitationReceived(citation)).await;
                }
                StreamEvent::Retrying(retry) => {
                    self.events.emit(Event::RequestRetried(retry)).await;
                }
                StreamEvent::Finished { reason, usage } => {
                    cost = Some(usage);
                    self.events.emit(Event::AnswerEnded { reason, usage }).await;
                }
            }
        }
        self.journal.record(Entry::Answer {
            model: self.config.model.name(),
            parts: &parts,
            usage: cost,
        });
        Ok(parts)
    }

    async fn run_tool(&mut self, call: FunctionCall) -> Part {
        let id = call.id.clone();
        let title = tools::title(&call);
        let started = Event::ToolStarted {
            call: call.clone(),
            title: title.clone(),
        };
        self.events.emit(started).await;
        let desk = Desk {
            call: &call,
            config: self.config,
            proposals: self.proposals,
            events: &self.events,
            pending: &self.pending,
            cancel: &self.cancel,
        };
        let (outcome, response) = match tools::run(desk).await {
            Ok(output) => {
                let summary = output.summary;
                (ToolOutcome::Succeeded { summary }, output.response)
            }
            Err(error) => (error.outcome(), error.response()),
        };
        let response = Part::FunctionResponse(FunctionResponse {
            id: id.clone(),
            name: call.name.clone(),
            response,
        });
        self.journal.record(Entry::Tool {
            call: &call,
            title: &title,
            outcome: &outcome,
            response: &response,
        });
        let ended = Event::ToolEnded { call: id, outcome };
        self.events.emit(ended).await;
        response
    }

    /// What the person has said meanwhile. Here the model listens: it has its results, and has not
    /// been asked again.
    async fn hear_steering(&mut self) -> Vec<Part> {
        let mut parts = Vec::new();
        for prompt in self.steering.take() {
            let heard = Event::PromptSteered(prompt.text.clone());
            self.events.emit(heard).await;
            parts.extend(prompt.into_parts());
        }
        parts
    }

    /// Providers refuse a content without parts.
    fn remember(&mut self, role: Role, parts: Vec<Part>) {
        if !parts.is_empty() {
            self.history.push(Content { role, parts });
        }
    }
}

fn calls_in(parts: &[Part]) -> Vec<FunctionCall> {
    parts
        .iter()
        .filter_map(|part| match part {
            Part::FunctionCall(call) => Some(call.clone()),
            Part::Text(_) | Part::Thought(_) | Part::FunctionResponse(_) | Part::InlineData(_) => {
                None
            }
        })
        .collect()
}

fn append_text(parts: &mut Vec<Part>, delta: &str) {
    match parts.last_mut() {
        Some(Part::Text(text)) => text.push_str(delta),
        _ => parts.push(Part::Text(delta.to_owned())),
    }
}

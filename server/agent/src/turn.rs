//! The turn loop: ask the model, run the tools it calls, send their results, until it calls none.

mod ask;
mod events;
mod pending;
mod prompt;
mod steering;

#[cfg(test)]
mod tests;

use pollux_model::{
    Availability, Content, FunctionCall, FunctionResponse, Part, Role, Room, TokenEstimate,
    room_for, token_limit,
};
use serde_json::{Map, Value};
use tokio_util::sync::CancellationToken;

use ask::NoAnswer;
pub(crate) use events::Events;
pub(crate) use pending::Pending;
use prompt::Sent;
pub(crate) use steering::Steering;

use crate::api::{Event, Prompt, ToolOutcome, TurnId, TurnOutcome};
use crate::loop_detection::LoopDetector;
use crate::prompt::{EditorTold, Memory};
use crate::tools::{self, Desk};
use crate::validity::{self, AnswerTo, Nudge};
use crate::voices::Voice;
use crate::{Entry, Journal, SessionConfig, history};

/// One prompt and everything that follows from it.
pub(crate) struct Turn<'session> {
    pub(crate) id: TurnId,
    pub(crate) config: &'session SessionConfig,
    pub(crate) history: &'session mut Vec<Content>,
    pub(crate) journal: &'session mut dyn Journal,
    pub(crate) memory: Option<&'session mut Memory>,
    pub(crate) availability: &'session mut Availability,
    /// What the model knows of the editor.
    pub(crate) told: &'session mut EditorTold,
    /// What the provider counted for the last request.
    pub(crate) last_prompt_tokens: &'session mut u64,
    /// How often the session has asked the model so far.
    pub(crate) rounds: &'session mut u64,
    /// How many edits the session has proposed so far.
    pub(crate) proposals: &'session mut u64,
    pub(crate) loops: LoopDetector,
    pub(crate) voice_name: String,
    pub(crate) voice: Voice,
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
            model: self.voice.model.name().to_owned(),
        };
        self.events.emit(started).await;
        let outcome = self.converse(prompt).await;
        self.journal.record(Entry::TurnEnded { outcome: &outcome });
        self.events.emit(Event::TurnEnded { turn, outcome }).await;
    }

    /// Makes the prompt a part of the conversation. Says how long the conversation was before.
    async fn take_in(&mut self, prompt: Prompt) -> Result<usize, TurnOutcome> {
        if let Some(limit) = self.spent_limit() {
            return Err(TurnOutcome::SessionLimitReached { limit });
        }
        let typed = prompt.text.clone();
        let Some(Sent { editor, parts }) = self.send(prompt).await else {
            return Err(TurnOutcome::Cancelled);
        };
        if let Some(overflow) = self.overflow(&parts) {
            // What was gathered about the editor is not sent either.
            self.told.reset();
            return Err(overflow);
        }
        self.journal.record(Entry::Prompt {
            typed: &typed,
            parts: &parts,
        });
        history::mark_interruption(self.history);
        let before_prompt = self.history.len();
        self.remember(Role::User, editor.into_iter().map(Part::Text).collect());
        self.remember(Role::User, parts);
        Ok(before_prompt)
    }

    async fn converse(&mut self, prompt: Prompt) -> TurnOutcome {
        let before_prompt = match self.take_in(prompt).await {
            Ok(before_prompt) => before_prompt,
            Err(outcome) => return outcome,
        };
        // Where the message begins that the model is answering.
        let mut before_message = before_prompt;
        let mut to = AnswerTo::Person;
        let mut nudge = Nudge::None;
        let limit = self.config.round_limit;
        for _ in 0..limit {
            let answer = match self.ask(to, nudge).await {
                Ok(answer) => answer,
                Err(NoAnswer::Recover(found)) => {
                    let reason = found.to_string();
                    self.events.emit(Event::AnswerDiscarded { reason }).await;
                    if to == AnswerTo::FunctionResponse {
                        before_message = self.history.len();
                    }
                    let told = format!(
                        "System: Potential loop detected. Details: {found}. Take a step back, and \
                         go on in another way, or say what keeps you from it."
                    );
                    self.remember(Role::User, vec![Part::Text(told)]);
                    to = AnswerTo::Person;
                    continue;
                }
                Err(no_answer) => {
                    let outcome = ended(no_answer);
                    // A stop takes the whole prompt back. Results of tools stay, or the model
                    // would not know what it did; words that nobody answered go.
                    if outcome == TurnOutcome::Cancelled {
                        self.forget(before_prompt);
                    } else if to == AnswerTo::Person {
                        self.forget(before_message);
                    }
                    return outcome;
                }
            };
            let calls = calls_in(&answer);
            let says_nothing = !validity::has_visible_text(&answer);
            self.remember(Role::Model, answer);
            let mut responses = Vec::with_capacity(calls.len());
            let said_all = calls.is_empty();
            for call in calls {
                responses.push(self.run_tool(call).await);
                if self.cancel.is_cancelled() {
                    self.forget(before_prompt);
                    return TurnOutcome::Cancelled;
                }
            }
            let steered = self.hear_steering().await;
            if said_all && steered.is_empty() {
                // Behind its tools a model may be silent; the person would like a word, so it is
                // asked once.
                if says_nothing && to == AnswerTo::FunctionResponse && nudge == Nudge::None {
                    nudge = Nudge::Add;
                    continue;
                }
                return TurnOutcome::Completed;
            }
            nudge = Nudge::None;
            to = match said_all {
                true => AnswerTo::Person,
                false => AnswerTo::FunctionResponse,
            };
            responses.extend(steered);
            // What does not fit is not kept either, or no later prompt would fit: the calls count
            // as unanswered.
            if let Some(overflow) = self.overflow(&responses) {
                return overflow;
            }
            before_message = self.history.len();
            self.journal.record(Entry::Results { parts: &responses });
            self.remember(Role::User, responses);
        }
        TurnOutcome::RoundLimitReached { limit }
    }

    /// The session's limit, if there is one and nothing is left of it.
    fn spent_limit(&self) -> Option<u64> {
        self.config
            .turn_limit
            .filter(|limit| *self.rounds >= *limit)
    }

    /// Whether the prompt still fits the model's window. Said before anything is sent.
    fn overflow(&self, parts: &[Part]) -> Option<TurnOutcome> {
        let limit = token_limit(self.voice.model.name());
        let estimate = TokenEstimate::of_parts(parts);
        match room_for(estimate, *self.last_prompt_tokens, limit) {
            Room::Fits => None,
            Room::Overflows {
                estimated,
                remaining,
            } => Some(TurnOutcome::ContextOverflow {
                estimated,
                remaining,
            }),
        }
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
            Ok(mut output) => {
                self.add_discovered_memory(&call, &mut output.response)
                    .await;
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

    /// A folder may have rules of its own. The model gets them with the first file it touches there.
    async fn add_discovered_memory(
        &mut self,
        call: &FunctionCall,
        response: &mut Map<String, Value>,
    ) {
        let path = call.args.get("file_path").and_then(Value::as_str);
        let (Some(path), Some(memory), Some(surroundings)) =
            (path, self.memory.as_deref_mut(), &self.config.surroundings)
        else {
            return;
        };
        let path = self.config.root.join(path);
        let Some(found) = memory.discover(surroundings.reading(), &path).await else {
            return;
        };
        if let Some(Value::String(output)) = response.get_mut("output") {
            output.push_str("\n\n--- Newly Discovered Project Context ---\n");
            output.push_str(&found);
            output.push_str("\n--- End Project Context ---");
        }
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

    /// Takes the prompt back, and with it what the model was told about the editor.
    fn forget(&mut self, before_prompt: usize) {
        self.history.truncate(before_prompt);
        self.told.reset();
    }

    /// Providers refuse a content without parts.
    fn remember(&mut self, role: Role, parts: Vec<Part>) {
        if !parts.is_empty() {
            self.history.push(Content { role, parts });
        }
    }
}

fn ended(no_answer: NoAnswer) -> TurnOutcome {
    match no_answer {
        NoAnswer::Cancelled => TurnOutcome::Cancelled,
        NoAnswer::Failed(error, _) => TurnOutcome::Failed(error),
        NoAnswer::LimitReached(limit) => TurnOutcome::SessionLimitReached { limit },
        NoAnswer::Invalid(invalid) => TurnOutcome::InvalidAnswer(invalid),
        NoAnswer::Recover(found) | NoAnswer::Loop(found) => {
            TurnOutcome::LoopDetected(found.to_string())
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

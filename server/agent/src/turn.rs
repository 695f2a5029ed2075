//! The turn loop: ask the model, run the tools it calls, send their results, until it calls none.

mod ask;
mod calls;
mod command;
mod custom;
mod events;
mod fall_back;
mod job;
mod loop_check;
mod next_speaker;
mod pending;
mod prompt;
mod retries;
mod room;
mod route;
mod running;
mod steering;
mod untold;
mod upkeep;

#[cfg(test)]
mod tests;

use std::sync::Arc;

use pollux_model::{Availability, Content, FunctionCall, Part, Role, TokenEstimate};
use tokio_util::sync::CancellationToken;

use ask::NoAnswer;
use calls::Results;
pub(crate) use calls::{Clerk, Failures};
pub(crate) use events::Events;
pub(crate) use job::{Job, JobEnd};
use next_speaker::{GO_ON, Speaker};
pub(crate) use pending::{Accepts, Asked, EditAnswer, Pending};
use prompt::Sent;
pub(crate) use room::Filling;
pub(crate) use running::Running;
pub(crate) use steering::Steering;
pub(crate) use untold::Untold;

use crate::api::{Added, ApprovalMode, Event, KeptId, Prompt, TurnId, TurnOutcome};
use crate::commands::{CustomCommand, invocation};
use crate::compression::Compressions;
use crate::loop_detection::{Loop, LoopDetector};
use crate::mode::SharedMode;
use crate::prompt::{EditorTold, Memory, missing_servers};
use crate::title::SharedTitle;
use crate::topic::SharedTopic;
use crate::validity::{self, AnswerTo, Nudge};
use crate::voices::Voice;
use crate::{Entry, Fate, Journal, Mark, Said, SessionConfig, history};

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
    /// What people have decided and written about its edits that it has not heard of.
    pub(crate) untold: &'session mut Untold,
    /// How long the conversation was before each turn that it can go back to.
    pub(crate) marks: &'session mut Vec<Mark>,
    pub(crate) filling: &'session mut Filling,
    /// How often the session has asked the model so far.
    pub(crate) rounds: &'session mut u64,
    pub(crate) mode: SharedMode,
    pub(crate) topic: SharedTopic,
    pub(crate) title: SharedTitle,
    /// The mode in which the model was chosen, once it is.
    pub(crate) routed: Option<ApprovalMode>,
    pub(crate) compressions: &'session mut Compressions,
    pub(crate) failures: Failures,
    /// What has become of the prompt so far.
    pub(crate) fate: Fate,
    pub(crate) loops: LoopDetector,
    pub(crate) voice_name: String,
    pub(crate) voice: Voice,
    pub(crate) events: Events,
    pub(crate) pending: Pending,
    pub(crate) running: Running,
    pub(crate) steering: Steering,
    pub(crate) cancel: CancellationToken,
    /// Why it was cancelled: there was nobody to answer.
    pub(crate) abandoned: CancellationToken,
}

impl Turn<'_> {
    pub(crate) async fn run(mut self, prompt: Prompt, custom: Option<CustomCommand>) {
        let turn = self.id;
        let started = Event::TurnStarted {
            turn,
            prompt: prompt.stands_for.as_ref().unwrap_or(&prompt.text).clone(),
            model: self.voice.model.name().to_owned(),
            attachments: Arc::clone(&prompt.attachments),
        };
        self.events.emit(started).await;
        let outcome = match self.play(prompt, custom).await {
            TurnOutcome::Cancelled if self.abandoned.is_cancelled() => TurnOutcome::Unattended,
            outcome => outcome,
        };
        if let Some(spent) = self.events.spent() {
            self.journal.record(Entry::Spent { so_far: &spent });
        }
        self.journal.record(Entry::TurnEnded {
            turn,
            outcome: &outcome,
            prompt: self.fate,
        });
        self.events.emit(Event::TurnEnded { turn, outcome }).await;
    }

    async fn play(&mut self, prompt: Prompt, custom: Option<CustomCommand>) -> TurnOutcome {
        let Some(custom) = custom else {
            return self.converse(prompt).await;
        };
        let Some(typed) = invocation(&prompt.text) else {
            return self.converse(prompt).await;
        };
        match self.fill(&custom, &typed).await {
            Ok(filled) => {
                let filled = Prompt {
                    context: prompt.context,
                    kept: prompt.kept,
                    ..filled
                };
                self.converse(filled).await
            }
            Err(outcome) => outcome,
        }
    }

    /// Makes the prompt a part of the conversation. Says how long the conversation was before.
    async fn take_in(&mut self, prompt: Prompt) -> Result<usize, TurnOutcome> {
        if let Some(limit) = self.spent_limit() {
            return Err(TurnOutcome::SessionLimitReached { limit });
        }
        if self.make_room(&mut self.history.len(), &[]).await.is_err() {
            return Err(TurnOutcome::Cancelled);
        }
        let typed = prompt.stands_for.as_ref().unwrap_or(&prompt.text).clone();
        let kept = prompt.kept;
        let Some(Sent {
            editor,
            mut parts,
            context,
        }) = self.send(prompt).await
        else {
            return Err(TurnOutcome::Cancelled);
        };
        parts.extend(self.tell_of_servers().await.map(Part::Text));
        self.tell_of_agents().await;
        let shown = TokenEstimate::of_text(editor.as_deref().unwrap_or_default());
        if let Some(overflow) = self.overflow(&parts, shown, Added::Prompt).await {
            // What was gathered about the editor is not sent either.
            self.told.reset();
            return Err(overflow);
        }
        let context = Arc::new(context);
        if !context.items.is_empty() {
            let sent = Event::ContextSent(Arc::clone(&context));
            self.events.emit(sent).await;
        }
        if let Some(title) = self.title.by_prompt(&typed) {
            self.events.emit(Event::Titled(title)).await;
        }
        self.journal.record(Entry::TurnStarted { turn: self.id });
        self.journal.record(Entry::Prompt {
            typed: &typed,
            parts: &parts,
            how: Said::Asked {
                turn: self.id,
                items: &context.items,
                editor: editor.as_deref(),
            },
            kept,
        });
        history::mark_interruption(self.history);
        let before_prompt = self.history.len();
        self.marks.push(Mark {
            turn: self.id,
            length: before_prompt,
            prompt: typed,
        });
        self.remember(Role::User, editor.into_iter().map(Part::Text).collect());
        self.remember(Role::User, parts);
        self.untold.sent();
        Ok(before_prompt)
    }

    async fn converse(&mut self, prompt: Prompt) -> TurnOutcome {
        if let Some(outcome) = self.run_command(&prompt).await {
            return outcome;
        }
        let mut at = match self.take_in(prompt).await {
            Ok(before_prompt) => Standing::at(before_prompt),
            Err(outcome) => return outcome,
        };
        let limit = self.config.continuation_limit;
        // How often in a row the model was asked without anything new from a tool.
        let mut continuations = 0;
        loop {
            if at.to == AnswerTo::FunctionResponse {
                continuations = 0;
            }
            if continuations >= limit {
                return TurnOutcome::RoundLimitReached { limit };
            }
            continuations += 1;
            let answer = match self.ask(at.to, at.nudge).await {
                Ok(answer) => answer,
                Err(NoAnswer::Recover(found)) => {
                    self.warn(&found, &mut at).await;
                    continue;
                }
                Err(no_answer) => return self.give_up(no_answer, &at),
            };
            if let Some(outcome) = self.act_on(answer, &mut at).await {
                return outcome;
            }
        }
    }

    /// Tells a model that it repeats itself.
    async fn warn(&mut self, found: &Loop, at: &mut Standing) {
        let reason = found.to_string();
        self.events.emit(Event::AnswerDiscarded { reason }).await;
        if at.to == AnswerTo::FunctionResponse {
            at.before_message = self.history.len();
        }
        let told = format!(
            "System: Potential loop detected. Details: {found}. Take a step back, and go on in another way, or \
             say what keeps you from it."
        );
        self.remember(Role::User, vec![Part::Text(told)]);
        at.to = AnswerTo::Person;
    }

    /// A stop takes the whole prompt back. Results of tools stay, or the model would not know what it did; words
    /// that nobody answered go.
    fn give_up(&mut self, no_answer: NoAnswer, at: &Standing) -> TurnOutcome {
        let outcome = ended(no_answer);
        if outcome == TurnOutcome::Cancelled {
            self.forget(at, at.before_prompt);
        } else if at.to == AnswerTo::Person {
            self.forget(at, at.before_message);
        }
        outcome
    }

    /// Runs what the model calls for. Says how the turn ended, if it did.
    async fn act_on(&mut self, answer: Vec<Part>, at: &mut Standing) -> Option<TurnOutcome> {
        let calls = calls_in(&answer);
        let says_nothing = !validity::has_visible_text(&answer);
        self.remember(Role::Model, answer);
        let said_all = calls.is_empty();
        let Results { mut parts, end } = self.run_calls(&calls).await;
        self.retitle().await;
        if end == Some(TurnOutcome::Cancelled) {
            self.forget(at, at.before_prompt);
            return end;
        }
        let steered = match end {
            None => self.hear_steering().await,
            Some(_) => Vec::new(),
        };
        if said_all && steered.is_empty() {
            // Behind its tools a model may be silent; the person would like a word, so it is asked once.
            if says_nothing && at.to == AnswerTo::FunctionResponse && at.nudge == Nudge::None {
                at.nudge = Nudge::Add;
                return None;
            }
            if self.next_speaker().await == Speaker::Person {
                return Some(TurnOutcome::Completed);
            }
            parts.push(Part::Text(GO_ON.to_owned()));
        }
        if self.make_room(&mut at.before_prompt, &parts).await.is_err() {
            self.forget(at, at.before_prompt);
            return Some(TurnOutcome::Cancelled);
        }
        at.nudge = Nudge::None;
        at.to = match said_all {
            true => AnswerTo::Person,
            false => AnswerTo::FunctionResponse,
        };
        let responses = parts.len();
        parts.extend(steered.iter().flat_map(|heard| heard.parts.clone()));
        // What does not fit is not kept either, or no later prompt would fit: the calls count as unanswered.
        let nothing = TokenEstimate::default();
        if let Some(overflow) = self.overflow(&parts, nothing, Added::Results).await {
            return Some(overflow);
        }
        at.before_message = self.history.len();
        let results = parts.get(..responses).unwrap_or(&parts);
        self.journal.record(Entry::Results { parts: results });
        for Heard { typed, parts, kept } in &steered {
            self.journal.record(Entry::Prompt {
                typed,
                parts,
                how: Said::Steered,
                kept: *kept,
            });
        }
        self.remember(Role::User, parts);
        end
    }

    /// The model's own word for what it does makes a better title than the first prompt.
    async fn retitle(&mut self) {
        let topic = self.topic.get().and_then(|topic| topic.title);
        if let Some(title) = topic.and_then(|topic| self.title.by_topic(&topic)) {
            self.events.emit(Event::Titled(title)).await;
        }
    }

    /// The session's limit, if there is one and nothing is left of it.
    fn spent_limit(&self) -> Option<u64> {
        self.config
            .turn_limit
            .filter(|limit| *self.rounds >= *limit)
    }

    /// What the person has said meanwhile. Here the model listens: it has its results, and has not
    /// been asked again.
    async fn hear_steering(&mut self) -> Vec<Heard> {
        let mut words = Vec::new();
        for prompt in self.steering.hear() {
            let kept = prompt.kept;
            let typed = prompt.text.clone();
            let heard = Event::PromptSteered(typed.clone());
            self.events.emit(heard).await;
            // Nothing is left when the turn was stopped, which the next request finds out.
            let parts = self.send_into_turn(prompt).await.unwrap_or_default();
            words.push(Heard { typed, parts, kept });
        }
        words
    }

    /// Takes back what was said from there on, and with it what the model was told about the editor.
    fn forget(&mut self, at: &Standing, from: usize) {
        if from <= at.before_prompt {
            self.fate = Fate::TakenBack;
            self.untold.taken_back();
        }
        self.history.truncate(from);
        self.marks.retain(|mark| mark.length < from);
        self.told.reset();
        self.forget_discovered();
    }

    /// Results of tools are gone, and with them the rules of folders that stood there: they are to be told again.
    fn forget_discovered(&mut self) {
        if let Some(memory) = &mut self.memory {
            memory.forget_discovered();
        }
    }

    /// Tells the person which servers are missing, and gives what the model is to hear about it. Each is told what
    /// has changed since.
    async fn tell_of_servers(&mut self) -> Option<String> {
        let servers = self.config.tools.servers()?;
        let missing = missing_servers(&servers.offering());
        let (told, shown) = missing.unzip();
        if !self.untold.is_news(told.as_deref()) {
            return None;
        }
        let all_there =
            "<system_note>\nAll configured MCP servers are connected now.\n</system_note>";
        if let Some(text) = shown {
            let command = "mcp".to_owned();
            let answered = Event::CommandAnswered { command, text };
            self.events.emit(answered).await;
        }
        Some(told.unwrap_or_else(|| all_there.to_owned()))
    }

    /// Tells the person what is new about the sub-agents. The model has them in its instructions.
    async fn tell_of_agents(&mut self) {
        let news = self.config.tools.agents().and_then(|agents| agents.news());
        if let Some(text) = news {
            let command = "agents".to_owned();
            let answered = Event::CommandAnswered { command, text };
            self.events.emit(answered).await;
        }
    }

    /// Providers refuse a content without parts.
    fn remember(&mut self, role: Role, parts: Vec<Part>) {
        if !parts.is_empty() {
            self.history.push(Content { role, parts });
        }
    }
}

/// What the person has said into the turn.
struct Heard {
    typed: String,
    /// With what it names.
    parts: Vec<Part>,
    kept: Option<KeptId>,
}

/// Where a turn is.
struct Standing {
    /// How long the conversation was before the prompt.
    before_prompt: usize,
    /// Where the message begins that the model is answering.
    before_message: usize,
    to: AnswerTo,
    nudge: Nudge,
}

impl Standing {
    fn at(before_prompt: usize) -> Self {
        Self {
            before_prompt,
            before_message: before_prompt,
            to: AnswerTo::Person,
            nudge: Nudge::None,
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
            Part::Text(_)
            | Part::SignedText(_)
            | Part::Thought(_)
            | Part::FunctionResponse(_)
            | Part::InlineData(_) => None,
        })
        .collect()
}

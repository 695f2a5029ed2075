//! What happens in a session, in the protocol's words.
//!
//! Reads the events of one session in order and keeps what later ones are told by: which message goes on, which calls
//! run, and what they have shown. Does no IO and waits for nothing, so that a replay is the same as the first time.

mod remark;
mod steps;
mod tool;

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;

use agent_client_protocol_schema::v1::{
    ContentBlock, ContentChunk, Cost, CurrentModeUpdate, Error, ErrorCode, SessionInfoUpdate,
    SessionUpdate, StopReason, ToolCallUpdate, UsageUpdate,
};
use pollux_agent::Thinking;
use pollux_agent::api::{
    ApprovalId, ApprovalMode, CallId, Citation, Event, FinishReason, ModelError, Proposal,
    ProposalId, Refusal, TurnId, TurnOutcome,
};
use pollux_workspace::Asked;

use crate::client::Traits;
use crate::failure;
use crate::options::BY_PERSON;
use tool::Call;

/// Something to say to the client, or to do at its door.
#[derive(Debug)]
pub(crate) enum Told {
    Update(Box<SessionUpdate>),
    /// A person is asked, about this call.
    Ask {
        asked: Asked,
        call: Box<ToolCallUpdate>,
    },
    /// The question is off.
    Answered(ApprovalId),
    /// All questions are.
    TurnEnded,
    Mode(ApprovalMode),
    /// Somebody has chosen this model for what follows.
    Model(String, Thinking),
    Refused(Refusal),
}

/// Whose prompt it is that is answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Whose {
    /// This client has sent it, and shows it already.
    Own,
    Others,
}

pub(crate) struct Telling {
    folder: PathBuf,
    traits: Traits,
    /// By which the client's own things are known.
    owner: Arc<str>,
    prompt: Whose,
    /// Counts where a new message begins.
    messages: u64,
    calls: HashMap<CallId, Call>,
    /// Models use the same id again at times, and clients would take the second call for the first.
    used: HashMap<CallId, u32>,
    proposals: HashMap<ProposalId, Arc<Proposal>>,
    /// Which call a question is about.
    asked: HashMap<ApprovalId, CallId>,
    citations: Vec<Citation>,
    compressions: u64,
    /// As it was told last; what it costs is told with it.
    usage: Option<UsageUpdate>,
    finish: Option<FinishReason>,
    ended: Option<(TurnId, TurnOutcome)>,
}

impl Telling {
    pub(crate) fn new(folder: PathBuf, traits: Traits) -> Self {
        Self {
            folder,
            traits,
            owner: "".into(),
            prompt: Whose::Others,
            messages: 0,
            calls: HashMap::new(),
            used: HashMap::new(),
            proposals: HashMap::new(),
            asked: HashMap::new(),
            citations: Vec::new(),
            compressions: 0,
            usage: None,
            finish: None,
            ended: None,
        }
    }

    /// For the client that is known by this name.
    pub(crate) fn at(self, owner: Arc<str>) -> Self {
        Self { owner, ..self }
    }

    /// The prompt whose turn has come.
    pub(crate) fn answers(&mut self, prompt: Whose) {
        self.prompt = prompt;
    }

    /// What was told so far was not said: the client knows no call of it.
    pub(crate) fn forget_announced(&mut self) {
        for call in self.calls.values_mut() {
            call.unannounce();
        }
    }

    /// The call that a question is about, for a client that has not heard of it.
    pub(crate) fn announce(&mut self, asked: &Asked) -> Vec<Told> {
        let call = match asked {
            Asked::Approval(approval) => tool::asked_about(approval),
            Asked::Edit(proposal) => proposal.call.clone(),
        };
        self.announce_call(&call)
    }

    /// How a turn ended, in the words of `session/prompt`.
    pub(crate) fn stop_reason(&self, turn: TurnId) -> Result<StopReason, Error> {
        let outcome = match &self.ended {
            Some((ended, outcome)) if *ended == turn => outcome,
            // It was cut off: the session has ended with it.
            _ => return Ok(StopReason::Cancelled),
        };
        match outcome {
            TurnOutcome::Completed => Ok(match self.finish {
                Some(FinishReason::MaxTokens) => StopReason::MaxTokens,
                _ => StopReason::EndTurn,
            }),
            TurnOutcome::Declined | TurnOutcome::StoppedByHook { .. } => Ok(StopReason::EndTurn),
            TurnOutcome::Cancelled | TurnOutcome::Unattended | TurnOutcome::Interrupted => {
                Ok(StopReason::Cancelled)
            }
            TurnOutcome::RoundLimitReached { .. }
            | TurnOutcome::LoopDetected(_)
            | TurnOutcome::SessionLimitReached { .. } => Ok(StopReason::MaxTurnRequests),
            TurnOutcome::ContextOverflow(_) => Ok(StopReason::MaxTokens),
            TurnOutcome::Failed(ModelError::Unauthorized { .. }) => {
                Err(failure::said(ErrorCode::AuthRequired, outcome.message()))
            }
            TurnOutcome::Failed(_)
            | TurnOutcome::InvalidAnswer(_)
            | TurnOutcome::Recorded { .. } => {
                Err(failure::said(ErrorCode::InternalError, outcome.message()))
            }
        }
    }

    pub(crate) fn tell(&mut self, event: &Event) -> Vec<Told> {
        match event {
            Event::Opened { title, .. } => title.iter().map(|title| titled(title)).collect(),
            Event::Titled(title) => vec![titled(title)],
            Event::TurnStarted { prompt, .. } => {
                self.messages += 1;
                self.finish = None;
                match self.prompt {
                    Whose::Own => Vec::new(),
                    Whose::Others => vec![self.said_by_person(prompt)],
                }
            }
            Event::PromptSteered(text) => {
                self.messages += 1;
                vec![self.said_by_person(text)]
            }
            Event::TextReceived(text) => vec![self.message(text.as_str())],
            Event::ThoughtReceived(thought) => {
                let text = match thought.subject.is_empty() {
                    true => thought.description.clone(),
                    false => format!("**{}**\n{}", thought.subject, thought.description),
                };
                vec![self.chunk("t", SessionUpdate::AgentThoughtChunk, text.as_str())]
            }
            Event::CitationReceived(citation) => {
                self.citations.push(citation.clone());
                Vec::new()
            }
            Event::AnswerEnded {
                reason,
                usage,
                context_window,
            } => {
                let mut told: Vec<Told> = self.sources().into_iter().collect();
                self.finish = Some(reason.clone());
                self.messages += 1;
                if let Some(size) = context_window {
                    let cost = self.usage.take().and_then(|usage| usage.cost);
                    let used = UsageUpdate::new(usage.total_tokens, *size).cost(cost);
                    self.usage = Some(used.clone());
                    told.push(update(SessionUpdate::UsageUpdate(used)));
                }
                told
            }
            Event::CostGrown(cost) => match &mut self.usage {
                Some(usage) => {
                    usage.cost = Some(Cost::new(cost.session, cost.currency.clone()));
                    vec![update(SessionUpdate::UsageUpdate(usage.clone()))]
                }
                None => Vec::new(),
            },
            Event::ModeChanged(mode) => {
                let changed = CurrentModeUpdate::new(mode.as_str());
                vec![
                    update(SessionUpdate::CurrentModeUpdate(changed)),
                    Told::Mode(*mode),
                ]
            }
            Event::ModelChosen {
                model,
                reason,
                thinking,
            } if reason == BY_PERSON => {
                vec![Told::Model(model.clone(), *thinking)]
            }
            Event::TodosChanged(todos) => {
                vec![update(SessionUpdate::Plan(steps::plan(todos)))]
            }
            Event::TurnEnded { turn, outcome } => self.turn_ended(*turn, outcome),
            Event::OpRefused(refusal) => {
                let mut told = vec![Told::Refused(refusal.clone())];
                // Somebody else may have asked for what was refused.
                if self.prompt == Whose::Own && self.calls.is_empty() {
                    told.push(self.remark_aloud(&format!("Not done: {refusal}.")));
                }
                told
            }
            Event::ToolStarted { .. }
            | Event::EditProposed(_)
            | Event::EditDecided { .. }
            | Event::EditMade(_)
            | Event::ApprovalRequested(_)
            | Event::ApprovalEnded { .. }
            | Event::ToolPrinted { .. }
            | Event::ToolTerminal { .. }
            | Event::ToolProgressed { .. }
            | Event::ToolEnded { .. } => self.tell_of_call(event),
            Event::CommandAnswered { .. }
            | Event::RequestRetried(_)
            | Event::RetryStarted
            | Event::ModelChanged { .. }
            | Event::HistoryCompressed { .. }
            | Event::AnswerDiscarded { .. }
            | Event::NotRemembered { .. }
            | Event::HookSaid { .. }
            | Event::RecordingStopped { .. }
            | Event::Rewound { .. } => self.remark_on(event),
            // The door itself goes by the marks; the rest has no word in this protocol.
            Event::PromptTaken(_)
            | Event::PromptServed { .. }
            | Event::PromptQueued { .. }
            | Event::PromptUnqueued(_)
            | Event::PromptEdited { .. }
            | Event::QueueOrdered(_)
            | Event::ContextSent(_)
            | Event::ModelChosen { .. }
            | Event::UtilityUsed { .. }
            | Event::HunksDecided(_)
            | Event::EditContested { .. }
            | Event::TopicChanged(_) => Vec::new(),
        }
    }

    fn turn_ended(&mut self, turn: TurnId, outcome: &TurnOutcome) -> Vec<Told> {
        self.ended = Some((turn, outcome.clone()));
        let mut told = self.unfinished();
        self.calls.clear();
        self.proposals.clear();
        self.asked.clear();
        self.citations.clear();
        let message = outcome.message();
        let is_answered_with_it = self.prompt == Whose::Own && self.stop_reason(turn).is_err();
        if !message.is_empty() && !is_answered_with_it {
            told.push(self.remark_aloud(&message));
        }
        told.push(Told::TurnEnded);
        told
    }

    fn said_by_person(&self, text: &str) -> Told {
        self.chunk("u", SessionUpdate::UserMessageChunk, text)
    }

    fn message(&self, text: impl Into<ContentBlock>) -> Told {
        self.chunk("a", SessionUpdate::AgentMessageChunk, text)
    }

    fn chunk(
        &self,
        kind: &str,
        of: impl FnOnce(ContentChunk) -> SessionUpdate,
        text: impl Into<ContentBlock>,
    ) -> Told {
        let id = format!("{kind}{}", self.messages);
        update(of(ContentChunk::new(text.into()).message_id(id.as_str())))
    }

    /// What the answer rests on, behind it.
    fn sources(&mut self) -> Option<Told> {
        let citations = std::mem::take(&mut self.citations);
        if citations.is_empty() {
            return None;
        }
        let line = |citation: &Citation| {
            let title = citation.title.as_deref().unwrap_or(&citation.uri);
            format!("\n- [{title}]({})", citation.uri)
        };
        let lines: String = citations.iter().map(line).collect();
        Some(self.message(format!("\n\nSources:{lines}")))
    }
}

fn titled(title: &str) -> Told {
    let info = SessionInfoUpdate::new().title(title.to_owned());
    update(SessionUpdate::SessionInfoUpdate(info))
}

fn update(update: SessionUpdate) -> Told {
    Told::Update(Box::new(update))
}

#[cfg(test)]
mod tests;

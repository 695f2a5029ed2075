//! The session's events in the protocol's words.

use std::time::{Duration, UNIX_EPOCH};

use pollux_agent::api::{
    AllEdits, AvoidedUntil, Decision, Event, FinishReason, Proposal, RecordedEnd, Todo, TodoStatus,
    TurnOutcome, Usage,
};

use super::{approval, context, tool};
use crate::protocol::{
    ApprovalScope, HunkDecision, ModelAvoidance, ProposedEdit, ProposedHunk, SessionEvent,
    TodoItem, TodoState, TokenUsage, TurnEnd,
};

/// Nothing for what concerns another door only.
pub(super) fn from(event: &Event) -> Option<SessionEvent> {
    Some(match event {
        Event::PromptTaken(_) | Event::PromptServed { .. } | Event::ToolTerminal { .. } => {
            return None;
        }
        Event::Opened {
            mode,
            model,
            title,
            context_window,
        } => SessionEvent::Opened {
            mode: approval::shown_mode(*mode),
            model: model.clone(),
            title: title.clone(),
            context_window: *context_window,
        },
        Event::CommandAnswered { command, text } => SessionEvent::CommandAnswered {
            command: command.clone(),
            text: text.clone(),
        },
        Event::Titled(title) => SessionEvent::Titled {
            title: title.clone(),
        },
        Event::ContextSent(sent) => SessionEvent::ContextSent {
            turn: sent.turn.0,
            items: sent.items.iter().map(context::item).collect(),
        },
        Event::PromptQueued {
            id,
            text,
            attachments,
        } => SessionEvent::PromptQueued {
            id: id.0,
            text: text.clone(),
            attachments: attachments.iter().map(context::label).collect(),
        },
        Event::PromptUnqueued(id) => SessionEvent::PromptUnqueued { id: id.0 },
        Event::PromptEdited { id, text } => SessionEvent::PromptEdited {
            id: id.0,
            text: text.clone(),
        },
        Event::QueueOrdered(order) => SessionEvent::QueueOrdered {
            order: order.iter().map(|id| id.0).collect(),
        },
        Event::TurnStarted {
            turn,
            prompt,
            model,
            attachments,
        } => SessionEvent::TurnStarted {
            turn: turn.0,
            prompt: prompt.clone(),
            model: model.clone(),
            attachments: attachments.iter().map(context::label).collect(),
        },
        Event::PromptSteered(text) => SessionEvent::PromptSteered { text: text.clone() },
        Event::TextReceived(text) => SessionEvent::Text { text: text.clone() },
        Event::ThoughtReceived(thought) => SessionEvent::Thought {
            subject: thought.subject.clone(),
            description: thought.description.clone(),
        },
        Event::CitationReceived(citation) => SessionEvent::Citation {
            title: citation.title.clone(),
            uri: citation.uri.clone(),
        },
        Event::RequestRetried(retry) => SessionEvent::RequestRetried {
            attempt: retry.attempt,
            attempts: retry.attempts,
            delay_ms: milliseconds(retry.delay),
            retry_at_ms: retry
                .at
                .and_then(|at| at.duration_since(UNIX_EPOCH).ok())
                .map(milliseconds),
            reason: retry.error.to_string(),
        },
        Event::RetryStarted => SessionEvent::RetryStarted {},
        Event::ModelChanged {
            from,
            to,
            reason,
            avoided_until,
        } => SessionEvent::ModelChanged {
            from: from.clone(),
            to: to.clone(),
            reason: reason.clone(),
            avoided_until: match avoided_until {
                AvoidedUntil::NextTurn => ModelAvoidance::NextTurn,
                AvoidedUntil::For(time) => ModelAvoidance::Time {
                    ms: milliseconds(*time),
                },
                AvoidedUntil::SessionEnd => ModelAvoidance::SessionEnd,
            },
        },
        Event::ModelChosen { model, reason, .. } => SessionEvent::ModelChosen {
            model: model.clone(),
            reason: reason.clone(),
        },
        Event::HistoryCompressed {
            before,
            after,
            status,
        } => SessionEvent::HistoryCompressed {
            before: *before,
            after: *after,
            status: status.name().to_owned(),
        },
        // Every view shows what a command says.
        Event::RecordingStopped { reason, .. } => SessionEvent::CommandAnswered {
            command: "record".to_owned(),
            text: format!("From here on the conversation is not recorded: {reason}."),
        },
        Event::Rewound { turn } => SessionEvent::Rewound { turn: turn.0 },
        Event::UtilityUsed { task, model, usage } => SessionEvent::UtilityUsed {
            task: task.clone(),
            model: model.clone(),
            usage: tokens(*usage),
        },
        Event::CostGrown(cost) => SessionEvent::Cost {
            turn: cost.turn,
            session: cost.session,
            currency: cost.currency.clone(),
        },
        Event::AnswerDiscarded { reason } => SessionEvent::AnswerDiscarded {
            reason: reason.clone(),
        },
        Event::AnswerEnded {
            reason,
            usage,
            context_window,
        } => SessionEvent::AnswerEnded {
            reason: finish(reason),
            usage: tokens(*usage),
            context_window: *context_window,
        },
        Event::ToolStarted {
            call,
            title,
            parent,
        } => tool::started(call, title, parent.as_ref()),
        Event::ToolEnded {
            call,
            outcome,
            report,
        } => tool::ended(call, outcome, report),
        Event::HunksDecided(counts) => SessionEvent::HunksDecided {
            turn: counts.turn.0,
            path: counts.path.clone(),
            kept: counts.kept as u64,
            rejected: counts.rejected as u64,
            pending: counts.pending as u64,
            conflicts: counts.conflicts as u64,
        },
        Event::EditProposed(proposal) => SessionEvent::EditProposed(edit(proposal)),
        Event::EditMade(proposal) => SessionEvent::EditMade(edit(proposal)),
        Event::EditContested {
            proposal,
            conflicts,
        } => SessionEvent::EditContested {
            proposal: proposal.0,
            conflicts: *conflicts as u64,
        },
        Event::EditDecided {
            proposal,
            decisions,
            by,
        } => SessionEvent::EditDecided {
            proposal: proposal.0,
            decisions: decisions.iter().map(decision).collect(),
            by: by.as_ref().map(|window| window.0.to_string()),
        },
        Event::ApprovalRequested(asked) => {
            SessionEvent::ApprovalRequested(approval::request(asked))
        }
        Event::ApprovalEnded {
            approval: number,
            answer,
            by,
        } => SessionEvent::ApprovalEnded {
            approval: number.0,
            answer: answer.as_ref().map(approval::answered),
            by: by.as_ref().map(|window| window.0.to_string()),
        },
        Event::NotRemembered { message } => SessionEvent::ApprovalNotRemembered {
            reason: message.clone(),
        },
        Event::HookSaid { message } => SessionEvent::HookSaid {
            message: message.clone(),
        },
        Event::ToolPrinted { call, text } => SessionEvent::ToolPrinted {
            call: call.to_string(),
            text: text.clone(),
        },
        Event::ToolProgressed { call, progress } => SessionEvent::ToolProgress {
            call: call.to_string(),
            message: progress.message.clone(),
            done: progress.done,
            total: progress.total,
        },
        Event::ModeChanged(mode) => SessionEvent::ModeChanged {
            mode: approval::shown_mode(*mode),
        },
        Event::TodosChanged(todos) => SessionEvent::Todos {
            todos: todos.iter().map(todo).collect(),
        },
        Event::TopicChanged(topic) => SessionEvent::Topic {
            title: topic.title.clone(),
            summary: topic.summary.clone(),
            intent: topic.intent.clone(),
        },
        Event::OpRefused(refusal) => SessionEvent::Refused {
            reason: refusal.to_string(),
        },
        Event::TurnEnded { turn, outcome } => SessionEvent::TurnEnded {
            turn: turn.0,
            outcome: turn_end(outcome),
            message: outcome.message(),
        },
    })
}

fn todo(todo: &Todo) -> TodoItem {
    TodoItem {
        description: todo.description.clone(),
        status: match todo.status {
            TodoStatus::Pending => TodoState::Pending,
            TodoStatus::InProgress => TodoState::InProgress,
            TodoStatus::Completed => TodoState::Completed,
            TodoStatus::Cancelled => TodoState::Cancelled,
            TodoStatus::Blocked => TodoState::Blocked,
        },
    }
}

fn finish(reason: &FinishReason) -> String {
    match reason {
        FinishReason::Stop => "stop",
        FinishReason::MaxTokens => "maxTokens",
        FinishReason::Safety => "safety",
        FinishReason::Recitation => "recitation",
        FinishReason::MalformedFunctionCall => "malformedFunctionCall",
        FinishReason::UnexpectedToolCall => "unexpectedToolCall",
        FinishReason::Other(reason) => reason,
    }
    .to_owned()
}

fn tokens(usage: Usage) -> TokenUsage {
    TokenUsage {
        prompt: usage.prompt_tokens,
        cached: usage.cached_tokens,
        answer: usage.answer_tokens,
        thoughts: usage.thought_tokens,
        tools: usage.tool_tokens,
        total: usage.total_tokens,
    }
}

fn decision(decision: &Decision) -> HunkDecision {
    match decision {
        Decision::Keep => HunkDecision::Keep,
        Decision::Reject => HunkDecision::Reject,
    }
}

fn edit(proposal: &Proposal) -> ProposedEdit {
    let line = |line: usize| u32::try_from(line).unwrap_or(u32::MAX);
    let hunks = proposal.hunks.iter().map(|hunk| ProposedHunk {
        base_line: line(proposal.above + hunk.base_lines().start),
        removed: hunk.base_text(&proposal.base).to_owned(),
        line: line(proposal.above + hunk.current_lines().start),
        added: hunk.current_text(&proposal.proposed).to_owned(),
    });
    ProposedEdit {
        proposal: proposal.id.0,
        call: proposal.call.to_string(),
        path: proposal.path.to_string(),
        hunks: hunks.collect(),
        all_edits: match proposal.all_edits {
            AllEdits::Offered => vec![ApprovalScope::Session],
            AllEdits::NotOffered => Vec::new(),
        },
    }
}

fn turn_end(outcome: &TurnOutcome) -> TurnEnd {
    match outcome {
        TurnOutcome::Completed => TurnEnd::Completed,
        TurnOutcome::Cancelled | TurnOutcome::Unattended => TurnEnd::Cancelled,
        TurnOutcome::Interrupted => TurnEnd::Interrupted,
        TurnOutcome::Declined => TurnEnd::Declined,
        TurnOutcome::StoppedByHook { .. } => TurnEnd::Stopped,
        TurnOutcome::Failed(_)
        | TurnOutcome::InvalidAnswer(_)
        | TurnOutcome::Recorded {
            end: RecordedEnd::Failed,
            ..
        } => TurnEnd::Failed,
        TurnOutcome::RoundLimitReached { .. }
        | TurnOutcome::LoopDetected(_)
        | TurnOutcome::ContextOverflow(_)
        | TurnOutcome::SessionLimitReached { .. }
        | TurnOutcome::Recorded {
            end: RecordedEnd::Limited,
            ..
        } => TurnEnd::Limited,
    }
}

pub(super) fn milliseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

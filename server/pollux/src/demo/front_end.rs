//! Shows the session's events and asks about its edits.

use std::collections::BTreeSet;
use std::io::{self, Write};
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::Context;
use pollux_agent::api::{
    self, Approval, CallId, Decision, Event, Op, Proposal, Subject, ToolOutcome, TurnOutcome,
};
use pollux_agent::{SessionHandle, WorkspacePath};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use super::calls::{Calls, Shown};
use super::diff_view::Edit;
use super::input::Input;
use super::{Workspace, WorkspaceKind, diff_view, sample};
use crate::terminal::{Screen, Style};

const PROMPT: &str =
    "Why does the upload retry for ever? Make the program do what its README says.";

/// Shells give a program that Ctrl+C ended this status.
const INTERRUPTED: u8 = 130;

pub(super) struct FrontEnd<W> {
    screen: Screen<W>,
    input: Input,
    session: SessionHandle,
    interrupt: CancellationToken,
    asking: Asking,
    calls: Calls,
    /// The edit that the running tool call proposed, and how many of its hunks are kept.
    reviewed: Option<(Arc<Proposal>, usize)>,
    /// The files that changed in this turn.
    written: BTreeSet<WorkspacePath>,
}

/// Whether the person is asked about hunks, or why not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Asking {
    Person,
    Ended(Silence),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Silence {
    NoTerminal,
    EndOfInput,
    Quit,
}

/// What a person is asked about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Question {
    Hunk,
    Permission,
}

/// What the person wants with a hunk.
enum Answer {
    Keep,
    Reject,
    KeepRest,
    RejectRest(Silence),
    Stop,
}

impl<W: Write> FrontEnd<W> {
    pub(super) fn new(
        screen: Screen<W>,
        input: Input,
        session: SessionHandle,
        interrupt: CancellationToken,
    ) -> Self {
        let asking = if input.has_person() {
            Asking::Person
        } else {
            Asking::Ended(Silence::NoTerminal)
        };
        Self {
            screen,
            input,
            session,
            interrupt,
            asking,
            calls: Calls::default(),
            reviewed: None,
            written: BTreeSet::new(),
        }
    }

    /// Plays one turn from the prompt to the closing lines.
    pub(super) async fn play(
        mut self,
        mut events: mpsc::Receiver<Event>,
        workspace: &Workspace,
    ) -> anyhow::Result<ExitCode> {
        let root = workspace.root.display().to_string();
        self.screen.line(&[
            (Style::Bold, "Pollux demo"),
            (Style::Dim, " in "),
            (Style::Plain, &root),
        ])?;
        self.screen.blank()?;
        self.screen
            .line(&[(Style::Dim, "▌ "), (Style::Plain, PROMPT)])?;
        self.screen.blank()?;
        self.session.submit(Op::Queue(PROMPT.into())).await?;
        let interrupt = self.interrupt.clone();
        let mut stopping = false;
        let outcome = loop {
            let event = tokio::select! {
                biased;
                () = interrupt.cancelled(), if !stopping => {
                    stopping = true;
                    self.session.submit(Op::CancelTurn).await?;
                    continue;
                }
                event = events.recv() => event.context("the session ended in the middle of its turn")?,
            };
            if let Event::TurnEnded { outcome, .. } = event {
                break outcome;
            }
            self.show(event).await?;
        };
        self.close(&outcome, workspace)?;
        Ok(match outcome {
            TurnOutcome::Completed => ExitCode::SUCCESS,
            TurnOutcome::Cancelled => ExitCode::from(INTERRUPTED),
            TurnOutcome::Interrupted
            | TurnOutcome::Unattended
            | TurnOutcome::Declined
            | TurnOutcome::StoppedByHook { .. }
            | TurnOutcome::RoundLimitReached { .. }
            | TurnOutcome::Failed(_)
            | TurnOutcome::InvalidAnswer(_)
            | TurnOutcome::LoopDetected(_)
            | TurnOutcome::ContextOverflow(_)
            | TurnOutcome::SessionLimitReached { .. }
            | TurnOutcome::Recorded { .. } => ExitCode::FAILURE,
        })
    }

    async fn show(&mut self, event: Event) -> anyhow::Result<()> {
        match event {
            Event::TextReceived(text) => self.screen.prose(&text)?,
            Event::AnswerEnded { .. } => {
                self.screen.end_prose()?;
                self.screen.blank()?;
            }
            Event::ThoughtReceived(thought) => {
                let subject = format!("Thought: {}", thought.subject);
                self.screen.blank()?;
                self.screen.line(&[(Style::Dim, &subject)])?;
                self.screen.blank()?;
            }
            Event::ToolStarted { call, title, .. } => self.calls.started(call.id, title),
            Event::EditProposed(proposal) => self.review(proposal).await?,
            Event::ApprovalRequested(approval) => self.approve(&approval).await?,
            Event::ToolPrinted { call, text } => {
                self.calls.printed(&call, &text);
                self.show_calls()?;
            }
            Event::ToolEnded { call, outcome, .. } => {
                self.calls.ended(&call, outcome);
                self.show_calls()?;
            }
            Event::OpRefused(refusal) => {
                let text = format!("Refused: {refusal}.");
                self.screen.line(&[(Style::Plain, &text)])?;
            }
            // Our own doing, and shown by what asked for it.
            Event::TurnStarted { .. }
            | Event::PromptEdited { .. }
            | Event::QueueOrdered(_)
            | Event::EditDecided { .. }
            | Event::ApprovalEnded { .. }
            | Event::TurnEnded { .. } => {}
            // The demo sends one prompt to a model that is always there and quotes nobody, asks about every
            // edit, and remembers nothing.
            Event::Opened { .. }
            | Event::CommandAnswered { .. }
            | Event::Titled(_)
            | Event::ContextSent(_)
            | Event::HunksDecided(_)
            | Event::EditMade(_)
            | Event::EditContested { .. }
            | Event::NotRemembered { .. }
            | Event::HookSaid { .. }
            | Event::RecordingStopped { .. }
            | Event::ToolProgressed { .. }
            | Event::ToolTerminal { .. }
            | Event::ModeChanged(_)
            | Event::TodosChanged(_)
            | Event::TopicChanged(_)
            | Event::ModelChosen { .. }
            | Event::HistoryCompressed { .. }
            | Event::Rewound { .. }
            | Event::UtilityUsed { .. }
            | Event::CostGrown(_)
            | Event::PromptQueued { .. }
            | Event::PromptUnqueued(_)
            | Event::PromptTaken(_)
            | Event::PromptServed { .. }
            | Event::PromptSteered(_)
            | Event::CitationReceived(_)
            | Event::RequestRetried(_)
            | Event::RetryStarted
            | Event::ModelChanged { .. }
            | Event::AnswerDiscarded { .. } => {}
        }
        Ok(())
    }

    /// Shows what there is to show about the running calls.
    fn show_calls(&mut self) -> io::Result<()> {
        while let Some(next) = self.calls.next() {
            match next {
                Shown::Title(title) => self.show_title(&title)?,
                Shown::Printed(text) => self.screen.printed(&text)?,
                Shown::Ended(call, outcome) => self.show_tool_end(&call, &outcome)?,
            }
        }
        Ok(())
    }

    /// Begins the line of a call.
    fn show_title(&mut self, title: &str) -> io::Result<()> {
        self.screen
            .start(&[(Style::Dim, "› "), (Style::Plain, title)])
    }

    /// Whatever is shown next is a question about this call.
    fn turn_to(&mut self, call: &CallId) -> io::Result<()> {
        match self.calls.asked_about(call) {
            Some(title) => self.show_title(&title),
            None => Ok(()),
        }
    }

    /// Shows what the agent wants to do, asks, and sends the answer.
    async fn approve(&mut self, approval: &Approval) -> anyhow::Result<()> {
        if let Some(call) = &approval.call {
            self.turn_to(call)?;
        }
        if let Subject::Command {
            command, cautions, ..
        } = &approval.subject
        {
            self.screen
                .line(&[(Style::Code, &format!("  $ {command}"))])?;
            for caution in cautions {
                self.screen
                    .line(&[(Style::Removed, "  ⚠ "), (Style::Plain, caution)])?;
            }
        }
        let answer = match self.asking {
            Asking::Ended(_) => Answer::Reject,
            Asking::Person => self.ask("Allow this? ", Question::Permission).await?,
        };
        let answer = match answer {
            Answer::Keep | Answer::KeepRest => api::Answer::Allow,
            Answer::Reject => denied("Not now; go on without it."),
            Answer::RejectRest(silence) => {
                self.asking = Asking::Ended(silence);
                denied("Not now; go on without it.")
            }
            // The turn loop sees the same interrupt and cancels the turn.
            Answer::Stop => return Ok(()),
        };
        let approval = approval.id;
        let by = None;
        let op = Op::Answer {
            approval,
            answer,
            by,
        };
        self.session.submit(op).await?;
        Ok(())
    }

    /// Shows the hunks one by one, asks about each, and sends the decisions.
    async fn review(&mut self, proposal: Arc<Proposal>) -> anyhow::Result<()> {
        self.turn_to(&proposal.call)?;
        let mut decisions = Vec::with_capacity(proposal.hunks.len());
        let mut keep_rest = false;
        for index in 0..proposal.hunks.len() {
            diff_view::show(&mut self.screen, &Edit::from(&*proposal), index)?;
            let answer = match self.asking {
                Asking::Ended(_) => Answer::Reject,
                Asking::Person if keep_rest => Answer::Keep,
                Asking::Person => self.ask("Keep this hunk? ", Question::Hunk).await?,
            };
            decisions.push(match answer {
                Answer::Keep => Decision::Keep,
                Answer::Reject => Decision::Reject,
                Answer::KeepRest => {
                    keep_rest = true;
                    Decision::Keep
                }
                Answer::RejectRest(silence) => {
                    self.asking = Asking::Ended(silence);
                    Decision::Reject
                }
                // The turn loop sees the same interrupt and cancels the turn.
                Answer::Stop => return Ok(()),
            });
        }
        // Half an answer about a file is no answer.
        if self.asking == Asking::Ended(Silence::EndOfInput) {
            decisions.fill(Decision::Reject);
        }
        let kept = decisions
            .iter()
            .filter(|decision| **decision == Decision::Keep);
        self.reviewed = Some((Arc::clone(&proposal), kept.count()));
        let proposal = proposal.id;
        self.session
            .submit(Op::Decide {
                proposal,
                decisions,
                by: None,
            })
            .await?;
        Ok(())
    }

    async fn ask(&mut self, text: &str, question: Question) -> anyhow::Result<Answer> {
        let keys = match question {
            Question::Hunk => "y yes, n no, a all, q quit, then Enter: ",
            Question::Permission => "y yes, n no, q quit, then Enter: ",
        };
        loop {
            self.screen
                .start(&[(Style::Bold, text), (Style::Plain, keys)])?;
            let line = tokio::select! {
                biased;
                () = self.interrupt.cancelled() => return Ok(Answer::Stop),
                line = self.input.line() => line,
            };
            let Some(line) = line else {
                return Ok(Answer::RejectRest(Silence::EndOfInput));
            };
            self.screen.typed();
            match line.trim().to_lowercase().as_str() {
                "y" | "yes" => return Ok(Answer::Keep),
                "n" | "no" => return Ok(Answer::Reject),
                "a" | "all" if question == Question::Hunk => return Ok(Answer::KeepRest),
                "q" | "quit" => return Ok(Answer::RejectRest(Silence::Quit)),
                _ if question == Question::Hunk => self.explain()?,
                _ => {}
            }
        }
    }

    fn explain(&mut self) -> io::Result<()> {
        for line in [
            "  y  keep this hunk",
            "  n  reject this hunk",
            "  a  keep this hunk and the rest of this edit",
            "  q  reject this hunk and everything after it",
        ] {
            self.screen.line(&[(Style::Dim, line)])?;
        }
        Ok(())
    }

    fn show_tool_end(&mut self, call: &CallId, outcome: &ToolOutcome) -> io::Result<()> {
        let edit = self
            .reviewed
            .take_if(|(proposal, _)| proposal.call == *call);
        let Some((proposal, kept)) = edit else {
            return match outcome {
                ToolOutcome::Succeeded { summary } => self
                    .screen
                    .finish(&[(Style::Dim, "  "), (Style::Dim, summary)]),
                ToolOutcome::Failed { message, .. } => self
                    .screen
                    .finish(&[(Style::Removed, "  ✕ "), (Style::Plain, message)]),
                ToolOutcome::Cancelled => self.screen.end_line(),
            };
        };
        let total = proposal.hunks.len();
        let path = &proposal.path;
        let hunks = if total == 1 { "hunk" } else { "hunks" };
        let (mark, text) = match (outcome, self.asking) {
            (ToolOutcome::Succeeded { .. }, _) if kept > 0 => {
                self.written.insert(path.clone());
                let text = format!("{kept} of {total} {hunks} kept, {path} written");
                ((Style::Added, "✓ "), text)
            }
            (ToolOutcome::Succeeded { .. }, asking) => {
                let why = match asking {
                    Asking::Person => "rejected",
                    Asking::Ended(Silence::Quit) => "you quit",
                    Asking::Ended(Silence::NoTerminal) => "there is no terminal to answer from",
                    Asking::Ended(Silence::EndOfInput) => "the input ended without an answer",
                };
                (
                    (Style::Removed, "✕ "),
                    format!("Nothing written to {path}: {why}"),
                )
            }
            (ToolOutcome::Failed { message, .. }, _) => {
                ((Style::Removed, "✕ "), format!("{path}: {message}"))
            }
            (ToolOutcome::Cancelled, _) => return self.screen.end_line(),
        };
        self.screen.line(&[mark, (Style::Plain, &text)])?;
        self.screen.blank()
    }

    fn close(&mut self, outcome: &TurnOutcome, workspace: &Workspace) -> io::Result<()> {
        self.screen.end_prose()?;
        self.screen.blank()?;
        let ended = match outcome {
            TurnOutcome::Completed => "Done".to_owned(),
            TurnOutcome::Cancelled => "Stopped".to_owned(),
            other => format!("Stopped: {}", other.message()),
        };
        let written: Vec<String> = self.written.iter().map(ToString::to_string).collect();
        let result = match written.split_last() {
            None => "Nothing was written.".to_owned(),
            Some((only, [])) => format!("Written: {only}."),
            Some((last, others)) => format!("Written: {} and {last}.", others.join(", ")),
        };
        self.screen.line(&[
            (Style::Bold, &format!("{ended}. ")),
            (Style::Plain, &result),
        ])?;
        let root = workspace.root.display();
        match workspace.kind {
            WorkspaceKind::Sample if sample::remove_untouched(&workspace.root) => {
                let text = "The sample is as it was, and its folder is removed again.";
                self.screen.line(&[(Style::Plain, text)])
            }
            WorkspaceKind::Sample => {
                self.screen
                    .line(&[(Style::Plain, "The sample stays for you to look at:")])?;
                self.screen
                    .line(&[(Style::Code, &format!("  cd {root} && cargo test"))])
            }
            WorkspaceKind::Given => Ok(()),
        }
    }
}

fn denied(feedback: &str) -> api::Answer {
    api::Answer::Deny {
        feedback: Some(feedback.to_owned()),
    }
}

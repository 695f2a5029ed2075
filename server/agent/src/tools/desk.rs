use std::path::PathBuf;
use std::sync::Arc;

use pollux_model::{Content, FunctionCall, ModelError, Request};
use pollux_policy::Presence;
use tokio_util::sync::CancellationToken;

use super::params::Params;
use super::untrusted;
use super::{ErrorKind, ToolError};
use crate::agents::Delegate;
use crate::api::{
    AllEdits, Answer, Approval, ApprovalId, ApprovalMode, Decision, Event, Progress, Proposal,
    ProposalId, Question, Subject, Target, TurnId,
};
use crate::mode::SharedMode;
use crate::scheduler::{Judged, answer_to, policy_call};
use crate::topic::SharedTopic;
use crate::turn::{EditAnswer, Events, Pending, Running};
use crate::utility::Asking;
use crate::{EditOrigin, Replies, SessionConfig, Standing, Voice, WorkspacePath, Written};

/// What one tool call has at hand. Everything that waits here ends when the turn is cancelled, except a write.
pub(crate) struct Desk<'turn> {
    pub(crate) call: &'turn FunctionCall,
    pub(crate) config: &'turn SessionConfig,
    pub(crate) events: &'turn Events,
    pub(crate) pending: &'turn Pending,
    /// The calls that can be stopped.
    pub(crate) running: &'turn Running,
    pub(crate) mode: &'turn SharedMode,
    pub(crate) topic: &'turn SharedTopic,
    pub(crate) cancel: &'turn CancellationToken,
    pub(crate) turn: TurnId,
    /// What the policy or the person has said about the call.
    pub(crate) consent: Consent,
    pub(crate) caller: Caller,
    /// The verdict that let the call come this far; `None` before it has.
    pub(crate) judged: Option<Judged>,
}

/// Whose idea a call is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Caller {
    Model,
    /// They typed it. It is judged and asked about all the same: text can be pasted, and a rule is a rule.
    Person,
}

/// Whether a call may have its effect.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Consent {
    Given,
    /// Given by the policy because the call only reads, and as far as it does.
    ReadOnly,
    /// The person decides about the edit, hunk by hunk.
    InReview,
    /// The person has answered, and the answer means something to the tool.
    Answered(Answer),
}

impl Desk<'_> {
    pub(crate) fn params(&self) -> Params<'_> {
        Params::new(&self.call.args)
    }

    /// The file that the parameter `file_path` names.
    pub(crate) fn path(&self) -> Result<WorkspacePath, ToolError> {
        self.path_in("file_path")
    }

    /// The file that an edit is for. In plan mode a bare name means the folder of plans, and nothing else is written to.
    pub(crate) fn edited_path(&self) -> Result<WorkspacePath, ToolError> {
        if self.mode.get() != ApprovalMode::Plan {
            return self.path();
        }
        let spelled = self.params().string("file_path")?;
        let Some(plans) = self.config.tools.plans() else {
            let told = "in plan mode nothing is written, and this session has no folder for plans";
            return Err(ToolError::new(ErrorKind::PolicyViolation, told));
        };
        let place = plans.plan_place(&self.config.root, spelled)?;
        let place = place.to_string_lossy();
        WorkspacePath::within(&self.config.root, &self.config.places, &place)
            .map_err(|error| ToolError::path(&place, &error))
    }

    /// The file or folder that a parameter names.
    pub(crate) fn path_in(&self, parameter: &'static str) -> Result<WorkspacePath, ToolError> {
        let spelled = self.params().string(parameter)?;
        WorkspacePath::within(&self.config.root, &self.config.places, spelled)
            .map_err(|error| ToolError::path(spelled, &error))
    }

    /// Where a path of the workspace lies.
    pub(crate) fn absolute(&self, path: &WorkspacePath) -> PathBuf {
        self.config.root.join(path.as_path())
    }

    pub(crate) async fn read(&self, path: &WorkspacePath) -> Result<String, ToolError> {
        self.or_cancelled(self.config.files.read(path))
            .await?
            .map_err(ToolError::from)
    }

    /// Waits for something that has no effect, but not longer than the turn lasts.
    pub(crate) async fn or_cancelled<T>(
        &self,
        waiting: impl Future<Output = T>,
    ) -> Result<T, ToolError> {
        tokio::select! {
            biased;
            () = self.cancel.cancelled() => Err(ToolError::cancelled()),
            done = waiting => Ok(done),
        }
    }

    /// Shows the person what the tool prints.
    pub(crate) async fn print(&self, text: String) {
        let call = self.call.id.clone();
        self.events.emit(Event::ToolPrinted { call, text }).await;
    }

    /// Asks a model beside the conversation.
    pub(crate) async fn generate(
        &self,
        task: &str,
        voice: Voice,
        contents: Vec<Content>,
    ) -> Result<pollux_model::Answer, ModelError> {
        let request = Request {
            contents,
            generation: voice.generation,
            ..Request::default()
        };
        let asking = Asking {
            task,
            events: self.events,
            cancel: self.cancel,
        };
        asking.generate(&voice.model, request).await
    }

    /// Marks text that came from outside, and remembers it.
    pub(crate) fn untrusted(&self, text: &str) -> String {
        self.config.tools.watched().heard(text);
        untrusted::wrap(text)
    }

    /// Puts questions to the person in the midst of a call. Nothing: nobody is there, or nobody wants to answer.
    pub(crate) async fn ask(
        &self,
        reason: String,
        questions: Vec<Question>,
    ) -> Result<Option<Replies>, ToolError> {
        if self.config.gate.presence() == Presence::Headless {
            return Ok(None);
        }
        let approval = Approval {
            id: ApprovalId(self.pending.number()),
            call: Some(self.call.id.clone()),
            tool: self.call.name.clone(),
            title: self.config.tools.title(self.call),
            reason,
            rule: None,
            offers: Vec::new(),
            subject: Subject::Questions(questions),
        };
        match answer_to(self.pending, self.events, self.cancel, approval, None).await? {
            Answer::Replies(replies) => Ok(Some(replies)),
            _ => Ok(None),
        }
    }

    /// Shows the person how far the tool is.
    pub(crate) async fn progress(&self, progress: Progress) {
        let call = self.call.id.clone();
        let progressed = Event::ToolProgressed { call, progress };
        self.events.emit(progressed).await;
    }

    /// From here on the session asks more or less.
    pub(crate) async fn set_mode(&self, mode: ApprovalMode) {
        if self.mode.set_by_tool(mode) {
            self.events.emit(Event::ModeChanged(mode)).await;
        }
    }

    /// Shows an edit, and waits for the person's decisions about it unless they are not asked.
    pub(crate) async fn propose(
        &self,
        path: &WorkspacePath,
        target: Target,
        base: &str,
        proposed: &str,
    ) -> Result<Reviewed, ToolError> {
        let proposal = Arc::new(Proposal::new(
            ProposalId(self.pending.number()),
            self.call.id.clone(),
            path.clone(),
            target,
            base,
            proposed,
            self.all_edits(),
        ));
        let hunks = proposal.hunks.len();
        if self.consent != Consent::InReview {
            return Ok(Reviewed {
                proposal,
                decisions: vec![Decision::Keep; hunks],
                wording: Wording::Model,
            });
        }
        let answer = self.pending.open_edit(proposal.id, hunks);
        let wait = self
            .pending
            .begin_wait(self.events.waiting_calls(Some(&self.call.id)));
        let shown = Event::EditProposed(Arc::clone(&proposal));
        self.events.emit(shown).await;
        let answer = tokio::select! {
            biased;
            () = self.cancel.cancelled() => None,
            answer = answer => answer.ok(),
        };
        drop(wait);
        let Some(answer) = answer else {
            self.pending.withdraw(proposal.id.0);
            return Err(ToolError::cancelled());
        };
        let decisions = match &answer {
            EditAnswer::Hunks(decisions) => decisions.clone(),
            EditAnswer::Whole(Answer::Deny { .. }) => vec![Decision::Reject; hunks],
            EditAnswer::Whole(_) => vec![Decision::Keep; hunks],
        };
        let decided = Event::EditDecided {
            proposal: proposal.id,
            decisions: match (hunks, &answer) {
                (0, EditAnswer::Whole(Answer::Deny { .. })) => vec![Decision::Reject],
                (0, _) => vec![Decision::Keep],
                _ => decisions.clone(),
            },
            by: self.pending.answered_in(proposal.id.0),
        };
        self.events.emit(decided).await;
        self.reviewed(proposal, decisions, answer).await
    }

    async fn reviewed(
        &self,
        proposal: Arc<Proposal>,
        decisions: Vec<Decision>,
        answer: EditAnswer,
    ) -> Result<Reviewed, ToolError> {
        match answer {
            EditAnswer::Whole(Answer::Deny { feedback }) => {
                return Err(ToolError::denied_by_person(feedback.as_deref()));
            }
            EditAnswer::Whole(Answer::AllowWith { content }) => {
                let own = Proposal::new(
                    ProposalId(self.pending.number()),
                    proposal.call.clone(),
                    proposal.path.clone(),
                    proposal.target,
                    &proposal.base,
                    &content,
                    proposal.all_edits,
                );
                return Ok(Reviewed {
                    decisions: vec![Decision::Keep; own.hunks.len()],
                    proposal: Arc::new(own),
                    wording: Wording::Person,
                });
            }
            EditAnswer::Whole(Answer::Always { .. }) => self.stop_asking_about_edits().await,
            EditAnswer::Hunks(_) | EditAnswer::Whole(_) => {}
        }
        Ok(Reviewed {
            proposal,
            decisions,
            wording: Wording::Model,
        })
    }

    fn all_edits(&self) -> AllEdits {
        let may_enter = self.config.gate.may_enter(ApprovalMode::AutoEdit);
        match may_enter && self.mode.get() == ApprovalMode::Default {
            true => AllEdits::Offered,
            false => AllEdits::NotOffered,
        }
    }

    /// Whoever does not want to be asked about edits is not asked about any, where the folder's trust allows that.
    async fn stop_asking_about_edits(&self) {
        if self.mode.get() >= ApprovalMode::AutoEdit {
            return;
        }
        if self.all_edits() == AllEdits::Offered {
            return self.set_mode(ApprovalMode::AutoEdit).await;
        }
        let message = "edits go on being asked about, because of the mode or of the folder's trust"
            .to_owned();
        self.events.emit(Event::NotRemembered { message }).await;
    }

    /// Writes what was decided. Not raced against cancelling: a decision that was made is carried out whole.
    pub(crate) async fn apply(&self, reviewed: &Reviewed) -> Result<Written, ToolError> {
        let proposal = &reviewed.proposal;
        let text = proposal.decided(&reviewed.decisions);
        let is_nothing = match proposal.target {
            Target::File => *text == *proposal.base,
            // An empty file has no hunks to keep, and is a file all the same.
            Target::NewFile => text.is_empty() && !reviewed.decisions.is_empty(),
        };
        if is_nothing {
            return Ok(Written::default());
        }
        if let Some(judged) = &self.judged {
            // The person may have looked at the edit for long.
            let agent = self.events.delegate().map(Delegate::name);
            let call = policy_call(None, agent, self.call);
            judged.expect_unchanged(&*self.config.gate, &call)?;
        }
        let files = &self.config.files;
        let (path, origin) = (&proposal.path, self.origin());
        let written = match proposal.target {
            Target::File => files.write(path, &proposal.base, &text, &origin).await?,
            Target::NewFile => files.create(path, &text, &origin).await?,
        };
        self.config.tools.watched().wrote(proposal.path.as_path());
        if self.consent != Consent::InReview || reviewed.wording == Wording::Person {
            let made = Event::EditMade(Arc::clone(proposal));
            self.events.emit(made).await;
        }
        if !written.conflicts.is_empty() {
            let contested = Event::EditContested {
                proposal: proposal.id,
                conflicts: written.conflicts.len(),
            };
            self.events.emit(contested).await;
        }
        Ok(written)
    }

    /// Whoever has decided hunk by hunk, or wants to decide nothing at all, is not asked to look again.
    fn origin(&self) -> EditOrigin {
        let standing = match (&self.consent, self.mode.get()) {
            (Consent::InReview, _) | (_, ApprovalMode::Yolo) => Standing::Kept,
            (Consent::Given | Consent::ReadOnly | Consent::Answered(_), _) => Standing::Pending,
        };
        EditOrigin {
            turn: self.turn,
            call: self.call.id.clone(),
            standing,
            cancel: self.cancel.clone(),
        }
    }

    /// What the person answered, for a tool whose whole purpose that is.
    pub(crate) fn answer(&self) -> Result<&Answer, ToolError> {
        match &self.consent {
            Consent::Answered(answer) => Ok(answer),
            Consent::Given | Consent::ReadOnly | Consent::InReview => Err(ToolError::new(
                ErrorKind::ExecutionFailed,
                "there is nobody who could answer",
            )),
        }
    }
}

/// A proposed edit with its decisions.
pub(crate) struct Reviewed {
    pub(crate) proposal: Arc<Proposal>,
    pub(crate) decisions: Vec<Decision>,
    pub(crate) wording: Wording,
}

/// Whose text was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wording {
    Model,
    /// The person has changed it before they agreed.
    Person,
}

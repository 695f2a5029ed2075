use std::sync::Arc;

use pollux_model::FunctionCall;
use tokio_util::sync::CancellationToken;

use super::error::ToolError;
use super::params::Params;
use crate::api::{Decision, Event, Proposal, ProposalId};
use crate::turn::{Events, Pending};
use crate::{SessionConfig, WorkspacePath};

/// What one tool call has at hand. Everything that waits here ends when the turn is cancelled, except a write.
pub(crate) struct Desk<'turn> {
    pub(crate) call: &'turn FunctionCall,
    pub(crate) config: &'turn SessionConfig,
    pub(crate) proposals: &'turn mut u64,
    pub(crate) events: &'turn Events,
    pub(crate) pending: &'turn Pending,
    pub(crate) cancel: &'turn CancellationToken,
}

impl Desk<'_> {
    pub(super) fn params(&self) -> Params<'_> {
        Params::new(&self.call.args)
    }

    /// The file that the parameter `file_path` names.
    pub(super) fn path(&self) -> Result<WorkspacePath, ToolError> {
        let spelled = self.params().string("file_path")?;
        Ok(WorkspacePath::new(&self.config.root, spelled)?)
    }

    pub(super) async fn read(&self, path: &WorkspacePath) -> Result<String, ToolError> {
        tokio::select! {
            biased;
            () = self.cancel.cancelled() => Err(ToolError::Cancelled),
            text = self.config.files.read(path) => Ok(text?),
        }
    }

    /// Shows an edit and waits for the person's decisions about it.
    pub(super) async fn propose(
        &mut self,
        path: &WorkspacePath,
        base: &str,
        proposed: &str,
    ) -> Result<Reviewed, ToolError> {
        *self.proposals += 1;
        let proposal = Arc::new(Proposal::new(
            ProposalId(*self.proposals),
            self.call.id.clone(),
            path.clone(),
            base,
            proposed,
        ));
        let answer = self.pending.open(&proposal);
        self.events
            .emit(Event::EditProposed(Arc::clone(&proposal)))
            .await;
        let decisions = tokio::select! {
            biased;
            () = self.cancel.cancelled() => None,
            decisions = answer => decisions.ok(),
        };
        let Some(decisions) = decisions else {
            self.pending.withdraw();
            return Err(ToolError::Cancelled);
        };
        let decided = Event::EditDecided {
            proposal: proposal.id,
            decisions: decisions.clone(),
        };
        self.events.emit(decided).await;
        Ok(Reviewed {
            proposal,
            decisions,
        })
    }

    /// Writes what was decided. Not raced against cancelling: a decision that was made is carried out whole.
    pub(super) async fn apply(&self, reviewed: &Reviewed) -> Result<(), ToolError> {
        let proposal = &reviewed.proposal;
        let text = proposal.decided(&reviewed.decisions);
        if *text == *proposal.base {
            return Ok(());
        }
        let files = &self.config.files;
        Ok(files.write(&proposal.path, &proposal.base, &text).await?)
    }
}

/// A proposed edit with its decisions.
pub(super) struct Reviewed {
    pub(super) proposal: Arc<Proposal>,
    pub(super) decisions: Vec<Decision>,
}

//! What the sessions of a host ask, for doors that have no view of their own to show it in.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use pollux_agent::SessionHandle;
use pollux_agent::api::{Approval, ApprovalId, Event, Proposal};
use tokio::sync::watch;

use crate::{LiveSession, SessionId};

/// A question that nobody has answered yet.
#[derive(Clone)]
pub struct OpenQuestion {
    pub session: SessionId,
    /// The session's folder.
    pub folder: PathBuf,
    /// Takes the answer.
    pub handle: SessionHandle,
    pub asked: Asked,
}

/// Questions quote files; a log gets the outline only.
impl fmt::Debug for OpenQuestion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OpenQuestion")
            .field("session", &self.session)
            .field("id", &self.asked.id())
            .finish_non_exhaustive()
    }
}

/// What is asked.
#[derive(Clone, Debug, PartialEq)]
pub enum Asked {
    Approval(Arc<Approval>),
    Edit(Arc<Proposal>),
}

impl Asked {
    /// The number that an answer names.
    pub fn id(&self) -> ApprovalId {
        match self {
            Self::Approval(approval) => approval.id,
            Self::Edit(proposal) => proposal.id.into(),
        }
    }
}

/// All open questions, oldest first.
pub(crate) struct Questions(watch::Sender<Vec<OpenQuestion>>);

impl Default for Questions {
    fn default() -> Self {
        Self(watch::Sender::new(Vec::new()))
    }
}

impl Questions {
    pub(crate) fn subscribe(&self) -> watch::Receiver<Vec<OpenQuestion>> {
        self.0.subscribe()
    }

    /// Keeps the list by what happens in a session.
    pub(crate) fn note(&self, live: &LiveSession, event: &Event) {
        match event {
            Event::ApprovalRequested(approval) => {
                self.open(live, Asked::Approval(Arc::clone(approval)));
            }
            Event::EditProposed(proposal) => self.open(live, Asked::Edit(Arc::clone(proposal))),
            Event::ApprovalEnded { approval, .. } => self.close(live, Some(*approval)),
            Event::EditDecided { proposal, .. } => self.close(live, Some((*proposal).into())),
            Event::TurnEnded { .. } => self.close(live, None),
            _ => {}
        }
    }

    fn open(&self, live: &LiveSession, asked: Asked) {
        self.0.send_modify(|open| {
            open.push(OpenQuestion {
                session: live.id.clone(),
                folder: live.folder.clone(),
                handle: live.handle.clone(),
                asked,
            });
        });
    }

    /// One question of a session, or all of them.
    pub(crate) fn close(&self, live: &LiveSession, id: Option<ApprovalId>) {
        self.0.send_if_modified(|open| {
            let before = open.len();
            open.retain(|question| {
                question.session != live.id || id.is_some_and(|id| question.asked.id() != id)
            });
            open.len() != before
        });
    }
}

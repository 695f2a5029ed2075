//! What the sessions of a host ask, for doors that have no view of their own to show it in.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use pollux_agent::SessionHandle;
use pollux_agent::api::{Approval, ApprovalId, Event, Proposal};
use tokio::sync::watch;

use crate::{LiveSession, SessionId, Sessions};

/// A question that nobody has answered yet.
#[derive(Clone)]
pub struct OpenQuestion {
    pub session: SessionId,
    pub asker: Asker,
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

/// Who asks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Asker {
    /// One of our own sessions, which is shown where sessions are.
    Session,
    /// An agent outside, by the name people know it by. Its questions are shown nowhere else.
    Guest(Arc<str>),
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

    /// Somebody else's question.
    pub(crate) fn add(&self, question: OpenQuestion) {
        self.0.send_modify(|open| open.push(question));
    }

    /// It is answered, or nobody wants to know any more.
    pub(crate) fn remove(&self, session: &SessionId, id: ApprovalId) {
        self.0.send_if_modified(|open| {
            let before = open.len();
            open.retain(|question| question.session != *session || question.asked.id() != id);
            open.len() != before
        });
    }

    fn open(&self, live: &LiveSession, asked: Asked) {
        self.0.send_modify(|open| {
            open.push(OpenQuestion {
                session: live.id.clone(),
                asker: Asker::Session,
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

/// A question of an agent outside, for as long as it wants the answer.
#[derive(Debug)]
pub struct GuestQuestion {
    sessions: Arc<Sessions>,
    session: SessionId,
    id: ApprovalId,
}

impl fmt::Debug for Sessions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sessions").finish_non_exhaustive()
    }
}

impl Sessions {
    /// Asks on behalf of an agent outside. The question goes when what is returned is dropped.
    pub fn ask(self: &Arc<Self>, question: OpenQuestion) -> GuestQuestion {
        let asked = GuestQuestion {
            sessions: Arc::clone(self),
            session: question.session.clone(),
            id: question.asked.id(),
        };
        self.open_questions().add(question);
        asked
    }
}

impl Drop for GuestQuestion {
    fn drop(&mut self) {
        self.sessions
            .open_questions()
            .remove(&self.session, self.id);
    }
}

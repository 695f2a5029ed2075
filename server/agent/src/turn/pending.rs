use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use pollux_model::FunctionCall;
use tokio::sync::oneshot;
use tokio::time::Instant;

use crate::api::{
    Answer, Approval, ApprovalId, ApprovalMode, CallId, Decision, Offer, ProposalId, Refusal,
    Scope, Subject, Window,
};
use crate::{Given, ServerTool};

/// The questions that a turn waits for, shared by the turn, which waits, and the session, which takes the answers:
/// so an answer that fits nothing is refused at once.
#[derive(Clone, Default)]
pub(crate) struct Pending(Arc<Mutex<Open>>);

#[derive(Default)]
struct Open {
    /// Of the last question; every question of a session has a number of its own.
    last: u64,
    waiting: BTreeMap<u64, Waiting>,
    /// Where somebody has last said something to a question, by its number.
    windows: BTreeMap<u64, Window>,
    /// What was answered about calls that are not taken down yet.
    given: BTreeMap<CallId, Given>,
    /// How long calls that have not ended have waited for a person.
    waits: BTreeMap<CallId, CallWait>,
}

/// The time in which at least one question about a call, or about a call of its sub-agent, was open.
#[derive(Default)]
struct CallWait {
    open: usize,
    since: Option<Instant>,
    total: Duration,
}

/// A call waits for a person until this is dropped.
pub(crate) struct WaitGuard {
    pending: Pending,
    calls: Vec<CallId>,
}

impl Drop for WaitGuard {
    fn drop(&mut self) {
        let mut open = self.pending.lock();
        for call in &self.calls {
            let Some(wait) = open.waits.get_mut(call) else {
                continue;
            };
            wait.open = wait.open.saturating_sub(1);
            if wait.open == 0
                && let Some(since) = wait.since.take()
            {
                wait.total += since.elapsed();
            }
        }
    }
}

enum Waiting {
    Edit {
        hunks: usize,
        answer: oneshot::Sender<EditAnswer>,
    },
    Approval {
        accepts: Accepts,
        answer: oneshot::Sender<Answer>,
    },
}

/// What somebody says about a proposed edit: hunk by hunk, or as a whole.
pub(crate) enum EditAnswer {
    Hunks(Vec<Decision>),
    Whole(Answer),
}

/// The call that somebody is asked about, as the gate is to judge it.
#[derive(Clone, Debug)]
pub(crate) struct Asked {
    pub(crate) call: FunctionCall,
    /// Where its tool is from, when a server brings it along.
    pub(crate) outside: Option<Arc<ServerTool>>,
    /// The sub-agent that makes it.
    pub(crate) agent: Option<String>,
    pub(crate) mode: ApprovalMode,
}

/// Which answers make sense.
#[derive(Clone, Debug)]
pub(crate) enum Accepts {
    Replies,
    Plan,
    /// About this call, in this mode.
    Offers(Vec<Offer>, Option<Box<Asked>>),
    /// Nothing can be saved about an edit, but a session can go on without asking.
    Edit,
}

impl Accepts {
    pub(crate) fn to(approval: &Approval, asked: Option<Asked>) -> Self {
        match &approval.subject {
            Subject::Questions(_) => Self::Replies,
            Subject::Plan { .. } => Self::Plan,
            Subject::Command { .. }
            | Subject::Fetch { .. }
            | Subject::EnterPlan { .. }
            | Subject::Stuck { .. }
            | Subject::Other { .. } => Self::Offers(approval.offers.clone(), asked.map(Box::new)),
        }
    }

    fn admits(&self, answer: &Answer) -> bool {
        match (self, answer) {
            (_, Answer::Deny { .. })
            | (Self::Offers(..) | Self::Plan | Self::Edit, Answer::Allow)
            | (Self::Edit, Answer::AllowWith { .. })
            | (Self::Replies, Answer::Replies(_))
            | (Self::Plan, Answer::CarryOut(_)) => true,
            (Self::Offers(offers, _), Answer::Always { offer, scope }) => offers
                .get(*offer)
                .is_some_and(|offer| offer.scopes.contains(scope)),
            (Self::Offers(offers, Some(_)), Answer::AlwaysBy { scope, .. }) => {
                offers.iter().any(|offer| offer.scopes.contains(scope))
            }
            (Self::Edit, Answer::Always { scope, .. }) => *scope == Scope::Session,
            _ => false,
        }
    }
}

impl Pending {
    /// So many questions were asked in earlier days.
    pub(crate) fn after(last: u64) -> Self {
        Self(Arc::new(Mutex::new(Open {
            last,
            ..Open::default()
        })))
    }

    /// A number for the next question.
    pub(crate) fn number(&self) -> u64 {
        let mut open = self.lock();
        open.last += 1;
        open.last
    }

    /// From here on the edit can be decided.
    pub(crate) fn open_edit(
        &self,
        proposal: ProposalId,
        hunks: usize,
    ) -> oneshot::Receiver<EditAnswer> {
        let (answer, decisions) = oneshot::channel();
        let waiting = Waiting::Edit { hunks, answer };
        self.lock().waiting.insert(proposal.0, waiting);
        decisions
    }

    /// From here on the question can be answered.
    pub(crate) fn open(&self, approval: ApprovalId, accepts: Accepts) -> oneshot::Receiver<Answer> {
        let (answer, answers) = oneshot::channel();
        let waiting = Waiting::Approval { accepts, answer };
        self.lock().waiting.insert(approval.0, waiting);
        answers
    }

    /// Whether somebody is asked something at this moment.
    pub(crate) fn is_waiting(&self) -> bool {
        !self.lock().waiting.is_empty()
    }

    /// What follows about this question is said there.
    pub(crate) fn heard_in(&self, number: u64, window: Option<Window>) {
        let mut open = self.lock();
        if open.waiting.contains_key(&number) {
            open.windows.remove(&number);
            open.windows.extend(window.map(|window| (number, window)));
        }
    }

    /// Where the question was answered, once.
    pub(crate) fn answered_in(&self, number: u64) -> Option<Window> {
        self.lock().windows.remove(&number)
    }

    /// From here on these calls wait for a person: the one that is asked about, and that of the sub-agent which makes it.
    pub(crate) fn begin_wait(&self, calls: Vec<CallId>) -> WaitGuard {
        let mut open = self.lock();
        for call in &calls {
            let wait = open.waits.entry(call.clone()).or_default();
            wait.open += 1;
            wait.since.get_or_insert_with(Instant::now);
        }
        drop(open);
        WaitGuard {
            pending: self.clone(),
            calls,
        }
    }

    /// How long a call has waited for a person since this was asked last.
    pub(crate) fn take_waited(&self, call: &CallId) -> Duration {
        let waited = self.lock().waits.remove(call);
        waited.map_or(Duration::ZERO, |wait| {
            wait.total + wait.since.map_or(Duration::ZERO, |since| since.elapsed())
        })
    }

    /// For the record of the call.
    pub(crate) fn note(&self, call: CallId, given: Given) {
        self.lock().given.insert(call, given);
    }

    /// What somebody has said to a call, once.
    pub(crate) fn given(&self, call: &CallId) -> Option<Given> {
        self.lock().given.remove(call)
    }

    /// The question is off the table, unanswered.
    pub(crate) fn withdraw(&self, number: u64) {
        self.lock().waiting.remove(&number);
    }

    pub(crate) fn decide(
        &self,
        proposal: ProposalId,
        decisions: Vec<Decision>,
    ) -> Result<(), Refusal> {
        let gone = Refusal::NotWaiting { proposal };
        let mut open = self.lock();
        let Some(Waiting::Edit { hunks, .. }) = open.waiting.get(&proposal.0) else {
            return Err(gone);
        };
        if *hunks != decisions.len() {
            return Err(Refusal::WrongDecisionCount {
                expected: *hunks,
                found: decisions.len(),
            });
        }
        match open.waiting.remove(&proposal.0) {
            // The turn may have been cancelled a moment ago.
            Some(Waiting::Edit { answer, .. }) => {
                let sent = answer.send(EditAnswer::Hunks(decisions));
                sent.map_err(|_| gone)
            }
            _ => Err(gone),
        }
    }

    /// What an answer with a rule of the person's own is about.
    pub(crate) fn asked(&self, approval: ApprovalId) -> Option<Asked> {
        match self.lock().waiting.get(&approval.0) {
            Some(Waiting::Approval {
                accepts: Accepts::Offers(_, asked),
                ..
            }) => asked.as_deref().cloned(),
            Some(_) | None => None,
        }
    }

    pub(crate) fn answer(&self, approval: ApprovalId, said: Answer) -> Result<(), Refusal> {
        let gone = Refusal::NothingAsked { approval };
        let mut open = self.lock();
        let fits = match open.waiting.get(&approval.0) {
            None => return Err(gone),
            Some(Waiting::Edit { .. }) => Accepts::Edit.admits(&said),
            Some(Waiting::Approval { accepts, .. }) => accepts.admits(&said),
        };
        if !fits {
            return Err(Refusal::WrongAnswer { approval });
        }
        let sent = match open.waiting.remove(&approval.0) {
            Some(Waiting::Edit { answer, .. }) => answer.send(EditAnswer::Whole(said)).is_ok(),
            Some(Waiting::Approval { answer, .. }) => answer.send(said).is_ok(),
            None => false,
        };
        // The turn may have been cancelled a moment ago.
        match sent {
            true => Ok(()),
            false => Err(gone),
        }
    }

    /// Every change of the table is one call, so a panic elsewhere cannot leave it half done.
    fn lock(&self) -> MutexGuard<'_, Open> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

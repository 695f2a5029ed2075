use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::oneshot;

use crate::api::{Decision, Proposal, ProposalId, Refusal};

/// The one proposed edit that a turn waits for, shared by the turn, which waits, and the session, which takes
/// the answers: so an answer that fits nothing is refused at once.
#[derive(Clone, Default)]
pub(crate) struct Pending(Arc<Mutex<Option<Waiting>>>);

struct Waiting {
    proposal: ProposalId,
    hunks: usize,
    answer: oneshot::Sender<Vec<Decision>>,
}

impl Pending {
    /// From here on the proposal can be answered.
    pub(crate) fn open(&self, proposal: &Proposal) -> oneshot::Receiver<Vec<Decision>> {
        let (answer, decisions) = oneshot::channel();
        *self.lock() = Some(Waiting {
            proposal: proposal.id,
            hunks: proposal.hunks.len(),
            answer,
        });
        decisions
    }

    /// The proposal is off the table, unanswered.
    pub(crate) fn withdraw(&self) {
        *self.lock() = None;
    }

    pub(crate) fn answer(
        &self,
        proposal: ProposalId,
        decisions: Vec<Decision>,
    ) -> Result<(), Refusal> {
        let mut waiting = self.lock();
        match waiting.take() {
            Some(open) if open.proposal == proposal && open.hunks == decisions.len() => {
                // The turn may have been cancelled a moment ago.
                let sent = open.answer.send(decisions);
                sent.map_err(|_| Refusal::NotWaiting { proposal })
            }
            Some(open) if open.proposal == proposal => {
                let refusal = Refusal::WrongDecisionCount {
                    expected: open.hunks,
                    found: decisions.len(),
                };
                *waiting = Some(open);
                Err(refusal)
            }
            other => {
                *waiting = other;
                Err(Refusal::NotWaiting { proposal })
            }
        }
    }

    /// Every change of the slot is one assignment, so a panic elsewhere cannot leave it half done.
    fn lock(&self) -> MutexGuard<'_, Option<Waiting>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

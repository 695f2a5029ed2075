use super::{Decision, ProposalId};

/// What a door asks a session to do. What cannot be done is answered with
/// [`Event::OpRefused`](super::Event::OpRefused).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Op {
    /// Send a prompt to the model. At most one turn runs at a time.
    StartTurn { prompt: String },
    /// Answer a proposed edit: one decision for each of its hunks, in order. The first answer counts.
    Decide {
        proposal: ProposalId,
        decisions: Vec<Decision>,
    },
    /// Stop the running turn. Decisions that were already made stay made.
    CancelTurn,
}

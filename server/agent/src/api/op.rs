use pollux_model::Part;

use super::{Answer, ApprovalId, ApprovalMode, Decision, ProposalId, QueuedId, TurnId};

/// What a door asks a session to do. What cannot be done is answered with
/// [`Event::OpRefused`](super::Event::OpRefused).
#[derive(Clone, Debug, PartialEq)]
pub enum Op {
    /// Send a prompt to the model, once everything before it has been answered.
    Queue(Prompt),
    /// Tell the model now: at the next point of the running turn where it listens. Without a
    /// running turn this is a prompt like any other.
    Steer(Prompt),
    /// Take a prompt back that is still waiting.
    Unqueue(QueuedId),
    /// Answer a proposed edit: one decision for each of its hunks, in order. The first answer counts.
    Decide {
        proposal: ProposalId,
        decisions: Vec<Decision>,
    },
    /// Answer whatever the agent asks, an edit as a whole included. The first answer counts.
    Answer {
        approval: ApprovalId,
        answer: Answer,
    },
    /// From now on, ask less or more.
    SetMode(ApprovalMode),
    /// Make a summary of the oldest part of the conversation now. Not while a turn is running;
    /// [`CancelTurn`](Self::CancelTurn) stops it.
    Compress,
    /// Take a prompt back, and everything that was said after it. Not while a turn is running. Files are not touched.
    Rewind { turn: TurnId },
    /// Stop the running turn. Decisions that were already made stay made. What is queued waits
    /// until the next prompt is sent.
    CancelTurn,
    /// Stop the running turn if it waits for an answer: nobody is left to give one. A turn that works goes on.
    AbandonTurn,
}

/// What a person says.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Prompt {
    /// As they typed it.
    pub text: String,
    /// What goes to the model with it: files that were named, images.
    pub attachments: Vec<Part>,
    pub if_unheard: IfUnheard,
}

/// What becomes of a prompt whose turn ends before the model has made anything of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum IfUnheard {
    /// The person has it and may send it once more.
    #[default]
    TakenBack,
    /// It goes with the next prompt: nobody has it any more.
    ToldLater,
}

impl Prompt {
    pub(crate) fn into_parts(self) -> Vec<Part> {
        let mut parts = vec![Part::Text(self.text)];
        parts.extend(self.attachments);
        parts
    }
}

impl From<&str> for Prompt {
    fn from(text: &str) -> Self {
        Self {
            text: text.to_owned(),
            attachments: Vec::new(),
            if_unheard: IfUnheard::default(),
        }
    }
}

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use pollux_model::Part;
use pollux_text::Range;

use super::{
    Answer, ApprovalId, ApprovalMode, AttachmentKind, CallId, Decision, ProposalId, QueuedId,
    TurnId, Window,
};
use crate::Voices;

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
    /// Take back the prompt with this mark if it is still waiting. One whose turn has come goes on.
    TakeBack(PromptMark),
    /// Stop what comes of the prompt with this mark: it is taken back, or its turn is stopped. What else waits goes on.
    StopPrompt(PromptMark),
    /// Say something else with a prompt that is still waiting. What is attached to it stays.
    EditQueued { id: QueuedId, text: String },
    /// Give a waiting prompt another place among those that wait, from zero.
    MoveQueued { id: QueuedId, place: usize },
    /// Let what waits have its turn, after a stop or an interruption.
    ReleaseQueue,
    /// Answer a proposed edit: one decision for each of its hunks, in order. The first answer counts.
    Decide {
        proposal: ProposalId,
        decisions: Vec<Decision>,
        by: Option<Window>,
    },
    /// Answer whatever the agent asks, an edit as a whole included. The first answer counts.
    Answer {
        approval: ApprovalId,
        answer: Answer,
        by: Option<Window>,
    },
    /// From now on, ask less or more.
    SetMode(ApprovalMode),
    /// From the next turn on, let this model answer.
    SetModel(NewVoices),
    /// End the session, and stop its turn.
    Close,
    /// Call the session this from now on.
    Rename(String),
    /// Make a summary of the oldest part of the conversation now. Not while a turn is running;
    /// [`CancelTurn`](Self::CancelTurn) stops it.
    Compress,
    /// Take a prompt back, and everything that was said after it. Not while a turn is running. Files are not touched.
    Rewind { turn: TurnId },
    /// Stop the running turn. Decisions that were already made stay made. What is queued waits
    /// until the next prompt is sent.
    CancelTurn,
    /// Send what waits to be retried now.
    RetryNow,
    /// Stop one call that is running, and let the turn go on. The model is told that it was stopped.
    StopCall(CallId),
    /// Stop the running turn if it waits for an answer: nobody is left to give one. A turn that works goes on.
    AbandonTurn,
    /// End the session if no turn runs. It can be opened again from its record.
    Release,
}

/// What a person says.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Prompt {
    /// As they typed it.
    pub text: String,
    /// What goes to the model with it: images, and texts that are in no file. Also told to whoever shows the prompt, because
    /// one that is taken back is taken back whole.
    pub attachments: Arc<[Attachment]>,
    /// What of the editor goes along.
    pub context: ContextChoice,
    /// What they typed, where the text is what that stands for. Nothing in such a text is followed or run.
    pub stands_for: Option<String>,
    pub if_unheard: IfUnheard,
    pub if_unknown: IfUnknown,
    /// The name under which it is kept until it is recorded. A session gives it.
    pub kept: Option<KeptId>,
    /// By this a door knows it again, in [`Event::PromptTaken`](super::Event::PromptTaken) and
    /// [`Event::PromptServed`](super::Event::PromptServed).
    pub mark: Option<PromptMark>,
}

/// A door's own name for a prompt, which no other door uses.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PromptMark(pub Arc<str>);

/// Names what somebody has typed until it is in the record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct KeptId(pub u64);

/// What becomes of a prompt whose turn ends before the model has made anything of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum IfUnheard {
    /// The person has it and may send it once more.
    #[default]
    TakenBack,
    /// It goes with the next prompt: nobody has it any more.
    ToldLater,
}

/// What becomes of `/name` where there is no such command.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum IfUnknown {
    /// The person is told so, with what they may have meant.
    #[default]
    Told,
    /// It goes to the model as it is: the client has looked at it before, and has its own commands.
    Sent,
}

/// Something that a person gives the model besides their words.
#[derive(Clone, Debug, PartialEq)]
pub struct Attachment {
    pub kind: AttachmentKind,
    pub label: String,
    /// Absolute: where it is from.
    pub path: Option<PathBuf>,
    pub range: Option<Range>,
    pub content: Part,
}

/// What of the editor goes to the model with a prompt.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ContextChoice {
    pub active_file: Sending,
    pub selection: Sending,
    pub open_files: Sending,
    pub diagnostics: Sending,
}

/// Whether something is sent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Sending {
    /// Files and the selection are sent, problems are not.
    #[default]
    AsConfigured,
    Yes,
    No,
}

/// The models that are to answer, as the host has set them up.
#[derive(Clone)]
pub struct NewVoices(pub Arc<dyn Voices>);

impl fmt::Debug for NewVoices {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0.requested())
    }
}

impl PartialEq for NewVoices {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Prompt {
    pub(crate) fn into_parts(self) -> Vec<Part> {
        let mut parts = vec![Part::Text(self.text)];
        parts.extend(self.attachments.iter().map(|sent| sent.content.clone()));
        parts
    }

    /// Files whose whole text is attached.
    pub(crate) fn whole_files(&self) -> Vec<PathBuf> {
        let texts = self.attachments.iter();
        let whole = texts.filter(|sent| sent.kind == AttachmentKind::Text && sent.range.is_none());
        whole.filter_map(|sent| sent.path.clone()).collect()
    }
}

impl From<&str> for Prompt {
    fn from(text: &str) -> Self {
        Self {
            text: text.to_owned(),
            ..Self::default()
        }
    }
}

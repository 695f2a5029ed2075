use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use crate::validity::InvalidStream;
use crate::{TerminalName, Thinking};

use super::{
    Answer, Approval, ApprovalId, ApprovalMode, Attachment, CallId, Citation, CompressionStatus,
    Cost, Decision, FinishReason, FunctionCall, ModelError, Overflow, PromptMark, Proposal,
    ProposalId, Retry, SentContext, Thought, Todo, ToolReport, Topic, Usage, Window,
};

/// Something that happened in a session. Between `TurnStarted` and `TurnEnded` everything belongs to that turn.
#[derive(Clone, Debug, PartialEq)]
pub enum Event {
    /// How the session stands before anything is said.
    Opened {
        mode: ApprovalMode,
        model: String,
        title: Option<String>,
        /// Tokens, where the model is one that is known.
        context_window: Option<u64>,
    },
    /// A command has its answer, as Markdown. No model was asked.
    CommandAnswered {
        /// Without the slash.
        command: String,
        text: String,
    },
    /// The session is called something else from here on.
    Titled(String),
    /// A prompt waits for its turn.
    PromptQueued {
        id: QueuedId,
        text: String,
        attachments: Arc<[Attachment]>,
    },
    /// A waiting prompt was taken back, or its turn has come.
    PromptUnqueued(QueuedId),
    /// A waiting prompt says something else.
    PromptEdited {
        id: QueuedId,
        text: String,
    },
    /// The prompts wait in this order.
    QueueOrdered(Vec<QueuedId>),
    /// A prompt that a door has marked is at its turn. What follows is about it.
    PromptTaken(PromptMark),
    /// Nothing more comes of a prompt that a door has marked.
    PromptServed {
        mark: PromptMark,
        by: ServedBy,
    },
    TurnStarted {
        turn: TurnId,
        /// The prompt, as it was typed.
        prompt: String,
        /// The model that answers.
        model: String,
        attachments: Arc<[Attachment]>,
    },
    /// What went to the model with the prompt. Left out when nothing did.
    ContextSent(Arc<SentContext>),
    /// The person has said something into the running turn, and the model hears it now.
    PromptSteered(String),
    /// More text of the answer.
    TextReceived(String),
    ThoughtReceived(Thought),
    CitationReceived(Citation),
    /// The model could not be reached; the request is sent again after a pause.
    RequestRetried(Retry),
    /// Nothing waits any more: what was to be retried is being sent again.
    RetryStarted,
    /// Another model answers from here on.
    ModelChanged {
        from: String,
        to: String,
        reason: String,
        /// How long the first one is left alone.
        avoided_until: AvoidedUntil,
    },
    /// This model answers the prompt, unless it fails. Told once per prompt, and again when the mode changes the
    /// choice.
    ModelChosen {
        model: String,
        /// Who chose it: `agent-router/override`.
        reason: String,
        thinking: Thinking,
    },
    /// The conversation was too long, or the person wanted it shorter. Tokens before and after.
    HistoryCompressed {
        before: u64,
        after: u64,
        status: CompressionStatus,
    },
    /// A model was asked beside the conversation: for a summary, a judgement, a choice.
    UtilityUsed {
        /// The alias of its configuration: `chat-compression-default`.
        task: String,
        model: String,
        usage: Usage,
    },
    /// What was used has cost something. Told where the settings have a price for the model.
    CostGrown(Cost),
    /// What was received of this answer does not count: the model is asked again.
    AnswerDiscarded {
        reason: String,
    },
    /// The model has said what it had to say for now; its tools may follow, and then another answer.
    AnswerEnded {
        reason: FinishReason,
        usage: Usage,
        /// Tokens that the model takes, where it is one that is known.
        context_window: Option<u64>,
    },
    ToolStarted {
        call: FunctionCall,
        /// What the call does, in words for a person: "Read src/a.rs".
        title: String,
        /// The call of the sub-agent that makes this one. Nothing: the model itself makes it.
        parent: Option<CallId>,
    },
    /// An edit waits for a decision. Nothing is written before.
    EditProposed(Arc<Proposal>),
    /// The edit has its decision. Doors that did not send it stop asking.
    EditDecided {
        proposal: ProposalId,
        /// One for each hunk, and one for an empty file, which has none.
        decisions: Vec<Decision>,
        by: Option<Window>,
    },
    /// An edit was made that nobody had to be asked about, or with a text that the person had changed.
    EditMade(Arc<Proposal>),
    /// An edit has met lines that the person had changed meanwhile. Theirs are in the file; in so many places both wait to be
    /// settled.
    EditContested {
        proposal: ProposalId,
        conflicts: usize,
    },
    /// A call waits for a person.
    ApprovalRequested(Arc<Approval>),
    /// Somebody has answered, or the question is off. Doors that did not answer stop asking.
    ApprovalEnded {
        approval: ApprovalId,
        /// Nothing when the turn was stopped.
        answer: Option<Answer>,
        /// Nothing where that is not known, as for what is recorded.
        by: Option<Window>,
    },
    /// The call goes on, but the approval holds for this once only.
    NotRemembered {
        message: String,
    },
    /// A hook has something to say to the person, or has failed.
    HookSaid {
        message: String,
    },
    /// What happens from here on is in no record, and cannot be gone back to in another process.
    RecordingStopped {
        reason: String,
        /// What the disk said, if it was the disk.
        error: Option<std::io::ErrorKind>,
    },
    /// A running tool prints something.
    ToolPrinted {
        call: CallId,
        text: String,
    },
    /// The command of a call runs in a terminal that one of those who show the session has opened.
    ToolTerminal {
        call: CallId,
        terminal: TerminalName,
    },
    ToolProgressed {
        call: CallId,
        progress: Progress,
    },
    ToolEnded {
        call: CallId,
        outcome: ToolOutcome,
        report: Arc<ToolReport>,
    },
    /// What is decided about a turn's hunks in one file has changed.
    HunksDecided(HunkCounts),
    /// From here on the agent may do more or less without asking.
    ModeChanged(ApprovalMode),
    /// The model has a new list of steps; it stands for the one before.
    TodosChanged(Vec<Todo>),
    /// The model says what it works on.
    TopicChanged(Topic),
    /// The conversation goes on from before this turn.
    Rewound {
        turn: TurnId,
    },
    OpRefused(Refusal),
    TurnEnded {
        turn: TurnId,
        outcome: TurnOutcome,
    },
}

/// What became of a prompt that a door has marked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ServedBy {
    Turn(TurnId),
    /// A command has answered it, or has been refused. No turn was needed.
    Command,
    /// It looks like a command, and there is none of that name. The answer says which ones there are.
    NoSuchCommand,
    /// Its turn has never come.
    Nothing,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AttachmentKind {
    Image,
    Text,
}

/// How many of the hunks that a turn left in a file have been decided, and how.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HunkCounts {
    pub turn: TurnId,
    /// Relative to the session's folder.
    pub path: String,
    pub kept: usize,
    pub rejected: usize,
    pub pending: usize,
    /// How many of those that are pending are conflicts.
    pub conflicts: usize,
}

/// How long a model that failed is left alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AvoidedUntil {
    NextTurn,
    For(Duration),
    SessionEnd,
}

/// Names a waiting prompt within its session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct QueuedId(pub u64);

/// Names a turn within its session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TurnId(pub u64);

impl fmt::Display for TurnId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// How far a running tool is.
#[derive(Clone, Debug, PartialEq)]
pub struct Progress {
    pub message: Option<String>,
    pub done: f64,
    pub total: Option<f64>,
}

/// How a tool call ended, in words for a person. What the model is told may differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ToolOutcome {
    Succeeded {
        summary: String,
    },
    Failed {
        /// One of the error types that the twin documents, such as `file_not_found`.
        error_type: &'static str,
        message: String,
    },
    Cancelled,
}

/// How a turn ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TurnOutcome {
    Completed,
    Cancelled,
    /// The process that ran the turn has ended in the middle of it.
    Interrupted,
    /// The turn waited for an answer, and nobody was there to give one.
    Unattended,
    /// The model was asked again and again, without a result of a tool in between, until its budget was spent.
    RoundLimitReached {
        limit: usize,
    },
    Failed(ModelError),
    /// The model answered several times with nothing that can be used.
    InvalidAnswer(InvalidStream),
    /// The model repeats itself.
    LoopDetected(String),
    /// What was to be said does not fit the model's window. Nothing was sent.
    ContextOverflow(Overflow),
    /// The person has ended a turn that was stuck, or rejected a command of a custom prompt before the model was asked.
    Declined,
    /// A hook has ended the turn.
    StoppedByHook {
        reason: String,
    },
    /// The model has been asked as often as the settings allow in one session.
    SessionLimitReached {
        limit: u64,
    },
    /// No end of a turn that runs here: what the record says about one that failed or reached a limit.
    Recorded {
        end: RecordedEnd,
        message: String,
    },
}

/// As much as a record says about a turn that came to no good end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecordedEnd {
    Failed,
    Limited,
}

impl TurnOutcome {
    /// What a person is told about an end that is no good end. Empty when all went well or when
    /// they stopped it themselves.
    pub fn message(&self) -> String {
        match self {
            Self::Completed | Self::Cancelled | Self::Declined => String::new(),
            Self::Interrupted => {
                "the turn was interrupted because Pollux ended in the middle of it".to_owned()
            }
            Self::Unattended => {
                "the turn waited for an answer and was stopped, because nobody was there to give one"
                    .to_owned()
            }
            Self::RoundLimitReached { limit } => {
                format!("the model went on {limit} times without calling a tool or coming to an end")
            }
            Self::Failed(error) => error.to_string(),
            Self::InvalidAnswer(invalid) => {
                format!(
                    "the model gave no answer that can be used ({})",
                    invalid.name()
                )
            }
            Self::LoopDetected(found) => format!("the model repeats itself: {found}"),
            Self::ContextOverflow(overflow) => overflow.to_string(),
            Self::StoppedByHook { reason } => format!("a hook stopped the agent: {reason}"),
            Self::SessionLimitReached { limit } => {
                format!("the session may ask the model {limit} times, and has")
            }
            Self::Recorded { message, .. } => message.clone(),
        }
    }
}

/// Why an op was not carried out.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    #[error("no turn is running")]
    NoTurnIsRunning,
    #[error("a turn is running")]
    TurnIsRunning,
    #[error("there is no model to ask")]
    NoModel,
    #[error("the conversation cannot go back to before turn {turn}")]
    NoSuchTurn { turn: TurnId },
    #[error("a title has at least one letter")]
    EmptyTitle,
    #[error("that call is not running")]
    NotRunning,
    #[error("no request waits to be sent again")]
    NoRetryWaits,
    #[error("that prompt is not waiting")]
    NotQueued,
    #[error("a prompt has at least one letter")]
    EmptyPrompt,
    #[error("no edit with the number {proposal} waits for a decision")]
    NotWaiting { proposal: ProposalId },
    #[error("no question with the number {approval} waits for an answer")]
    NothingAsked { approval: ApprovalId },
    #[error("that is no answer to this question")]
    WrongAnswer { approval: ApprovalId },
    #[error("the rule was not saved, and the question is still open: {reason}")]
    UnusableRule {
        approval: ApprovalId,
        reason: String,
    },
    #[error("the folder is not trusted, so the agent asks before it changes anything")]
    Untrusted,
    #[error("the edit has {expected} hunks, but {found} decisions came")]
    WrongDecisionCount { expected: usize, found: usize },
}

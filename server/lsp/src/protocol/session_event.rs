//! What happens in a session, one piece at a time.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{ApprovalAnswer, ApprovalRequest, ApprovalScope, HunkDecision, Range, SessionMode};

/// One event of a session. Between `turnStarted` and `turnEnded` everything belongs to that turn.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(
    tag = "kind",
    rename_all = "camelCase",
    rename_all_fields = "camelCase"
)]
pub enum SessionEvent {
    /// How the session stands before anything is said. Always the first event.
    Opened {
        mode: SessionMode,
        model: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        title: Option<String>,
        /// Tokens that the model takes, where that is known.
        #[serde(skip_serializing_if = "Option::is_none")]
        context_window: Option<u64>,
    },
    /// A command has its answer, as Markdown. No model was asked.
    CommandAnswered {
        /// Without the slash.
        command: String,
        text: String,
    },
    /// The session is called something else: by its first prompt, by what the model works on, or by a person.
    Titled { title: String },
    /// A prompt waits for its turn.
    PromptQueued {
        id: u64,
        text: String,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        attachments: Vec<AttachedLabel>,
    },
    /// A waiting prompt was taken back, or its turn has come.
    PromptUnqueued { id: u64 },
    /// A waiting prompt says something else.
    PromptEdited { id: u64, text: String },
    /// The prompts wait in this order.
    QueueOrdered { order: Vec<u64> },
    TurnStarted {
        turn: u64,
        prompt: String,
        model: String,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        attachments: Vec<AttachedLabel>,
    },
    /// What went to the model with the prompt. Left out when nothing did.
    ContextSent { turn: u64, items: Vec<ContextItem> },
    /// Something was said into the running turn, and the model hears it now.
    PromptSteered { text: String },
    /// More text of the answer, as Markdown.
    Text { text: String },
    Thought {
        subject: String,
        description: String,
    },
    /// Where the answer quotes from.
    Citation { title: Option<String>, uri: String },
    /// The model could not be reached; the request is sent again after a pause.
    RequestRetried {
        /// The attempt that failed, from 1.
        attempt: u32,
        attempts: u32,
        delay_ms: u64,
        /// When it is sent again by itself, in milliseconds since 1970. `pollux/retryNow` sends it at once.
        #[serde(skip_serializing_if = "Option::is_none")]
        retry_at_ms: Option<u64>,
        reason: String,
    },
    /// No request waits any more: what was to be retried is being sent again.
    RetryStarted {},
    /// Another model answers from here on.
    ModelChanged {
        from: String,
        to: String,
        reason: String,
        /// How long the first one is left alone.
        avoided_until: ModelAvoidance,
    },
    /// This model answers the prompt, unless it fails.
    ModelChosen {
        model: String,
        /// Who chose it, such as `agent-router/override`.
        reason: String,
    },
    /// The conversation was made shorter, or an attempt to do so failed. Tokens before and after.
    HistoryCompressed {
        before: u64,
        after: u64,
        /// `COMPRESSED`, `CONTENT_TRUNCATED`, `NOOP`, or a name that begins with `FAILED`.
        status: String,
    },
    /// The conversation goes on from before this turn.
    Rewound { turn: u64 },
    /// A model was asked beside the conversation: for a summary, a judgement, a choice.
    UtilityUsed {
        task: String,
        model: String,
        usage: TokenUsage,
    },
    /// What the models cost so far. Told after each use of a model for which `pollux.prices` has a price, and when a session
    /// is resumed that has cost something.
    Cost {
        /// Of the turn that runs, or ran last.
        turn: f64,
        /// Of all turns. What was paid in another currency is not in it.
        session: f64,
        /// As the settings call it, such as `USD`.
        currency: String,
    },
    /// What was shown of this answer does not count: the model is asked again.
    AnswerDiscarded { reason: String },
    /// The model has said what it had to say for now.
    AnswerEnded {
        reason: String,
        usage: TokenUsage,
        /// Tokens that the model takes, where that is known.
        #[serde(skip_serializing_if = "Option::is_none")]
        context_window: Option<u64>,
    },
    ToolStarted {
        call: String,
        title: String,
        /// Its name, such as `read_file`.
        tool: String,
        activity: ToolActivity,
        /// The arguments as JSON, cut at 4 kB.
        input: String,
        /// The call of the agent that made this one, for agents within agents.
        #[serde(skip_serializing_if = "Option::is_none")]
        parent: Option<String>,
    },
    ToolEnded {
        call: String,
        status: ToolStatus,
        message: String,
        /// What the model was shown, its middle left out beyond 4 kB. `pollux/toolOutput` has all of it.
        output: String,
        /// How many lines all of it has.
        output_lines: u64,
        /// Zero for a call that did not run, or ran before the session was resumed.
        duration_ms: u64,
        /// The file that was changed, relative to the session's folder.
        #[serde(skip_serializing_if = "Option::is_none")]
        path: Option<String>,
        /// Lines.
        #[serde(skip_serializing_if = "Option::is_none")]
        added: Option<u64>,
        #[serde(skip_serializing_if = "Option::is_none")]
        removed: Option<u64>,
    },
    /// How many of the hunks that a turn left in a file are decided has changed.
    HunksDecided {
        turn: u64,
        /// Relative to the workspace folder.
        path: String,
        kept: u64,
        rejected: u64,
        pending: u64,
        /// How many of the pending ones are conflicts.
        conflicts: u64,
    },
    /// An edit waits for a decision. Nothing is written before.
    EditProposed(ProposedEdit),
    /// An edit was made that nobody had to be asked about.
    EditMade(ProposedEdit),
    /// An edit has met lines that the person had changed meanwhile. Theirs are in the file; in so many places both wait to
    /// be settled, as hunks with the state `conflict`.
    EditContested { proposal: u64, conflicts: u64 },
    EditDecided {
        proposal: u64,
        /// One for each hunk, and one for an empty file, which has none.
        decisions: Vec<HunkDecision>,
        /// The window that it was decided in, by its own name. Missing where that is not known.
        #[serde(skip_serializing_if = "Option::is_none")]
        by: Option<String>,
    },
    /// A call waits for a person.
    ApprovalRequested(ApprovalRequest),
    /// Somebody has answered, here or elsewhere, or the turn was stopped.
    ApprovalEnded {
        approval: u64,
        /// Missing when the turn was stopped.
        #[serde(skip_serializing_if = "Option::is_none")]
        answer: Option<ApprovalAnswer>,
        /// The window that it was answered in, by its own name. Missing where that is not known.
        #[serde(skip_serializing_if = "Option::is_none")]
        by: Option<String>,
    },
    /// The session was deleted, here or elsewhere. It is the last event of all, and the session cannot be opened again.
    Deleted {},
    /// The call goes on, but the approval holds for this once only.
    ApprovalNotRemembered { reason: String },
    /// A hook of the user has something to say, or has failed.
    HookSaid { message: String },
    /// A running tool prints something.
    ToolPrinted { call: String, text: String },
    ToolProgress {
        call: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        message: Option<String>,
        done: f64,
        #[serde(skip_serializing_if = "Option::is_none")]
        total: Option<f64>,
    },
    /// From here on the agent asks more or less.
    ModeChanged { mode: SessionMode },
    /// The steps that the model has set itself; replaces what was there.
    Todos { todos: Vec<TodoItem> },
    /// What the model says it works on.
    Topic {
        #[serde(skip_serializing_if = "Option::is_none")]
        title: Option<String>,
        #[serde(skip_serializing_if = "Option::is_none")]
        summary: Option<String>,
        /// What comes next, in a sentence.
        intent: String,
    },
    /// Something that was asked for could not be done.
    Refused { reason: String },
    TurnEnded {
        turn: u64,
        outcome: TurnEnd,
        message: String,
    },
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TokenUsage {
    pub prompt: u64,
    pub cached: u64,
    pub answer: u64,
    pub thoughts: u64,
    pub tools: u64,
    pub total: u64,
}

/// How long a model that failed is left alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "until", rename_all = "camelCase")]
pub enum ModelAvoidance {
    NextTurn,
    Time { ms: u64 },
    SessionEnd,
}

/// What a tool does, in one word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum ToolActivity {
    Read,
    Search,
    Edit,
    Command,
    Fetch,
    Think,
    /// A sub-agent works; its own calls name this one as their `parent`.
    Agent,
    Other,
}

/// What was attached to a prompt.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AttachedLabel {
    pub kind: AttachedKind,
    pub label: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum AttachedKind {
    Image,
    Text,
}

/// Something that went to the model with a prompt.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ContextItem {
    pub kind: ContextKind,
    pub label: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub uri: Option<String>,
    /// As the editor counts that said so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub range: Option<Range>,
    /// How much of it the model got.
    pub bytes: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum ContextKind {
    ActiveFile,
    Selection,
    OpenFiles,
    Diagnostics,
    File,
    Folder,
    Attachment,
    Memory,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum ToolStatus {
    Succeeded,
    Failed,
    Cancelled,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TodoItem {
    pub description: String,
    pub status: TodoState,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum TodoState {
    Pending,
    InProgress,
    Completed,
    Cancelled,
    Blocked,
}

/// An edit to one file, hunk by hunk.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ProposedEdit {
    pub proposal: u64,
    pub call: String,
    /// Relative to the session's folder.
    pub path: String,
    pub hunks: Vec<ProposedHunk>,
    /// How long "all edits" may hold when it is the answer; empty where it is none.
    pub all_edits: Vec<ApprovalScope>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ProposedHunk {
    /// The first line it replaces, from zero, in the file as it is.
    pub base_line: u32,
    pub removed: String,
    /// Its first line, from zero, in the file as it would be.
    pub line: u32,
    pub added: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum TurnEnd {
    Completed,
    Cancelled,
    /// The host ended in the middle of the turn. What it had received of the answer is there.
    Interrupted,
    /// The person turned down what the model wanted to do.
    Declined,
    /// A hook of the user ended the turn; the message says why.
    Stopped,
    /// A limit was reached; the message says which.
    Limited,
    Failed,
}

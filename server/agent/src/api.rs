//! What a door says to a session and hears from it. These types are not a wire format: each door translates them.

mod activity;
mod approval;
mod clock;
mod compression;
mod cost;
mod event;
mod op;
mod overflow;
mod proposal;
mod report;
mod sent;
mod todo;

pub use activity::Activity;
pub use approval::{
    Answer, Approval, ApprovalId, AskingRule, Choice, Offer, OfferedRule, Pick, Question,
    QuestionKind, Reply, Scope, Subject, Window,
};
pub use clock::utc_time;
pub use compression::CompressionStatus;
pub use cost::Cost;
pub use event::{
    AttachmentKind, AvoidedUntil, Event, HunkCounts, Progress, QueuedId, RecordedEnd, Refusal,
    ServedBy, ToolOutcome, TurnId, TurnOutcome,
};
pub use op::{
    Attachment, ContextChoice, IfUnheard, IfUnknown, KeptId, NewVoices, Op, Prompt, PromptMark,
    Sending,
};
pub use overflow::{Added, Overflow};
pub use proposal::{AllEdits, AskedFirst, MadeEdit, Proposal, ProposalId, Target};
pub use report::{CommandExit, EditedFile, ToolReport};
pub use sent::{SentContext, SentItem, SentKind, part_bytes, sent_text};
pub use todo::{Todo, TodoStatus, Topic};

// The words these types are made of, so that a door needs no other crate for them.
pub use crate::validity::InvalidStream;
pub use pollux_model::{
    CallId, Citation, FinishReason, FunctionCall, InlineData, ModelError, Part, Retry, Thought,
    Usage,
};
pub use pollux_policy::ApprovalMode;
pub use pollux_text::{Decision, Hunk};

//! The `pollux/*` payloads: everything that crosses the wire and is not in the language server
//! protocol itself.
//!
//! They live here and nowhere else. `cargo xtask codegen` writes them out as JSON Schema, as
//! TypeScript and as the reference part of `docs/protocol.md`, so a client cannot disagree with
//! the server about a field. The types are wire shapes only; the room has its own.

mod approval;
mod catalogue;
mod command;
mod command_list;
mod companion;
mod document;
mod editor_query;
mod editor_state;
mod hunk;
mod mention;
mod model;
mod options;
mod place;
mod prompt;
mod resync;
mod review;
mod save;
mod session;
mod session_event;
mod snapshot;
mod turn;

pub use approval::{
    ApprovalAnswer, ApprovalAnswerParams, ApprovalOffer, ApprovalRequest, ApprovalScope,
    ApprovalSubject, AskingRule, ModeSetParams, OfferedRule, QuestionForm, QuestionOption,
    QuestionReply, RuleFile, SessionMode, UserQuestion,
};
pub use catalogue::{Catalogue, Direction, Kind, Method, catalogue};
pub use command::{
    AllArguments, CommandPlace, CommandResult, CommentAddArguments, CommentRemoveArguments,
    CommentsSendArguments, FileArguments, HunkArguments, PlaceArguments, ReapplyArguments,
    TurnArguments,
};
pub use command_list::{CommandItem, CommandListParams, CommandListResult, CommandOrigin};
pub use companion::{Companion, CompanionParams};
pub use document::{DocumentParams, DocumentResult, Sync};
pub use editor_query::{
    EditedFile, EditorAnswer, EditorAnswerParams, EditorQueryParams, PlaceInFile, Query, TextEdit,
};
pub use editor_state::{
    ActiveFile, DiagnosticCounts, EditorProblem, EditorStateParams, ProblemSeverity,
};
pub use hunk::{HunksParams, LineComment, PendingHunk, PendingState};
pub use mention::{MentionItem, MentionItemKind, MentionSearchParams, MentionSearchResult};
pub use model::{ModelChoice, ModelListParams, ModelListResult, ModelSetParams};
pub use options::{CompanionOptions, InitializationOptions};
pub use place::{Position, Range};
pub use prompt::{
    PromptAttachment, PromptAttachmentsParams, PromptAttachmentsResult, PromptContext, PromptName,
    PromptParams,
};
pub use resync::ResyncParams;
pub use review::{RejectedHunk, ReviewParams, ReviewResult, ReviewedFile};
pub use save::{SaveParams, Saved};
pub use session::{
    Done, EditDecideParams, HunkDecision, PromptEditParams, PromptMoveParams, PromptUnqueueParams,
    SessionDeleteParams, SessionEventsParams, SessionFollowParams, SessionLine, SessionListParams,
    SessionListResult, SessionParams, SessionRenameParams, SessionResult, SessionResumeParams,
    SessionStartParams, SessionState,
};
pub use session_event::{
    AttachedKind, AttachedLabel, ContextItem, ContextKind, ModelAvoidance, ProposedEdit,
    ProposedHunk, SessionEvent, TodoItem, TodoState, TokenUsage, ToolActivity, ToolStatus, TurnEnd,
};
pub use snapshot::{DocumentSummary, RoomSummary, SnapshotParams, SnapshotResult};
pub use turn::{
    BaseTextParams, BaseTextResult, CallStopParams, TextResult, ToolOutputParams, TurnFile,
    TurnFilesResult, TurnParams, TurnSide, TurnTextParams,
};

/// Names of the methods, as they stand on the wire.
pub mod method {
    pub const APPROVAL_ANSWER: &str = "pollux/approvalAnswer";
    pub const BASE_TEXT: &str = "pollux/baseText";
    pub const CALL_STOP: &str = "pollux/callStop";
    pub const COMMAND_LIST: &str = "pollux/commandList";
    pub const COMPANION: &str = "pollux/companion";
    pub const CONTEXT_SHOW: &str = "pollux/contextShow";
    pub const DOCUMENT: &str = "pollux/document";
    pub const EDITOR_ANSWER: &str = "pollux/editorAnswer";
    pub const EDITOR_QUERY: &str = "pollux/editorQuery";
    pub const EDITOR_STATE: &str = "pollux/editorState";
    pub const EDIT_DECIDE: &str = "pollux/editDecide";
    pub const HUNKS: &str = "pollux/hunks";
    pub const MENTION_SEARCH: &str = "pollux/mentionSearch";
    pub const MODEL_LIST: &str = "pollux/modelList";
    pub const MODEL_SET: &str = "pollux/modelSet";
    pub const MODE_SET: &str = "pollux/modeSet";
    pub const PROMPT_ATTACHMENTS: &str = "pollux/promptAttachments";
    pub const PROMPT_EDIT: &str = "pollux/promptEdit";
    pub const PROMPT_MOVE: &str = "pollux/promptMove";
    pub const PROMPT_QUEUE: &str = "pollux/promptQueue";
    pub const PROMPT_STEER: &str = "pollux/promptSteer";
    pub const PROMPT_UNQUEUE: &str = "pollux/promptUnqueue";
    pub const QUEUE_RELEASE: &str = "pollux/queueRelease";
    pub const RESYNC: &str = "pollux/resync";
    pub const RETRY_NOW: &str = "pollux/retryNow";
    pub const REVIEW: &str = "pollux/review";
    pub const SAVE: &str = "pollux/save";
    pub const SESSION_DELETE: &str = "pollux/sessionDelete";
    pub const SESSION_EVENTS: &str = "pollux/sessionEvents";
    pub const SESSION_FOLLOW: &str = "pollux/sessionFollow";
    pub const SESSION_LIST: &str = "pollux/sessionList";
    pub const SESSION_RENAME: &str = "pollux/sessionRename";
    pub const SESSION_RESUME: &str = "pollux/sessionResume";
    pub const SESSION_START: &str = "pollux/sessionStart";
    pub const SESSION_UNFOLLOW: &str = "pollux/sessionUnfollow";
    pub const SNAPSHOT: &str = "pollux/snapshot";
    pub const TOOL_OUTPUT: &str = "pollux/toolOutput";
    pub const TURN_CANCEL: &str = "pollux/turnCancel";
    pub const TURN_FILES: &str = "pollux/turnFiles";
    pub const TURN_TEXT: &str = "pollux/turnText";
}

/// Names of the commands of the review, as `workspace/executeCommand` takes them.
pub mod command_name {
    pub const ALL_KEEP: &str = "pollux.all.keep";
    pub const ALL_REJECT: &str = "pollux.all.reject";
    pub const COMMENTS_SEND: &str = "pollux.comments.send";
    pub const COMMENT_ADD: &str = "pollux.comment.add";
    pub const COMMENT_REMOVE: &str = "pollux.comment.remove";
    pub const CONFLICT_MINE: &str = "pollux.conflict.mine";
    pub const CONFLICT_THEIRS: &str = "pollux.conflict.theirs";
    pub const FILE_KEEP: &str = "pollux.file.keep";
    pub const FILE_REJECT: &str = "pollux.file.reject";
    pub const HUNK_KEEP: &str = "pollux.hunk.keep";
    pub const HUNK_NEXT: &str = "pollux.hunk.next";
    pub const HUNK_PREVIOUS: &str = "pollux.hunk.previous";
    pub const HUNK_REAPPLY: &str = "pollux.hunk.reapply";
    pub const HUNK_REJECT: &str = "pollux.hunk.reject";
    pub const REVIEW_REDO: &str = "pollux.review.redo";
    pub const REVIEW_UNDO: &str = "pollux.review.undo";
    pub const REWIND: &str = "pollux.rewind";
    pub const TURN_REDO: &str = "pollux.turn.redo";
    pub const TURN_UNDO: &str = "pollux.turn.undo";
}

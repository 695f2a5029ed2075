//! Answers, modes and times in words.

use pollux_lsp::protocol::{ApprovalAnswer, HunkDecision, QuestionReply, SessionMode};

use crate::attach::question::for_how_long;

pub(super) fn mode(mode: SessionMode) -> &'static str {
    match mode {
        SessionMode::Plan => "plan",
        SessionMode::Default => "default",
        SessionMode::AutoEdit => "auto edit",
        SessionMode::Yolo => "yolo",
    }
}

/// What somebody has said to a question. Nothing was said when the turn was stopped.
pub(super) fn answered(answer: Option<&ApprovalAnswer>) -> String {
    match answer {
        None => "not asked any more".to_owned(),
        Some(ApprovalAnswer::Allow) => "allowed once".to_owned(),
        Some(ApprovalAnswer::Always { scope, .. } | ApprovalAnswer::AlwaysBy { scope, .. }) => {
            format!("allowed {}", for_how_long(*scope))
        }
        Some(ApprovalAnswer::AllowWith { .. }) => "allowed with another text".to_owned(),
        Some(ApprovalAnswer::Deny { feedback: None }) => "rejected".to_owned(),
        Some(ApprovalAnswer::Deny {
            feedback: Some(reason),
        }) => format!("rejected: {reason}"),
        Some(ApprovalAnswer::Replies { replies }) => {
            let replies: Vec<String> = replies.values().map(QuestionReply::to_string).collect();
            format!("answered: {}", replies.join("; "))
        }
        Some(ApprovalAnswer::CarryOut { mode: chosen }) => {
            format!("to be carried out, mode {}", mode(*chosen))
        }
    }
}

pub(super) fn decided(decisions: &[HunkDecision]) -> String {
    let kept = decisions
        .iter()
        .filter(|decision| **decision == HunkDecision::Keep)
        .count();
    match (kept, decisions.len()) {
        (0, _) => "rejected".to_owned(),
        (kept, all) if kept == all => "kept".to_owned(),
        (kept, all) => format!("{kept} of {all} hunks kept"),
    }
}

/// Where a question was answered, as far as that is worth a word.
pub(super) fn place(here: bool, by: Option<&str>) -> String {
    match by {
        _ if here => String::new(),
        Some(window) => format!(" (in {window})"),
        None => " (not in this window)".to_owned(),
    }
}

/// A time as people say it.
pub(super) fn spent(milliseconds: u64) -> String {
    let seconds = milliseconds / 1_000;
    match milliseconds {
        0..1_000 => format!("{milliseconds} ms"),
        1_000..10_000 => format!("{}.{} s", seconds, milliseconds % 1_000 / 100),
        10_000..60_000 => format!("{seconds} s"),
        _ => format!("{} min {} s", seconds / 60, seconds % 60),
    }
}

//! What the person has decided about earlier edits, told with the next prompt.

#[cfg(test)]
mod tests;

use std::path::PathBuf;

use serde_json::json;

use super::cap::clip_with_note;

/// All of it together, in bytes.
pub const MAX_DECISIONS_BYTES: usize = 16 * 1024;
/// One side of one hunk.
const LONGEST_SIDE: usize = 600;
const CUT: &str = "... [truncated]";

/// What became of one hunk since the model was last told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HunkDecision {
    /// Relative to the workspace.
    pub path: PathBuf,
    /// Counted from 1; 0 where it is not known any more.
    pub line: usize,
    pub verdict: HunkVerdict,
    /// What stood there before; what was proposed, where the person has edited it.
    pub removed: String,
    /// What the agent wrote; what the person made of it, where they have edited it.
    pub added: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HunkVerdict {
    Kept,
    Rejected,
    /// Kept, but not as it was proposed.
    Edited,
    /// Rejected first, and applied after all.
    Reapplied,
    /// A decision was taken back.
    PendingAgain,
}

impl HunkVerdict {
    fn name(self) -> &'static str {
        match self {
            Self::Kept => "kept",
            Self::Rejected => "rejected",
            Self::Edited => "edited by hand",
            Self::Reapplied => "applied after all",
            Self::PendingAgain => "pending again",
        }
    }
}

/// One line of JSON per decision, the newest always among them. Nothing when nothing was decided.
pub fn tell_decisions(decisions: &[HunkDecision]) -> Option<String> {
    if decisions.is_empty() {
        return None;
    }
    let mut told = Vec::new();
    let mut bytes = 0;
    for decision in decisions.iter().rev() {
        let line = line(decision);
        bytes += line.len() + 1;
        if bytes > MAX_DECISIONS_BYTES - 512 {
            break;
        }
        told.push(line);
    }
    let left_out = decisions.len() - told.len();
    told.reverse();
    let mut text = String::from(
        "What I decided about your edits since your last answer, as JSON lines. Do not make rejected changes again, and \
         do not undo what I edited:\n<decisions>\n",
    );
    if left_out > 0 {
        text.push_str(&format!("({left_out} older decisions are left out)\n"));
    }
    for line in told {
        text.push_str(&line);
        text.push('\n');
    }
    text.push_str("</decisions>");
    Some(text)
}

fn line(decision: &HunkDecision) -> String {
    let (before, after) = match decision.verdict {
        HunkVerdict::Edited => ("proposed", "final"),
        _ => ("removed", "added"),
    };
    json!({
        "file": decision.path.to_string_lossy(),
        "line": decision.line,
        "decision": decision.verdict.name(),
        before: clip_with_note(&decision.removed, LONGEST_SIDE, CUT),
        after: clip_with_note(&decision.added, LONGEST_SIDE, CUT),
    })
    .to_string()
}

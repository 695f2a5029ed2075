//! What becomes of an edit once all of its hunks are decided.

#[cfg(test)]
mod tests;

use std::borrow::Cow;

use pollux_text::{Decision, PieceKind, keep_only, merge3};

/// What the agent is told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    /// Make exactly the edit you proposed.
    AsProposed,
    /// Write this text, which is never empty: an empty one cannot be told from [`AsProposed`](Self::AsProposed).
    Text(String),
    Rejected,
}

/// Both texts of an edit, with the line ends that the agent uses.
#[derive(Clone, Debug)]
pub(super) struct Texts {
    pub(super) base: String,
    pub(super) proposed: String,
    ends: LineEnds,
}

/// What happened to a file between the proposal and its decision.
#[derive(Clone, Debug)]
pub(super) struct Meanwhile {
    /// What the editor showed when the edit was proposed, or the disk had if it was not open.
    pub(super) shown_then: String,
    pub(super) shown_now: String,
    pub(super) disk_now: String,
}

/// gemini-cli reads a file with CRLF as if it had LF, and puts the CRs back when it writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LineEnds {
    AsTheyAre,
    WithoutCr,
}

impl Texts {
    pub(super) fn new(base: &str, proposed: String) -> Self {
        let ends = match base.contains("\r\n") && !proposed.contains("\r\n") {
            true => LineEnds::WithoutCr,
            false => LineEnds::AsTheyAre,
        };
        Self {
            base: ends.of(base).into_owned(),
            proposed,
            ends,
        }
    }

    /// The file as it is when it is decided, with the line ends of the agent.
    ///
    /// What a person typed since the edit was proposed is in it, saved or not. What they had typed and not saved before
    /// that is not: the agent has not seen it, and it is not on disk. Nor does an editor that has not yet read what an
    /// agent wrote last take it back that way.
    pub(super) fn now(&self, meanwhile: &Meanwhile) -> String {
        let then = self.ends.of(&meanwhile.shown_then);
        let shown = self.ends.of(&meanwhile.shown_now);
        let disk = self.ends.of(&meanwhile.disk_now);
        merge3(&then, &shown, &disk).with_ours()
    }

    /// What comes of the decisions where the file has become `now` meanwhile. What a person typed stays; a hunk that does
    /// not fit it any more is left out.
    pub(super) fn decided(&self, now: &str, decisions: &[Decision]) -> Outcome {
        if decisions
            .iter()
            .all(|decision| *decision == Decision::Reject)
        {
            return Outcome::Rejected;
        }
        let all = decisions.iter().all(|decision| *decision == Decision::Keep);
        let kept = keep_only(&self.base, &self.proposed, decisions);
        if *now == self.base {
            return match all {
                true => Outcome::AsProposed,
                false => text(kept),
            };
        }
        let merged = merge3(&self.base, now, &kept);
        let takes_part = |kind| matches!(kind, PieceKind::Theirs | PieceKind::Both);
        match merged.pieces().iter().any(|piece| takes_part(piece.kind)) {
            true => text(merged.with_ours()),
            false => Outcome::Rejected,
        }
    }
}

fn text(text: String) -> Outcome {
    match text.is_empty() {
        true => Outcome::Rejected,
        false => Outcome::Text(text),
    }
}

impl LineEnds {
    fn of(self, text: &str) -> Cow<'_, str> {
        match self {
            Self::WithoutCr if text.contains("\r\n") => Cow::Owned(text.replace("\r\n", "\n")),
            Self::WithoutCr | Self::AsTheyAre => Cow::Borrowed(text),
        }
    }
}

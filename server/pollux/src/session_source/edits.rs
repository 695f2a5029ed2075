//! An edit as it is kept with its call: the lines that it is about, and what was decided about its hunks.

use std::path::Path;
use std::sync::Arc;

use pollux_agent::WorkspacePath;
use pollux_agent::api::{
    AskedFirst, CallId, Decision, Event, MadeEdit, Proposal, ProposalId, Target,
};
use serde_json::{Value, json};

/// Bytes of both texts together. A call that changed more is shown with its numbers alone.
const MOST: usize = 64 * 1024;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct RecordedEdit {
    path: String,
    target: Target,
    /// Lines of the file before these.
    above: usize,
    before: String,
    after: String,
    asked: AskedFirst,
    conflicts: usize,
}

impl RecordedEdit {
    /// Nothing for an edit that is too large, or changes nothing that could be shown.
    pub(super) fn of(made: &MadeEdit) -> Option<Self> {
        let proposal = &made.proposal;
        let (first, last) = (proposal.hunks.first()?, proposal.hunks.last()?);
        let (base, proposed) = (first.base_bytes().start, first.current_bytes().start);
        let before = proposal.base.get(base..last.base_bytes().end)?;
        let after = proposal.proposed.get(proposed..last.current_bytes().end)?;
        (before.len() + after.len() <= MOST).then(|| Self {
            path: proposal.path.to_string(),
            target: proposal.target,
            above: proposal.above + first.base_lines().start,
            before: before.to_owned(),
            after: after.to_owned(),
            asked: made.asked.clone(),
            conflicts: made.conflicts,
        })
    }

    pub(super) fn to_json(&self) -> Value {
        let asked = match &self.asked {
            AskedFirst::No => None,
            AskedFirst::Yes(decisions) => {
                let kept = decisions.iter().map(|one| *one == Decision::Keep);
                Some(kept.collect::<Vec<bool>>())
            }
        };
        json!({
            "path": self.path,
            "isNew": self.target == Target::NewFile,
            "above": self.above,
            "before": self.before,
            "after": self.after,
            "kept": asked,
            "conflicts": self.conflicts,
        })
    }

    pub(super) fn from_json(value: &Value) -> Option<Self> {
        let text = |key: &str| value.get(key).and_then(Value::as_str).map(str::to_owned);
        let decided = |kept: &Value| match kept.as_bool() {
            Some(true) => Decision::Keep,
            Some(false) | None => Decision::Reject,
        };
        Some(Self {
            path: text("path")?,
            target: match value.get("isNew").and_then(Value::as_bool) {
                Some(true) => Target::NewFile,
                Some(false) | None => Target::File,
            },
            above: usize::try_from(value.get("above")?.as_u64()?).ok()?,
            before: text("before")?,
            after: text("after")?,
            asked: match value.get("kept").and_then(Value::as_array) {
                Some(kept) => AskedFirst::Yes(kept.iter().map(decided).collect()),
                None => AskedFirst::No,
            },
            conflicts: value
                .get("conflicts")
                .and_then(Value::as_u64)
                .and_then(|count| usize::try_from(count).ok())
                .unwrap_or_default(),
        })
    }

    /// What a view was told when the edit was made.
    pub(super) fn events(self, number: u64, call: &CallId) -> Vec<Event> {
        let id = ProposalId(number);
        // Whatever the record holds is only shown, and no file is touched by its name.
        let Ok(path) = WorkspacePath::new(Path::new(""), &self.path) else {
            return Vec::new();
        };
        let texts = (self.before.as_str(), self.after.as_str());
        let recalled = Proposal::recalled(id, call.clone(), path, self.target, self.above, texts);
        let hunks = recalled.hunks.len();
        let contested = (self.conflicts > 0).then_some(Event::EditContested {
            proposal: id,
            conflicts: self.conflicts,
        });
        let mut events = match self.asked {
            AskedFirst::Yes(decisions) if decisions.len() == hunks => vec![
                Event::EditProposed(Arc::new(recalled)),
                Event::EditDecided {
                    proposal: id,
                    decisions,
                    by: None,
                },
            ],
            AskedFirst::Yes(_) | AskedFirst::No => vec![Event::EditMade(Arc::new(recalled))],
        };
        events.extend(contested);
        events
    }
}

#[cfg(test)]
mod tests;

//! What a model is told about an edit: what was written, and what the person thought of it.

use std::sync::Arc;

use pollux_text::{Decision, Hunk, snippet};
use serde_json::{Map, Value, json};

use super::desk::{Reviewed, Wording};
use super::{Consent, Desk, ToolOutput};
use crate::api::{AskedFirst, EditedFile, MadeEdit, Proposal, Target};
use crate::{EditConflict, Written};

/// The model is told about this many hunks one by one; the totals are always exact.
const MOST_HUNKS_TOLD: usize = 50;
/// Characters of each side of a hunk that are repeated to the model.
const LONGEST_SIDE: usize = 400;

/// `written` says in a sentence what was done if all of it was.
pub(super) fn output(
    desk: &Desk<'_>,
    reviewed: &Reviewed,
    applied: &Written,
    written: String,
) -> ToolOutput {
    let mut output = match desk.consent {
        _ if reviewed.wording == Wording::Person => changed_by_person(reviewed, &written),
        Consent::InReview => decided(reviewed, &written),
        Consent::Given | Consent::ReadOnly | Consent::Answered(_) => {
            let proposal = &reviewed.proposal;
            let shown = snippet(&proposal.base, &proposal.proposed);
            let told = format!("{written} Here is the updated code:\n{shown}");
            ToolOutput::text(told, changed(proposal))
        }
    };
    output.edited = Some(edited(reviewed));
    output.edit = Some(MadeEdit {
        proposal: Arc::clone(&reviewed.proposal),
        asked: match (&desk.consent, reviewed.wording) {
            (Consent::InReview, Wording::Model) => AskedFirst::Yes(reviewed.decisions.clone()),
            _ => AskedFirst::No,
        },
        conflicts: applied.conflicts.len(),
    });
    if !applied.conflicts.is_empty() {
        tell_conflicts(&mut output, &applied.conflicts);
    }
    output
}

/// The model must not take its own text for what the file holds now.
fn tell_conflicts(output: &mut ToolOutput, conflicts: &[EditConflict]) {
    let count = conflicts.len();
    if let Some(Value::String(told)) = output.response.get_mut("output") {
        told.push_str(&format!(
            "\nConflict in {count} place(s): the person changed these lines meanwhile. Theirs stay in the file, and both \
             versions are shown to them; read the file again before you change those lines."
        ));
    }
    let told = conflicts.iter().take(MOST_HUNKS_TOLD).map(|conflict| {
        json!({
            "line": conflict.line,
            "person": shortened(&conflict.mine),
            "yours": shortened(&conflict.theirs),
        })
    });
    let told: Vec<Value> = told.collect();
    output.response.insert("conflicts".to_owned(), told.into());
    output.summary.push_str(&format!(", {count} in conflict"));
}

fn changed_by_person(reviewed: &Reviewed, written: &str) -> ToolOutput {
    let proposal = &reviewed.proposal;
    let shown = snippet(&proposal.base, &proposal.proposed);
    let told = format!(
        "{written} The person changed the text before they agreed to it; {} holds their version now, so do not undo \
         their changes. Here is the updated code:\n{shown}",
        proposal.path
    );
    ToolOutput::text(told, format!("{}, changed by you", changed(proposal)))
}

/// How much of the edit was made.
fn edited(reviewed: &Reviewed) -> EditedFile {
    let proposal = &reviewed.proposal;
    let kept = proposal.hunks.iter().zip(&reviewed.decisions);
    let kept = kept.filter(|(_, decision)| **decision == Decision::Keep);
    let (mut added, mut removed) = (0, 0);
    for (hunk, _) in kept {
        added += hunk.current_lines().len();
        removed += hunk.base_lines().len();
    }
    EditedFile {
        path: proposal.path.to_string(),
        added,
        removed,
    }
}

/// For the person: `3 added, 1 removed`.
fn changed(proposal: &Proposal) -> String {
    let (mut added, mut removed) = (0, 0);
    for hunk in proposal.hunks.iter() {
        added += hunk.current_lines().len();
        removed += hunk.base_lines().len();
    }
    format!("{added} added, {removed} removed")
}

/// The decisions as data: what was kept and what was rejected, hunk by hunk.
fn decided(reviewed: &Reviewed, written: &str) -> ToolOutput {
    let Reviewed {
        proposal,
        decisions,
        ..
    } = reviewed;
    let mut accepted = Vec::new();
    let mut rejected = Vec::new();
    for (index, (hunk, decision)) in proposal.hunks.iter().zip(decisions).enumerate() {
        let list = match decision {
            Decision::Keep => &mut accepted,
            Decision::Reject => &mut rejected,
        };
        list.push(told(index, hunk, proposal));
    }
    let path = &proposal.path;
    let (kept, total) = (accepted.len(), proposal.hunks.len());
    let text = match (kept, proposal.target) {
        _ if kept == total => format!("The person kept the whole edit. {written}"),
        (0, Target::File) => {
            format!("The person rejected the edit, so {path} is unchanged. Do not send it again.")
        }
        (0, Target::NewFile) => {
            format!("The person rejected the file, so {path} was not made. Do not send it again.")
        }
        _ => format!(
            "The person kept {kept} of {total} hunks; those are written to {path}, the others are not."
        ),
    };
    accepted.truncate(MOST_HUNKS_TOLD);
    rejected.truncate(MOST_HUNKS_TOLD);
    let mut response = Map::new();
    response.insert("output".to_owned(), text.into());
    response.insert("accepted".to_owned(), accepted.into());
    response.insert("rejected".to_owned(), rejected.into());
    ToolOutput {
        response,
        summary: format!("kept {kept} of {total}"),
        ..ToolOutput::default()
    }
}

fn told(index: usize, hunk: &Hunk, proposal: &Proposal) -> Value {
    json!({
        "hunk": index + 1,
        "line": hunk.base_lines().start + 1,
        "removed": shortened(hunk.base_text(&proposal.base)),
        "added": shortened(hunk.current_text(&proposal.proposed)),
    })
}

fn shortened(text: &str) -> String {
    match text.char_indices().nth(LONGEST_SIDE) {
        Some((cut, _)) => format!("{}... [truncated]", text.get(..cut).unwrap_or_default()),
        None => text.to_owned(),
    }
}

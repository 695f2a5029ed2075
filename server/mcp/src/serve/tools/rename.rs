//! `rename`

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::sync::Arc;

use pollux_text::{Buffer, Edit, PositionEncoding, Splice};
use pollux_workspace::{DocumentKey, DoorId, EditorAnswer, FileEdits, Wanted};
use rmcp::model::Tool;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::propose_edit::LONGEST;
use super::{Call, Effect, Failure};
use crate::serve::editors::{self, Heard, own_view, seen_by};
use crate::serve::proposals::Wish;
use crate::serve::sight::Sight;
use crate::serve::spot::Spot;

pub(super) const NAME: &str = "rename";

const LONGEST_NAME: usize = 200;

#[derive(Deserialize, JsonSchema)]
pub(super) struct Arguments {
    #[serde(flatten)]
    spot: Spot,
    new_name: String,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct Answer {
    /// One for each file. They are decided one by one.
    edits: Vec<Proposed>,
}

#[derive(Serialize, JsonSchema)]
struct Proposed {
    /// For `wait_for_decision`.
    id: String,
    path: String,
    /// How many places the person is asked about.
    hunks: usize,
}

/// Why a rename is not proposed. The words are for the model.
#[derive(Debug, thiserror::Error)]
enum Unfit {
    #[error("it would also change files outside the workspace, or files that are closed to tools")]
    Hidden,
    #[error("{0} has changed meanwhile, or another editor has another text of it; try again")]
    Stale(String),
    #[error("the edits of {0} do not fit its text; try again")]
    Misfit(String),
    #[error("{0} would have more than {LONGEST} bytes")]
    TooLong(String),
}

pub(super) fn tool() -> Tool {
    super::tool::<Arguments, Answer>(
        NAME,
        "Rename",
        "Renames something everywhere, as the language servers of the person's editor would, and shows the edits to the \
         person, who keeps or rejects them in the editor. Returns at once, with an id for each file; nothing is written \
         unless the person keeps it. Call `wait_for_decision` with each id to learn what became of it.",
        &Effect::Asks,
    )
}

pub(super) async fn run(call: &Call<'_>, arguments: Arguments) -> Result<Answer, Failure> {
    let Arguments { spot, new_name } = arguments;
    let is_name = !new_name.trim().is_empty()
        && new_name.chars().count() <= LONGEST_NAME
        && !new_name.chars().any(char::is_control);
    if !is_name {
        return Err(Failure::Said(format!(
            "the new name has to be one line of at most {LONGEST_NAME} characters"
        )));
    }
    let Heard { door, answer } = editors::ask(call, spot, Wanted::Rename { new_name }).await?;
    let files = match answer {
        EditorAnswer::Edits(files) => joined(files),
        EditorAnswer::Places(_) => BTreeMap::new(),
        EditorAnswer::Refused(reason) => return Err(editors::refused(&reason)),
    };
    if files.is_empty() {
        let words = "the editor knows nothing there that can be renamed";
        return Err(Failure::Said(words.to_owned()));
    }
    let wishes = call.tell(move |sight| Ok(wishes(sight, door, files)));
    let wishes = wishes.await?;
    let mut wishes = wishes.map_err(|unfit| Failure::Said(unfit.to_string()))?;
    wishes.retain(|(_, wish)| wish.base.as_ref() != Some(&wish.proposed));
    if wishes.is_empty() {
        return Err(Failure::Said("it has that name already".to_owned()));
    }
    let (names, wishes): (Vec<String>, Vec<Wish>) = wishes.into_iter().unzip();
    let (proposals, rooms) = (Arc::clone(&call.front.proposals), call.front.rooms());
    let client = call.client_name();
    // Large texts take a moment to be compared.
    let comparing =
        tokio::task::spawn_blocking(move || proposals.propose_all(wishes, &client, &rooms));
    let proposed = match comparing.await {
        Ok(proposed) => proposed.map_err(|error| Failure::Said(error.to_string()))?,
        Err(_) => return Err(Failure::Said("the texts cannot be compared".to_owned())),
    };
    let edits = names.into_iter().zip(proposed);
    let edits = edits.map(|(path, proposal)| Proposed {
        id: proposal.id.clone(),
        path,
        hunks: proposal.hunks(),
    });
    Ok(Answer {
        edits: edits.collect(),
    })
}

/// Some language servers name a file more than once. What changes nothing is left out.
fn joined(files: Vec<FileEdits>) -> BTreeMap<DocumentKey, FileEdits> {
    let mut joined: BTreeMap<DocumentKey, FileEdits> = BTreeMap::new();
    for file in files.into_iter().filter(|file| !file.edits.is_empty()) {
        match joined.get_mut(&file.key) {
            Some(known) => known.edits.extend(file.edits),
            None => {
                joined.insert(file.key.clone(), file);
            }
        }
    }
    joined
}

/// What is proposed, by file. A rename that is made in part breaks what it renames, so it is all or nothing.
fn wishes(
    sight: &Sight,
    door: DoorId,
    files: BTreeMap<DocumentKey, FileEdits>,
) -> Result<Vec<(String, Wish)>, Unfit> {
    let editor = sight.snapshot.editors.get(&door);
    let encoding = editor.map(|editor| editor.encoding).unwrap_or_default();
    let files = files.into_values();
    files
        .map(|file| wish(sight, door, encoding, &file))
        .collect()
}

fn wish(
    sight: &Sight,
    door: DoorId,
    encoding: PositionEncoding,
    file: &FileEdits,
) -> Result<(String, Wish), Unfit> {
    let DocumentKey::File(path) = &file.key else {
        return Err(Unfit::Hidden);
    };
    let spelled = path.to_str().ok_or(Unfit::Hidden)?;
    let found = sight.find(spelled).map_err(|_| Unfit::Hidden)?;
    let name = sight.name(&found.place.at.path);
    let base = seen_by(sight, door, &found);
    let is_current = match (own_view(sight, door, &found.place.key), file.version) {
        (Some(view), Some(version)) => view.version == version,
        // It was opened or closed meanwhile; then it is as it is on the disk.
        (Some(_), None) => base == sight.on_disk(&found.place.at.path),
        (None, _) => true,
    };
    let base = base.filter(|base| is_current && found.text.as_ref() == Some(base));
    let base = base.ok_or_else(|| Unfit::Stale(name.clone()))?;
    let proposed = edited(&base, &file.edits, encoding);
    let proposed = proposed.ok_or_else(|| Unfit::Misfit(name.clone()))?;
    if proposed.len() > LONGEST {
        return Err(Unfit::TooLong(name));
    }
    let wish = Wish {
        room: sight.room.clone(),
        place: found.place,
        base: Some(base),
        proposed,
    };
    Ok((name, wish))
}

/// The text after edits that all count in the text before. Nothing when one does not fit, or two overlap.
fn edited(base: &str, edits: &[Edit], encoding: PositionEncoding) -> Option<String> {
    let buffer = Buffer::from(base);
    let splices = edits.iter().map(|edit| buffer.splice_of(edit, encoding));
    let mut splices: Vec<Splice> = splices.collect::<Result<_, _>>().ok()?;
    splices.sort_by_key(|splice| (splice.range.start, splice.range.end));
    // Two language servers may want the same.
    splices.dedup();
    let mut text = String::with_capacity(base.len());
    let mut copied_to = 0;
    for splice in splices {
        text.push_str(base.get(copied_to..splice.range.start)?);
        text.push_str(&splice.text);
        copied_to = splice.range.end;
    }
    text.push_str(base.get(copied_to..)?);
    Some(text)
}

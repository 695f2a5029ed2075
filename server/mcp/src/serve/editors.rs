//! Questions that only an editor can answer, because it has the language servers.
//!
//! One editor after the other is asked, and the one first that has the file open and was used last, until one knows
//! something. None is waited for longer than a client waits.

use std::cmp::Reverse;
use std::time::{Duration, SystemTime};

use pollux_workspace::{
    DocumentKey, DoorId, EditorAnswer, EditorQuery, QueryKind, SyncState, View, Wanted,
};
use tokio::time::timeout;

use super::facts::cut;
use super::sight::{Found, Hidden, Sight};
use super::spot::{NoSpot, Spot};
use super::tools::{Call, Failure};
use crate::companion::room::Room;

/// For all editors together. Many clients give up on a call after a minute.
const PATIENCE: Duration = Duration::from_secs(45);

/// Of an editor's words, in characters.
const LONGEST_REASON: usize = 500;

/// What an editor said, and which.
pub(super) struct Heard {
    pub(super) door: DoorId,
    pub(super) answer: EditorAnswer,
}

/// An editor that can be asked.
struct Candidate {
    door: DoorId,
    query: EditorQuery,
    /// The highest is asked first.
    rank: (bool, Option<SystemTime>, DoorId),
}

/// Asks the editors until one knows something. An answer may be empty; then none does.
pub(super) async fn ask(call: &Call<'_>, spot: Spot, wanted: Wanted) -> Result<Heard, Failure> {
    let kind = wanted.kind();
    let found = call.tell(move |sight| {
        let candidates = candidates(sight, &spot, &wanted)?;
        Ok((sight.room.clone(), candidates))
    });
    let (room, candidates) = found.await?;
    let candidates = candidates.map_err(|no_spot| Failure::Said(no_spot.to_string()))?;
    if candidates.is_empty() {
        return Err(Failure::Said(nobody_offers(kind).to_owned()));
    }
    tokio::select! {
        () = call.context.ct.cancelled() => Err(Failure::Cancelled),
        heard = timeout(PATIENCE, first_that_knows(&room, candidates)) => match heard {
            Ok(Some(heard)) => Ok(heard),
            Ok(None) | Err(_) => Err(Failure::Said("no editor answered in time".to_owned())),
        },
    }
}

async fn first_that_knows(room: &Room, candidates: Vec<Candidate>) -> Option<Heard> {
    let mut best: Option<Heard> = None;
    for Candidate { door, query, .. } in candidates {
        let Some(answer) = room.ask_editor(door, query).await else {
            continue;
        };
        let is_known = match &answer {
            EditorAnswer::Places(places) => !places.is_empty(),
            EditorAnswer::Edits(files) => !files.is_empty(),
            EditorAnswer::Refused(_) => false,
        };
        if is_known {
            return Some(Heard { door, answer });
        }
        // That there is nothing says more than that one editor cannot say.
        let was_refused = |heard: &Heard| matches!(heard.answer, EditorAnswer::Refused(_));
        if best.as_ref().is_none_or(was_refused) {
            best = Some(Heard { door, answer });
        }
    }
    best
}

/// The editors that offer it, or why the place is none in any of their texts.
fn candidates(
    sight: &Sight,
    spot: &Spot,
    wanted: &Wanted,
) -> Result<Result<Vec<Candidate>, NoSpot>, Hidden> {
    let found = sight.find(&spot.path)?;
    if found.text.is_none() {
        return Err(Hidden::Missing(spot.path.clone()));
    }
    let mut candidates = Vec::new();
    let mut lost = None;
    for (door, editor) in sight.snapshot.editors.iter() {
        if !editor.queries.contains(&wanted.kind()) {
            continue;
        }
        let Some(seen) = seen_by(sight, *door, &found) else {
            continue;
        };
        let has_it_open = own_view(sight, *door, &found.place.key).is_some();
        let used_at = editor.recent.first().map(|recent| recent.at);
        match spot.find(&seen, editor.encoding) {
            Ok(at) => candidates.push(Candidate {
                door: *door,
                query: EditorQuery {
                    file: found.place.at.path.clone(),
                    at,
                    wanted: wanted.clone(),
                },
                rank: (has_it_open, used_at, *door),
            }),
            Err(no_spot) => lost = Some(no_spot),
        }
    }
    candidates.sort_by_key(|candidate| Reverse(candidate.rank));
    Ok(match lost {
        Some(no_spot) if candidates.is_empty() => Err(no_spot),
        _ => Ok(candidates),
    })
}

/// An editor's own text of a file, if it has it open and the text can be relied on.
pub(super) fn own_view<'sight>(
    sight: &'sight Sight,
    door: DoorId,
    key: &DocumentKey,
) -> Option<&'sight View> {
    let document = sight.snapshot.documents.get(key)?;
    let view = document.seen_from(door)?;
    (view.door == door && view.sync == SyncState::Synced).then_some(view)
}

/// A file as the language servers of an editor have it: its own text, else what the disk has, whatever is typed in
/// another editor.
pub(super) fn seen_by(sight: &Sight, door: DoorId, found: &Found) -> Option<String> {
    let own = own_view(sight, door, &found.place.key).map(|view| view.text.to_string());
    let is_open = sight.shown(&found.place.key).is_some();
    match (own, is_open) {
        (Some(own), _) => Some(own),
        (None, true) => sight.on_disk(&found.place.at.path),
        (None, false) => found.text.clone(),
    }
}

/// What an editor says when it cannot. Its words are cut: they may quote a whole trace.
pub(super) fn refused(reason: &str) -> Failure {
    let (reason, _) = cut(reason.to_owned(), LONGEST_REASON);
    Failure::Said(format!("the editor says: {reason}"))
}

fn nobody_offers(kind: QueryKind) -> &'static str {
    match kind {
        QueryKind::Definition => {
            "no editor that has this folder open can tell where something is defined; VS Code and Neovim can"
        }
        QueryKind::References => {
            "no editor that has this folder open can tell where something is used; VS Code and Neovim can"
        }
        QueryKind::Rename => {
            "no editor that has this folder open can rename something; VS Code and Neovim can"
        }
    }
}

//! `pollux.hunk.next` and `pollux.hunk.previous`: from one pending hunk to another, across files.

use std::ops::Bound;
use std::sync::Arc;

use pollux_workspace::{DocumentKey, FileKind, FileReview, HunkState, Reviews, ShownHunk};
use serde_json::Value;
use tower_lsp::jsonrpc::Result;
use tracing::debug;

use super::{arguments, said};
use crate::outbound::{self, ShowDocument};
use crate::protocol::{CommandPlace, CommandResult, PlaceArguments};
use crate::reviewing::{Opened, counted, line_count, shown_path, whole_lines};
use crate::server::Server;
use crate::uri::document_key;

#[cfg(test)]
mod tests;

pub(super) async fn next(server: &Server, argument: Value) -> Result<CommandResult> {
    go(server, argument, Way::Forward).await
}

pub(super) async fn previous(server: &Server, argument: Value) -> Result<CommandResult> {
    go(server, argument, Way::Back).await
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    Forward,
    Back,
}

/// Where to go: the hunk of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Target {
    key: DocumentKey,
    index: usize,
}

async fn go(server: &Server, argument: Value, way: Way) -> Result<CommandResult> {
    let PlaceArguments { uri, line } = arguments(argument)?;
    let connection = &server.connection;
    let snapshot = connection.review_snapshot().await?;
    let from = uri.map(|uri| (document_key(&uri), line));
    let target = step(&snapshot.reviews, from.as_ref(), way);
    let Some((target, review)) = target.and_then(|target| {
        let review = snapshot.reviews.files.get(&target.key)?;
        Some((target, review))
    }) else {
        return Ok(said("Nothing is pending."));
    };
    let Some(hunk) = review.hunks.get(target.index) else {
        return Ok(said("Nothing is pending."));
    };
    let place = CommandPlace {
        uri: Opened::of(&snapshot, connection.door, &target.key).uri,
        line: hunk.lines.start,
        character: 0,
    };
    let message = words(&snapshot.reviews, &target, review, hunk);
    let traits = connection.traits();
    if !traits.hunks && traits.shows_documents {
        let params = serde_json::json!({
            "uri": place.uri,
            // The person asked to be taken there.
            "takeFocus": true,
            "selection": whole_lines(&(hunk.lines.start..hunk.lines.start)),
        });
        // A file that cannot be shown is still named in the answer, and nobody waits for the editor here.
        let connection = Arc::clone(connection);
        let client = server.client.clone();
        tokio::spawn(async move {
            let shown = outbound::request::<ShowDocument>(&connection, &client, params).await;
            if let Err(error) = shown {
                debug!(%error, "the client did not show a file");
            }
        });
    }
    Ok(CommandResult {
        place: Some(place),
        ..said(&message)
    })
}

/// Where a person has been taken, for one who hears it as for one who reads it. Counted over all files, as one is led.
fn words(reviews: &Reviews, target: &Target, review: &FileReview, hunk: &ShownHunk) -> String {
    let before: usize = reviews
        .files
        .range(..&target.key)
        .map(|(_, review)| review.hunks.len())
        .sum();
    let all: usize = reviews.files.values().map(|file| file.hunks.len()).sum();
    let number = before + target.index + 1;
    let path = shown_path(&review.path);
    let (removed, added) = (line_count(&hunk.removed), line_count(&hunk.added));
    if (removed, added) == (0, 0) {
        let kind = match review.kind {
            FileKind::Deleted => "Removed",
            FileKind::Created | FileKind::Changed => "New",
        };
        return format!("{kind} empty file, {number} of {all}, {path}.");
    }
    let (kind, counts) = match hunk.state {
        HunkState::Pending | HunkState::Edited => (
            "Hunk",
            format!("{} added, {removed} removed", counted(added)),
        ),
        HunkState::Proposed => (
            "Proposed hunk",
            format!("{} to add, {removed} to remove", counted(added)),
        ),
        HunkState::Conflict => (
            "Conflict",
            format!("{} of yours, {added} of the agent's", counted(removed)),
        ),
    };
    format!(
        "{kind} {number} of {all}, {counts}, {path} line {}.",
        hunk.lines.start + 1
    )
}

/// The nearest hunk in that direction: in this file, in the files behind it, and around to the first.
fn step(reviews: &Reviews, from: Option<&(DocumentKey, usize)>, way: Way) -> Option<Target> {
    let starts_beyond = |review: &FileReview, line: usize| match way {
        Way::Forward => review.hunks.iter().position(|hunk| hunk.lines.start > line),
        Way::Back => review
            .hunks
            .iter()
            .rposition(|hunk| hunk.lines.start < line),
    };
    if let Some((key, line)) = from
        && let Some(index) = reviews
            .files
            .get(key)
            .and_then(|review| starts_beyond(review, *line))
    {
        let key = key.clone();
        return Some(Target { key, index });
    }
    let mut all = reviews.files.iter().filter(is_pending);
    let found = match (from, way) {
        (None, Way::Forward) => all.next(),
        (None, Way::Back) => all.next_back(),
        (Some((key, _)), Way::Forward) => reviews
            .files
            .range((Bound::Excluded(key), Bound::Unbounded))
            .find(is_pending)
            .or_else(|| all.next()),
        (Some((key, _)), Way::Back) => reviews
            .files
            .range(..key)
            .rfind(is_pending)
            .or_else(|| all.next_back()),
    };
    let (key, review) = found?;
    let index = match way {
        Way::Forward => 0,
        Way::Back => review.hunks.len() - 1,
    };
    let key = key.clone();
    Some(Target { key, index })
}

fn is_pending((_, review): &(&DocumentKey, &Arc<FileReview>)) -> bool {
    !review.hunks.is_empty()
}

//! `pollux/hunks`, for clients with a plugin.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use pollux_workspace::{
    Comment, CommentSent, DocumentKey, DoorId, FileKind, FileReview, HunkState, ShownHunk, Snapshot,
};
use tower_lsp::ls_types::notification::Notification;

use super::place::{Opened, line_count, shown_path, whole_lines};
use crate::protocol::{HunksParams, LineComment, PendingHunk, PendingState, ReviewedFile, method};

pub(super) struct Hunks;

impl Notification for Hunks {
    type Params = HunksParams;
    const METHOD: &'static str = method::HUNKS;
}

/// What a client has been told of each file.
#[derive(Default)]
pub(super) struct Picture {
    files: BTreeMap<DocumentKey, Told>,
}

struct Told {
    opened: Opened,
    review: Arc<FileReview>,
}

impl Picture {
    /// What the client does not know yet. It counts as told from here on.
    pub(super) fn news(
        &mut self,
        snapshot: &Snapshot,
        door: DoorId,
        again: &BTreeSet<DocumentKey>,
    ) -> Vec<HunksParams> {
        let reviews = &snapshot.reviews.files;
        let mut news = Vec::new();
        let over = self.files.extract_if(.., |key, _| {
            reviews.get(key).is_none_or(|review| is_nothing(review))
        });
        news.extend(over.map(|(_, told)| nothing(told)));
        for (key, review) in reviews {
            let opened = Opened::of(snapshot, door, key);
            match self.files.get(key) {
                Some(told) if told.is(&opened, review) && !again.contains(key) => continue,
                None if is_nothing(review) && !again.contains(key) => continue,
                // The same file under another name: the old one must not stay decorated.
                Some(told) if told.opened.uri != opened.uri => news.push(nothing(Told {
                    opened: told.opened.clone(),
                    review: Arc::clone(&told.review),
                })),
                _ => {}
            }
            news.push(params(&opened, review));
            if !is_nothing(review) {
                let review = Arc::clone(review);
                self.files.insert(key.clone(), Told { opened, review });
            }
        }
        // Somebody named a hunk of a file in which nothing is pending.
        for key in again.iter().filter(|key| !reviews.contains_key(*key)) {
            let opened = Opened::of(snapshot, door, key);
            news.push(HunksParams {
                uri: opened.uri,
                path: String::new(),
                version: opened.version,
                revision: 0,
                hunks: Vec::new(),
                comments: Vec::new(),
            });
        }
        news
    }
}

impl Told {
    /// Whether it still holds. Ranges are whole lines, so a version that merely counts on while somebody types in a
    /// line needs no message.
    fn is(&self, opened: &Opened, review: &Arc<FileReview>) -> bool {
        self.opened.uri == opened.uri
            && self.opened.version.is_some() == opened.version.is_some()
            && (Arc::ptr_eq(&self.review, review)
                || (self.review.revision == review.revision
                    && self.review.hunks == review.hunks
                    && self.review.comments == review.comments))
    }
}

/// Whether the client has nothing to draw for it.
fn is_nothing(review: &FileReview) -> bool {
    review.hunks.is_empty() && review.comments.is_empty()
}

fn nothing(told: Told) -> HunksParams {
    HunksParams {
        uri: told.opened.uri,
        path: shown_path(&told.review.path),
        version: told.opened.version,
        revision: told.review.revision,
        hunks: Vec::new(),
        comments: Vec::new(),
    }
}

fn params(opened: &Opened, review: &FileReview) -> HunksParams {
    HunksParams {
        uri: opened.uri.clone(),
        path: shown_path(&review.path),
        version: opened.version,
        revision: review.revision,
        hunks: pending(review),
        comments: review.comments.iter().map(comment).collect(),
    }
}

/// The hunks of a file in the protocol's words.
fn pending(review: &FileReview) -> Vec<PendingHunk> {
    let hunk = |(index, hunk): (usize, &ShownHunk)| PendingHunk {
        index,
        state: match hunk.state {
            HunkState::Pending | HunkState::Edited => PendingState::Pending,
            HunkState::Proposed => PendingState::Proposed,
            HunkState::Conflict => PendingState::Conflict,
        },
        range: whole_lines(&hunk.lines),
        removed: hunk.removed.to_string(),
        added: hunk.added.to_string(),
        session: hunk
            .origin
            .as_ref()
            .map(|origin| origin.session.to_string()),
        turn: hunk.origin.as_ref().map(|origin| origin.turn.0),
        edited: hunk.state == HunkState::Edited,
        comments: hunk.comments.iter().map(comment).collect(),
    };
    review.hunks.iter().enumerate().map(hunk).collect()
}

fn comment(comment: &Comment) -> LineComment {
    LineComment {
        id: comment.id.0,
        line: comment.line,
        text: comment.text.to_string(),
        sent: comment.sent == CommentSent::Yes,
    }
}

/// Whether there is anything to decide.
pub(crate) fn is_pending(review: &FileReview) -> bool {
    !review.hunks.is_empty()
}

/// A file as it stands in a list of changes.
pub(crate) fn reviewed_file(uri: String, review: &FileReview) -> ReviewedFile {
    let count = |side: fn(&ShownHunk) -> &str| -> usize {
        review.hunks.iter().map(|hunk| line_count(side(hunk))).sum()
    };
    ReviewedFile {
        uri,
        path: shown_path(&review.path),
        revision: review.revision,
        hunks: pending(review),
        added: count(|hunk| &hunk.added),
        removed: count(|hunk| &hunk.removed),
        created: review.kind == FileKind::Created,
        deleted: review.kind == FileKind::Deleted,
    }
}

//! Edits that only an editor had when an earlier host ended: made in its buffer, and not saved.
//!
//! The disk knows nothing of them. When the editor opens the file again, its text tells; or its first change does, where it
//! was asked for the edit by a host that did not live to see it made.

use std::collections::BTreeMap;
use std::path::PathBuf;

use pollux_text::{Buffer, Landed, landed};

use super::Location;
use super::book::Book;
use super::file::{ReviewedFile, State};
use super::hands::{Hands, Leader};
use crate::DocumentKey;

/// What may be in a buffer, by file, the most recent first.
#[derive(Debug, Default)]
pub(super) struct Unsaved(BTreeMap<DocumentKey, Vec<Candidate>>);

/// A review as it would be if the editor had the text.
#[derive(Debug)]
pub(super) struct Candidate {
    pub(super) at: Location,
    pub(super) path: PathBuf,
    /// The text of an editor that does not have it.
    pub(super) without: String,
    pub(super) state: State,
}

/// Whether the text of an editor is now under review.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TakenUp {
    Yes,
    No,
}

impl Unsaved {
    pub(super) fn add(&mut self, key: DocumentKey, candidate: Candidate) {
        self.0.entry(key).or_default().push(candidate);
    }

    pub(super) fn join(&mut self, other: Self) {
        for (key, candidates) in other.0 {
            self.0.entry(key).or_default().extend(candidates);
        }
    }

    pub(super) fn may_be_in(&self, key: &DocumentKey) -> bool {
        self.0.contains_key(key)
    }

    /// An editor that has gone on without it does not make it any more.
    pub(super) fn forget(&mut self, key: &DocumentKey) {
        self.0.remove(key);
    }

    /// What is in this text, if anything.
    fn found_in(&mut self, key: &DocumentKey, text: &str) -> Option<Candidate> {
        let is_in = |candidate: &Candidate| {
            let with = candidate.state.review.current().to_string();
            let landed = landed(&candidate.without, &with, text);
            matches!(landed, Landed::Arrived { .. })
        };
        let at = self.0.get(key)?.iter().position(is_in)?;
        let candidates = self.0.remove(key)?;
        candidates.into_iter().nth(at)
    }
}

impl Book {
    /// Takes the review of an edit up again that turns out to be in an editor's text.
    pub(super) fn take_up_unsaved(&mut self, hands: &Hands<'_>, key: &DocumentKey) -> TakenUp {
        let Leader::View(view) = hands.leader(key) else {
            return TakenUp::No;
        };
        let is_busy = |file: &ReviewedFile| file.under_way.is_some() || !file.queue.is_empty();
        if self.files.get(key).is_some_and(is_busy) {
            return TakenUp::No;
        }
        let text = view.text.to_string();
        let Some(found) = self.unsaved.found_in(key, &text) else {
            return TakenUp::No;
        };
        let presence = found.state.presence;
        let mut file = ReviewedFile::new(found.at, found.path, &Buffer::default(), presence);
        file.review = found.state.review;
        self.files.insert(key.clone(), file);
        self.absorb(key, Some(&text));
        let Some(file) = self.files.get_mut(key) else {
            return TakenUp::No;
        };
        file.look_around(hands, key);
        self.hold(key);
        self.advance(hands, key);
        TakenUp::Yes
    }
}

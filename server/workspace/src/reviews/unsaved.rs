//! Edits that only an editor had when its door or its host ended: made in its buffer, and not saved.
//!
//! The disk knows nothing of them. When the editor opens the file again, its text tells; or its first change does, where it
//! was asked for the edit by a host that did not live to see it made. Until then the record holds on to them.

use std::collections::BTreeMap;
use std::path::PathBuf;

use pollux_text::{Buffer, Landed, landed};

use super::Location;
use super::book::Book;
use super::file::{ReviewedFile, State};
use super::hands::{Hands, Leader};
use super::record::Job;
use super::road::Road;
use crate::{DocumentKey, DoorId};

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
    /// A door has gone. Its editor may be alive with what it has not saved, and may come back with it.
    pub(crate) fn left(&mut self, hands: &Hands<'_>, door: DoorId, key: &DocumentKey) {
        let is_last = matches!(hands.leader(key), Leader::Disk);
        if let Some(file) = self.files.get_mut(key).filter(|_| is_last) {
            if let Some(under_way) = &file.under_way
                && matches!(under_way.road, Road::Editor { .. })
            {
                let made = Candidate {
                    at: file.at.clone(),
                    path: file.path.clone(),
                    without: under_way.before.clone(),
                    state: State {
                        review: under_way.planned.review.clone(),
                        presence: under_way.planned.presence,
                    },
                };
                self.unsaved.add(key.clone(), made);
            }
            if !file.review.is_empty() {
                file.left = Some(file.state());
                self.hold(key);
            }
        }
        self.closed(hands, door, key);
    }

    /// The disk has this of a file that a door has left open.
    pub(super) fn may_be_unsaved(&mut self, key: &DocumentKey, left: State, disk: &str) {
        if left.review.current().is(disk) {
            return;
        }
        if let Some(file) = self.files.get(key) {
            let candidate = Candidate {
                at: file.at.clone(),
                path: file.path.clone(),
                without: disk.to_owned(),
                state: left,
            };
            self.unsaved.add(key.clone(), candidate);
        }
    }

    /// An editor that has gone on without it does not make it any more.
    pub(super) fn forget_unsaved(&mut self, key: &DocumentKey) {
        let forgotten = self.unsaved.0.remove(key);
        let candidate = forgotten.and_then(|candidates| candidates.into_iter().next());
        let Some(candidate) = candidate.filter(|_| !self.files.contains_key(key)) else {
            return;
        };
        if let Some(recorder) = self.recorders.get(&candidate.at.root) {
            recorder.send(Job::Settled(key.clone()));
        }
    }

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

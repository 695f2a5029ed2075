//! How much of what was done is remembered: whole turns and whole decisions, or nothing of them.

use std::collections::BTreeSet;

use super::{Done, History, Stands, What};
use crate::Origin;

/// Texts share what they have in common, so this is more than it comes to.
const MOST_BYTES: usize = 256 << 20;
/// What an operation takes beside its texts.
const BESIDE: usize = 1 << 10;

/// What is undone together.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Group {
    Decision(u64),
    Turn(Origin),
    /// An edit of which the turn is not known.
    Edit(u64),
}

impl Done {
    fn group_of(&self) -> Group {
        match (self.what, &self.turn) {
            (What::Decision, _) => Group::Decision(self.step),
            (What::Edit { .. }, Some(turn)) => Group::Turn(turn.clone()),
            (What::Edit { origin }, None) => Group::Edit(origin),
        }
    }

    /// The texts before a decision are those that an edit has left.
    fn bytes(&self) -> usize {
        let text = match self.what {
            What::Edit { .. } => {
                self.before.review.current().len_bytes() + self.after.review.current().len_bytes()
            }
            What::Decision => 0,
        };
        text + BESIDE
    }
}

impl History {
    /// Whether one of these turns is not known any more, or not as a whole.
    pub(in crate::reviews) fn has_forgotten(&self, is_meant: impl Fn(&Origin) -> bool) -> bool {
        self.forgotten.iter().any(is_meant)
    }

    pub(super) fn push(&mut self, done: Done) {
        self.found_at(self.done.len(), &done);
        self.bytes += done.bytes();
        self.done.push(done);
    }

    pub(super) fn retain(&mut self, is_kept: impl FnMut(&Done) -> bool) {
        self.done.retain(is_kept);
        self.find_places();
    }

    /// Whatever is there may have another place.
    pub(super) fn find_places(&mut self) {
        self.places.clear();
        self.unnamed.clear();
        let all = std::mem::take(&mut self.done);
        for (place, done) in all.iter().enumerate() {
            self.found_at(place, done);
        }
        self.bytes = all.iter().map(Done::bytes).sum();
        let is_undone =
            |done: &Done| done.what == What::Decision && done.standing == Stands::Undone;
        self.redoable = all.iter().any(is_undone);
        self.done = all;
    }

    fn found_at(&mut self, place: usize, done: &Done) {
        self.places.entry(done.key.clone()).or_default().push(place);
        if let (Some(ticket), None) = (done.ticket, done.group) {
            self.unnamed.insert(ticket, place);
        }
    }

    pub(super) fn keep_within_limits(&mut self) {
        if self.bytes > MOST_BYTES {
            // Well below it, so that this is not done again for every operation.
            self.shrink_to(MOST_BYTES / 10 * 9);
        }
    }

    /// Forgets the oldest until there is room. The last turn and the last decision stay, however large they are.
    pub(super) fn shrink_to(&mut self, aim: usize) {
        let newest = |is_it: fn(&Done) -> bool| {
            let mut newest = self.done.iter().rev();
            newest.find(|done| is_it(done)).map(Done::group_of)
        };
        let stays = [
            newest(|done| done.what == What::Decision),
            newest(|done| done.what != What::Decision),
        ];
        let mut bytes = self.bytes;
        let mut gone = BTreeSet::new();
        for done in &self.done {
            let group = done.group_of();
            let is_begun = gone.contains(&group);
            if is_begun || (bytes > aim && !stays.contains(&Some(group.clone()))) {
                bytes = bytes.saturating_sub(done.bytes());
                gone.insert(group);
            }
        }
        self.retain(|done| !gone.contains(&done.group_of()));
        for group in gone {
            if let Group::Turn(turn) = group {
                self.forgotten.insert(turn);
            }
        }
    }
}

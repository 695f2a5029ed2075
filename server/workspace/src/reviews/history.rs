//! What was done, so that it can be undone.

mod limit;

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use pollux_ledger::GroupId;

use super::Location;
use super::file::State;
use super::operation::{Deed, Operation, Way};
use super::rename::{Name, Renamed};
use super::tally::Tally;
use crate::{DocumentKey, EditId, Origin};

/// Done operations, the oldest first.
#[derive(Debug, Default)]
pub(super) struct History {
    done: Vec<Done>,
    /// Where in there each file's are. Looked for with every decision, of which there are thousands at a time.
    places: BTreeMap<DocumentKey, Vec<usize>>,
    /// And those that have no name in the record yet.
    unnamed: BTreeMap<EditId, usize>,
    /// Roughly the memory that they take.
    bytes: usize,
    /// Whether a decision is undone that could be made again.
    redoable: bool,
    /// Turns of which it is not known any more what they did.
    forgotten: BTreeSet<Origin>,
}

/// An operation that has happened.
#[derive(Clone, Debug)]
pub(super) struct Done {
    pub(super) key: DocumentKey,
    pub(super) at: Location,
    pub(super) path: PathBuf,
    pub(super) step: u64,
    pub(super) words: Arc<str>,
    pub(super) what: What,
    pub(super) standing: Stands,
    /// Its names in the record.
    pub(super) ticket: Option<EditId>,
    pub(super) group: Option<GroupId>,
    /// The turn it is of, if it is an edit.
    pub(super) turn: Option<Origin>,
    /// The edit whose text a decision has put where a person's stood. It goes with its turn.
    pub(super) carries: Option<u64>,
    /// That is all it did, if it did that.
    pub(super) renamed: Option<Renamed>,
    pub(super) before: State,
    pub(super) after: State,
    /// What it decided.
    pub(super) tallies: Vec<Tally>,
}

/// What an operation did to a file.
#[derive(Debug)]
pub(super) struct Step {
    pub(super) before: State,
    pub(super) after: State,
    pub(super) tallies: Vec<Tally>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum What {
    /// A person has decided something.
    Decision,
    /// The agent has changed a file.
    Edit { origin: u64 },
}

/// Whether what was done still holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stands {
    Yes,
    Undone,
    /// A decision that went with the turn whose text it had brought, and comes back with it only.
    UndoneWithTurn,
}

impl Done {
    pub(super) fn origin(&self) -> u64 {
        match self.what {
            What::Edit { origin } => origin,
            What::Decision if let Some(origin) = self.carries => origin,
            What::Decision => {
                let hunk = self.before.review.hunks().next();
                hunk.map_or(0, |hunk| hunk.origin().0)
            }
        }
    }
}

impl History {
    /// `turn` is that of an edit.
    pub(super) fn note(
        &mut self,
        name: Name,
        operation: &Operation,
        turn: Option<Origin>,
        step: Step,
    ) {
        let Step {
            before,
            after,
            tallies,
        } = step;
        let what = match &operation.deed {
            Deed::Edit { origin, .. }
            | Deed::Create { origin, .. }
            | Deed::Shell { origin, .. }
            | Deed::Renamed { origin, .. } => What::Edit { origin: *origin },
            Deed::Keep(_) | Deed::Reject(_) | Deed::Settle(..) | Deed::Reapply { .. } => {
                What::Decision
            }
            // Whoever sends a file there and back keeps the books itself.
            Deed::Travel(_) | Deed::Rename { .. } | Deed::CatchUp { .. } => return,
        };
        if what == What::Decision && self.redoable {
            // After a new decision the undone ones cannot be made again.
            self.retain(|done| done.what != What::Decision || done.standing != Stands::Undone);
        }
        self.push(Done {
            key: name.key,
            at: name.at,
            path: name.path,
            step: operation.step,
            words: Arc::clone(&operation.words),
            what,
            standing: Stands::Yes,
            ticket: operation.ticket,
            group: operation.group,
            turn,
            carries: operation.carries,
            renamed: match &operation.deed {
                Deed::Renamed { renamed, .. } => Some(renamed.clone()),
                _ => None,
            },
            before,
            after,
            tallies,
        });
        self.keep_within_limits();
    }

    /// What earlier days have left comes before everything else.
    pub(super) fn begin_with(&mut self, mut steps: Vec<Done>, forgotten: BTreeSet<Origin>) {
        steps.append(&mut self.done);
        self.done = steps;
        self.forgotten.extend(forgotten);
        self.find_places();
    }

    pub(super) fn join(&mut self, other: Self) {
        self.done.extend(other.done);
        self.forgotten.extend(other.forgotten);
        self.find_places();
    }

    /// A file has another name, and so has whatever was done to it.
    pub(super) fn rename(&mut self, from: &Name, to: &Name) {
        rename(&mut self.done, from, to);
        self.find_places();
    }

    /// The files it is about.
    pub(super) fn places(&self) -> impl Iterator<Item = (&DocumentKey, &Location)> {
        self.done.iter().map(|done| (&done.key, &done.at))
    }

    /// The record has a name for an operation.
    pub(super) fn named(&mut self, ticket: EditId, group: Option<GroupId>) {
        let place = self.unnamed.remove(&ticket);
        if let Some(done) = place.and_then(|place| self.done.get_mut(place)) {
            done.group = group;
        }
    }

    #[cfg(test)]
    pub(super) fn states(&self) -> impl Iterator<Item = &State> {
        self.done
            .iter()
            .flat_map(|done| [&done.before, &done.after])
    }

    /// What has been decided about a file, as far as it still holds.
    pub(super) fn tallies<'a>(
        &'a self,
        key: &'a DocumentKey,
    ) -> impl Iterator<Item = &'a Tally> + 'a {
        let standing = self.of(key).filter(|done| done.standing == Stands::Yes);
        standing.flat_map(|done| &done.tallies)
    }

    /// The edit that a file was made, changed or removed by last, of those that stand.
    pub(super) fn maker(&self, key: &DocumentKey) -> Option<u64> {
        let standing = self.of(key).filter(|done| done.standing == Stands::Yes);
        let edits = standing.filter_map(|done| match done.what {
            What::Edit { origin } => Some(origin),
            What::Decision => None,
        });
        edits.last()
    }

    /// The files that each turn has changed.
    pub(super) fn touched(&self) -> impl Iterator<Item = (&Origin, &DocumentKey, &Path)> {
        let edits = self.done.iter();
        edits.filter_map(|done| Some((done.turn.as_ref()?, &done.key, done.path.as_path())))
    }

    /// What these edits did, the oldest first, whether or not it still holds.
    pub(super) fn edits<'a>(
        &'a self,
        origins: &'a BTreeSet<u64>,
    ) -> impl Iterator<Item = &'a Done> + 'a {
        self.done
            .iter()
            .filter(|done| matches!(done.what, What::Edit { origin } if origins.contains(&origin)))
    }

    /// What an undo would take back.
    pub(super) fn last_decision(&self) -> Option<&Done> {
        let holds = |done: &&Done| done.what == What::Decision && done.standing == Stands::Yes;
        self.done.iter().rev().find(holds)
    }

    /// The newest edit that still stands.
    pub(super) fn last_edit(&self) -> Option<u64> {
        let mut newest = self.done.iter().rev();
        newest.find_map(|done| match (done.what, done.standing) {
            (What::Edit { origin }, Stands::Yes) => Some(origin),
            _ => None,
        })
    }

    /// What a redo would do again: the decision that was undone last, which is the oldest of those that were.
    pub(super) fn last_undone(&self) -> Option<&Done> {
        let undone = |done: &&Done| done.what == What::Decision && done.standing == Stands::Undone;
        self.done.iter().find(undone)
    }

    /// Whether an edit of a file has not been taken back.
    pub(super) fn stands(&self, origin: u64, key: &DocumentKey) -> bool {
        let is_it = |done: &Done| done.what == What::Edit { origin };
        self.of(key)
            .any(|done| is_it(done) && done.standing == Stands::Yes)
    }

    /// What was done to a file, the oldest first.
    fn of<'a>(&'a self, key: &DocumentKey) -> impl Iterator<Item = &'a Done> + use<'a> {
        let places = self.places.get(key).into_iter().flatten();
        places.filter_map(|place| self.done.get(*place))
    }

    /// The operations of a step, the newest first, which from now on stand like this.
    pub(super) fn turn_step(&mut self, step: u64, way: Way) -> Vec<Done> {
        self.turn(way, |done| {
            let is_decision = done.step == step && done.what == What::Decision;
            is_decision.then_some(Stands::Undone)
        })
    }

    /// The same for the edits of turns, and for the decisions that brought them in.
    pub(super) fn turn_edits(&mut self, origins: &BTreeSet<u64>, way: Way) -> Vec<Done> {
        self.turn(way, |done| match (done.what, done.carries) {
            (What::Edit { origin }, _) => origins.contains(&origin).then_some(Stands::Undone),
            (What::Decision, Some(origin)) => {
                origins.contains(&origin).then_some(Stands::UndoneWithTurn)
            }
            (What::Decision, None) => None,
        })
    }

    /// `undone` says how what is meant stands once it is taken back.
    fn turn(&mut self, way: Way, undone: impl Fn(&Done) -> Option<Stands>) -> Vec<Done> {
        let mut turned = Vec::new();
        for done in self.done.iter_mut().rev() {
            let Some(undone) = undone(done) else {
                continue;
            };
            let (from, to) = match way {
                Way::Back => (Stands::Yes, undone),
                Way::Again => (undone, Stands::Yes),
            };
            if done.standing == from {
                done.standing = to;
                self.redoable |= to == Stands::Undone && done.what == What::Decision;
                turned.push(done.clone());
            }
        }
        turned
    }
}

/// Whatever was done to a file was done to the one of this name.
pub(super) fn rename(all: &mut [Done], from: &Name, to: &Name) {
    for done in all.iter_mut().filter(|done| done.key == from.key) {
        done.key = to.key.clone();
        done.at = to.at.clone();
        done.path.clone_from(&to.path);
    }
}

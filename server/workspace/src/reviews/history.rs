//! What was done, so that it can be undone.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use pollux_ledger::GroupId;

use super::Location;
use super::file::State;
use super::operation::{Deed, Operation};
use super::tally::Tally;
use crate::{DocumentKey, EditId};

/// So many operations can be undone from memory. Their texts share what they have in common.
const MOST_DONE: usize = 1_000;

/// Done operations, the oldest first.
#[derive(Debug, Default)]
pub(super) struct History {
    done: Vec<Done>,
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
}

impl Done {
    pub(super) fn origin(&self) -> u64 {
        match self.what {
            What::Edit { origin } => origin,
            What::Decision => {
                let hunk = self.before.review.hunks().next();
                hunk.map_or(0, |hunk| hunk.origin().0)
            }
        }
    }
}

impl History {
    pub(super) fn note(
        &mut self,
        key: &DocumentKey,
        at: &Location,
        path: &Path,
        operation: &Operation,
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
            | Deed::Shell { origin, .. } => What::Edit { origin: *origin },
            Deed::Keep(_) | Deed::Reject(_) | Deed::Settle(..) | Deed::Reapply { .. } => {
                What::Decision
            }
            // Whoever sends a file there and back keeps the books itself.
            Deed::Travel(_) | Deed::CatchUp { .. } => return,
        };
        if what == What::Decision {
            // After a new decision the undone ones cannot be made again.
            self.done
                .retain(|done| done.what != What::Decision || done.standing == Stands::Yes);
        }
        self.done.push(Done {
            key: key.clone(),
            at: at.clone(),
            path: path.to_owned(),
            step: operation.step,
            words: Arc::clone(&operation.words),
            what,
            standing: Stands::Yes,
            ticket: operation.ticket,
            group: operation.group,
            before,
            after,
            tallies,
        });
        if self.done.len() > MOST_DONE {
            self.done.remove(0);
        }
    }

    /// What earlier days have left comes before everything else.
    pub(super) fn begin_with(&mut self, mut steps: Vec<Done>) {
        steps.append(&mut self.done);
        self.done = steps;
    }

    pub(super) fn join(&mut self, other: Self) {
        self.done.extend(other.done);
    }

    /// The record has a name for an operation.
    pub(super) fn named(&mut self, ticket: EditId, group: Option<GroupId>) {
        let mut done = self.done.iter_mut().rev();
        if let Some(done) = done.find(|done| done.ticket == Some(ticket)) {
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
        let holds = |done: &&'a Done| done.standing == Stands::Yes && done.key == *key;
        let standing = self.done.iter().filter(holds);
        standing.flat_map(|done| &done.tallies)
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

    /// What a redo would do again: the decision that was undone last, which is the oldest of those that were.
    pub(super) fn last_undone(&self) -> Option<&Done> {
        let undone = |done: &&Done| done.what == What::Decision && done.standing == Stands::Undone;
        self.done.iter().find(undone)
    }

    /// The operations of a step, the newest first, which from now on stand like this.
    pub(super) fn turn_step(&mut self, step: u64, standing: Stands) -> Vec<Done> {
        self.turn(standing, |done| {
            done.step == step && done.what == What::Decision
        })
    }

    /// The same for the edits of turns.
    pub(super) fn turn_edits(&mut self, origins: &BTreeSet<u64>, standing: Stands) -> Vec<Done> {
        self.turn(
            standing,
            |done| matches!(done.what, What::Edit { origin } if origins.contains(&origin)),
        )
    }

    fn turn(&mut self, standing: Stands, wanted: impl Fn(&Done) -> bool) -> Vec<Done> {
        let found = self
            .done
            .iter_mut()
            .filter(|done| done.standing != standing && wanted(done));
        let mut turned: Vec<Done> = found
            .map(|done| {
                done.standing = standing;
                done.clone()
            })
            .collect();
        turned.reverse();
        turned
    }
}

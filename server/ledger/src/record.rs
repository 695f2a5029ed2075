//! What the lines of a log add up to.

mod queries;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;

pub use queries::Decision;

use crate::entry::{
    Comment, CommentId, Entry, FileKey, FileState, GroupId, OpId, Operation, Origin, Rejected,
    RejectedId, Target, What,
};
use crate::hash::Hash;

/// Everything that is known of a workspace's reviews.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Record {
    root: PathBuf,
    operations: BTreeMap<OpId, Recorded>,
    files: BTreeMap<FileKey, FileState>,
    comments: BTreeMap<CommentId, Comment>,
    rejected: BTreeMap<RejectedId, Rejected>,
    /// Decisions that can be taken back, the last one last.
    undoable: Vec<GroupId>,
    /// Decisions that were taken back and can be made again, the last one last.
    undone: Vec<GroupId>,
    /// Turns that could be taken back in part only.
    forgotten: BTreeSet<Origin>,
    next: u64,
}

#[derive(Clone, Debug, PartialEq)]
struct Recorded {
    operation: Arc<Operation>,
    status: Status,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// Under way, or cut off: the file tells, by [`recover`](crate::recover).
    Open,
    Done,
}

/// Why a line means nothing here.
pub(crate) type Nonsense = &'static str;

impl Record {
    /// Takes in one more line.
    pub(crate) fn apply(&mut self, entry: &Entry) -> Result<(), Nonsense> {
        match entry {
            Entry::Started {
                root,
                next,
                forgotten,
                version: _,
            } => {
                self.forgotten.extend(forgotten.iter().cloned());
                self.root.clone_from(root);
                self.next = self.next.max(*next);
            }
            Entry::Intended(operation) => self.intend(operation)?,
            Entry::Done { op } => self.finish(*op)?,
            Entry::Abandoned { op } => self.abandon(*op)?,
            Entry::FileState(state) => self.hold(state.clone()),
            Entry::Settled { key } => {
                self.files.remove(key);
            }
            Entry::Commented(comment) => {
                self.use_up(comment.id.0);
                self.comments.insert(comment.id, comment.clone());
            }
            Entry::CommentRemoved { id } => {
                self.comments.remove(id).ok_or("there is no such comment")?;
            }
            Entry::Rejected(rejected) => {
                self.use_up(rejected.id.0);
                self.rejected.insert(rejected.id, rejected.clone());
            }
            Entry::RejectedRemoved { id } => {
                self.rejected
                    .remove(id)
                    .ok_or("there is no such rejected hunk")?;
            }
            Entry::Standing { undoable, undone } => {
                self.undoable.clone_from(undoable);
                self.undone.clone_from(undone);
            }
            Entry::Forgotten { through } => self.forget(*through),
        }
        Ok(())
    }

    /// The line that says which decisions can be taken back, if there are any.
    pub(crate) fn standing(&self) -> Option<Entry> {
        let is_empty = self.undoable.is_empty() && self.undone.is_empty();
        (!is_empty).then(|| Entry::Standing {
            undoable: self.undoable.clone(),
            undone: self.undone.clone(),
        })
    }

    /// The id that is given out next.
    pub(crate) fn next(&self) -> u64 {
        self.next
    }

    /// Texts that must stay, whatever is forgotten: pending reviews, rejected hunks, and what is under way.
    pub(crate) fn indispensable(&self) -> BTreeSet<Hash> {
        let pending = self.files.values().flat_map(|state| state.texts.hashes());
        let rejected = self.rejected.values().flat_map(Rejected::hashes);
        let open = self.open().flat_map(Operation::hashes);
        pending.chain(rejected).chain(open).collect()
    }

    /// Texts that a line makes superfluous, unless something else names them.
    pub(crate) fn replaced_by(&self, entry: &Entry) -> Vec<Hash> {
        let pending = |key: &FileKey| {
            let state = self.files.get(key);
            state.map_or(Vec::new(), |state| state.texts.hashes().collect())
        };
        match entry {
            Entry::FileState(state) => pending(&state.key),
            Entry::Settled { key } => pending(key),
            Entry::Done { op } => self
                .operations
                .get(op)
                .map_or(Vec::new(), |recorded| pending(&recorded.operation.key)),
            Entry::Abandoned { op } => self
                .operations
                .get(op)
                .map_or(Vec::new(), |recorded| recorded.operation.hashes().collect()),
            Entry::RejectedRemoved { id } => self
                .rejected
                .get(id)
                .map_or(Vec::new(), |rejected| rejected.hashes().collect()),
            Entry::Started { .. }
            | Entry::Intended(_)
            | Entry::Commented(_)
            | Entry::CommentRemoved { .. }
            | Entry::Rejected(_)
            | Entry::Standing { .. }
            | Entry::Forgotten { .. } => Vec::new(),
        }
    }

    /// Every text that anything needs, some more than once.
    pub(crate) fn named(&self) -> impl Iterator<Item = Hash> {
        let pending = self.files.values().flat_map(|state| state.texts.hashes());
        let rejected = self.rejected.values().flat_map(Rejected::hashes);
        let operations = self.operations();
        let operations = operations.flat_map(|(operation, _)| operation.hashes());
        pending.chain(rejected).chain(operations)
    }

    fn intend(&mut self, operation: &Arc<Operation>) -> Result<(), Nonsense> {
        // The ops of a group follow its id, and they are looked for there.
        if operation.group.0 >= operation.id.0 || self.operations.contains_key(&operation.id) {
            return Err("the operation has an id that it cannot have");
        }
        self.use_up(operation.id.0);
        let recorded = Recorded {
            operation: Arc::clone(operation),
            status: Status::Open,
        };
        self.operations.insert(operation.id, recorded);
        Ok(())
    }

    fn finish(&mut self, op: OpId) -> Result<(), Nonsense> {
        let recorded = self.operations.get_mut(&op);
        let recorded = recorded
            .filter(|recorded| recorded.status == Status::Open)
            .ok_or("there is no such open operation")?;
        recorded.status = Status::Done;
        let operation = Arc::clone(&recorded.operation);
        match (operation.what, &operation.target) {
            (What::Undo, Some(Target::Decision(group))) => {
                move_last(*group, &mut self.undoable, &mut self.undone);
            }
            (What::Redo, Some(Target::Decision(group))) => {
                move_last(*group, &mut self.undone, &mut self.undoable);
            }
            // Another one may have been done between two files of this.
            (what, _) if what.is_decision() && !self.undoable.contains(&operation.group) => {
                self.undoable.push(operation.group);
                // Who decides anew no longer wants what was taken back.
                self.undone.clear();
            }
            _ => {}
        }
        self.hold(FileState {
            key: operation.key.clone(),
            path: operation.path.clone(),
            texts: operation.after,
            detail: operation.detail.clone(),
        });
        Ok(())
    }

    fn abandon(&mut self, op: OpId) -> Result<(), Nonsense> {
        match self.operations.get(&op) {
            Some(recorded) if recorded.status == Status::Open => {
                self.operations.remove(&op);
                Ok(())
            }
            _ => Err("there is no such open operation"),
        }
    }

    fn hold(&mut self, state: FileState) {
        match state.texts.is_pending() {
            true => self.files.insert(state.key.clone(), state),
            false => self.files.remove(&state.key),
        };
    }

    /// The first group of which something is under way. It is not forgotten, and nothing after it: half of it could not be taken
    /// back, and what came later may have been about it.
    pub(crate) fn first_open_group(&self) -> Option<GroupId> {
        self.open().map(|operation| operation.group).next()
    }

    fn forget(&mut self, through: OpId) {
        let open = self.first_open_group();
        let may_go = |group: GroupId| open.is_none_or(|open| group < open);
        let forgotten = &mut self.forgotten;
        self.operations.retain(|id, recorded| {
            let operation = &recorded.operation;
            let stays = *id > through || !may_go(operation.group);
            if !stays && operation.what.is_change() {
                forgotten.extend(operation.origin.clone());
            }
            stays
        });
        let operations = &self.operations;
        let is_left = |group: &GroupId| queries::members(operations, *group).next().is_some();
        self.undoable.retain(is_left);
        self.undone.retain(is_left);
    }

    fn use_up(&mut self, id: u64) {
        self.next = self.next.max(id.saturating_add(1));
    }
}

fn move_last(group: GroupId, from: &mut Vec<GroupId>, to: &mut Vec<GroupId>) {
    // The first file of a group has moved it already.
    if let Some(place) = from.iter().rposition(|known| *known == group) {
        from.remove(place);
        to.push(group);
    }
}

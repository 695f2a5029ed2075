//! What can be asked of a record.

use std::collections::BTreeMap;
use std::path::Path;

use super::{Record, Recorded, Status};
use crate::entry::{
    Comment, FileKey, FileState, GroupId, OpId, Operation, Origin, Rejected, RejectedId, Target,
    What,
};

/// Operations that were asked for together, those that were carried out, in their order.
#[derive(Clone, Debug, PartialEq)]
pub struct Decision<'a> {
    pub group: GroupId,
    pub operations: Vec<&'a Operation>,
}

impl Decision<'_> {
    /// For people.
    pub fn words(&self) -> &str {
        let first = self.operations.first();
        first.map_or("", |operation| operation.words.as_str())
    }
}

impl Record {
    /// The workspace this is the record of.
    pub fn root(&self) -> &Path {
        &self.root
    }

    pub fn pending(&self) -> impl Iterator<Item = &FileState> {
        self.files.values()
    }

    pub fn pending_of(&self, key: &FileKey) -> Option<&FileState> {
        self.files.get(key)
    }

    pub fn comments(&self) -> impl Iterator<Item = &Comment> {
        self.comments.values()
    }

    /// Hunks that can still be applied, the newest last.
    pub fn rejected(&self) -> impl Iterator<Item = &Rejected> {
        self.rejected.values()
    }

    pub fn rejected_hunk(&self, id: RejectedId) -> Option<&Rejected> {
        self.rejected.get(&id)
    }

    pub fn operation(&self, op: OpId) -> Option<(&Operation, Status)> {
        let recorded = self.operations.get(&op)?;
        Some((recorded.operation.as_ref(), recorded.status))
    }

    /// Everything that is still kept, in the order in which it was intended.
    pub fn operations(&self) -> impl DoubleEndedIterator<Item = (&Operation, Status)> {
        let recorded = self.operations.values();
        recorded.map(|recorded| (recorded.operation.as_ref(), recorded.status))
    }

    /// What is under way, or was cut off when the process was.
    pub fn open(&self) -> impl Iterator<Item = &Operation> {
        self.operations()
            .filter(|(_, status)| *status == Status::Open)
            .map(|(operation, _)| operation)
    }

    /// The decision that an undo takes back.
    pub fn last_undoable(&self) -> Option<Decision<'_>> {
        self.undoable.last().map(|group| self.decision(*group))
    }

    /// The decision that a redo makes again. Its way is that of taking back [`Record::undo_of`].
    pub fn last_undone(&self) -> Option<Decision<'_>> {
        self.undone.last().map(|group| self.decision(*group))
    }

    pub fn decision(&self, group: GroupId) -> Decision<'_> {
        let operations = members(&self.operations, group)
            .filter(|recorded| recorded.status == Status::Done)
            .map(|recorded| recorded.operation.as_ref());
        Decision {
            group,
            operations: operations.collect(),
        }
    }

    /// The undo that took a decision back, if it is taken back now.
    pub fn undo_of(&self, group: GroupId) -> Option<Decision<'_>> {
        self.standing_undo(|target| *target == Target::Decision(group))
    }

    /// The undo that took a turn back, if it is taken back now.
    pub fn undo_of_turn(&self, origin: &Origin) -> Option<Decision<'_>> {
        self.standing_undo(|target| match target {
            Target::Turn(turn) => turn == origin,
            Target::Since(turn) => self.is_since(turn, origin),
            Target::Decision(_) => false,
        })
    }

    /// What a turn did to files, in its order.
    pub fn of_turn(&self, origin: &Origin) -> Vec<&Operation> {
        self.changes()
            .filter(|operation| operation.origin.as_ref() == Some(origin))
            .collect()
    }

    /// What a turn and those after it in its session did to files, in their order.
    pub fn since_turn(&self, origin: &Origin) -> Vec<&Operation> {
        self.changes()
            .skip_while(|operation| operation.origin.as_ref() != Some(origin))
            .filter(|operation| {
                let session = operation.origin.as_ref().map(|origin| &origin.session);
                session == Some(&origin.session)
            })
            .collect()
    }

    /// Turns of which something is no longer kept, whatever is left of them.
    pub fn forgotten_turns(&self) -> impl Iterator<Item = &Origin> {
        self.forgotten.iter()
    }

    fn changes(&self) -> impl Iterator<Item = &Operation> {
        self.operations()
            .filter(|(operation, status)| *status == Status::Done && operation.what.is_change())
            .map(|(operation, _)| operation)
    }

    fn is_since(&self, first: &Origin, origin: &Origin) -> bool {
        let place = |wanted: &Origin| {
            self.changes()
                .position(|operation| operation.origin.as_ref() == Some(wanted))
        };
        match (place(first), place(origin)) {
            (Some(first_place), Some(place)) => {
                first.session == origin.session && first_place <= place
            }
            _ => false,
        }
    }

    fn standing_undo(&self, is_meant: impl Fn(&Target) -> bool) -> Option<Decision<'_>> {
        let last = self.operations().rev().find(|(operation, status)| {
            let is_about = operation.target.as_ref().is_some_and(&is_meant);
            *status == Status::Done && is_about
        });
        let (last, _) = last?;
        (last.what == What::Undo).then(|| self.decision(last.group))
    }
}

/// The ids of a group's operations follow its own.
pub(super) fn members(
    operations: &BTreeMap<OpId, Recorded>,
    group: GroupId,
) -> impl Iterator<Item = &Recorded> {
    operations
        .range(OpId(group.0)..)
        .map(|(_, recorded)| recorded)
        .take_while(move |recorded| recorded.operation.group == group)
}

//! A record that has grown too large loses what is oldest.

use std::collections::{BTreeMap, BTreeSet};

use super::Ledger;
use crate::entry::{Entry, GroupId, OpId, Operation};
use crate::error::LedgerError;
use crate::hash::Hash;
use crate::log::Urgency;

impl Ledger {
    /// Texts that nothing names. Not while texts are put that are yet to be named.
    pub(super) fn drop_unneeded(&mut self) -> Result<(), LedgerError> {
        let mut needed = self.record.indispensable();
        let operations = self.record.operations();
        needed.extend(operations.flat_map(|(operation, _)| operation.hashes()));
        self.blobs.retain(&needed)
    }

    /// What a person typed into a pending file is superseded with every look at it. Called when the lines that say so
    /// are on the disk.
    pub(super) fn drop_stale(&mut self) -> Result<(), LedgerError> {
        if self.stale.is_empty() {
            return Ok(());
        }
        // One look at the record, however many there are: a decision about a thousand files leaves thousands.
        let mut stale = std::mem::take(&mut self.stale);
        for hash in self.unnamed.iter().copied().chain(self.record.named()) {
            stale.remove(&hash);
        }
        stale.iter().try_for_each(|hash| self.blobs.forget(hash))
    }

    /// Forgets the oldest decisions until there is room. What is pending stays, and what is under way with all that came after it.
    pub(super) fn keep_within_limits(&mut self) -> Result<(), LedgerError> {
        if self.blobs.total() <= self.limits.bytes {
            return Ok(());
        }
        // Well below the limit, so that this is not done again for every text.
        let aim = self.limits.bytes / 10 * 9;
        let Some((through, doomed)) = self.oldest_above(aim) else {
            return Ok(());
        };
        // The line comes first: a text without a name does no harm, a name without its text would.
        self.write(vec![Entry::Forgotten { through }], Urgency::Now)?;
        doomed.iter().try_for_each(|hash| self.blobs.forget(hash))
    }

    /// The last operation to be forgotten, and the texts that only it and those before it need.
    fn oldest_above(&self, aim: u64) -> Option<(OpId, BTreeSet<Hash>)> {
        let mut indispensable = self.record.indispensable();
        indispensable.extend(&self.unnamed);
        let mut uses: BTreeMap<Hash, usize> = BTreeMap::new();
        let operations = || self.record.operations().map(|(operation, _)| operation);
        for hash in operations().flat_map(Operation::hashes) {
            *uses.entry(hash).or_default() += 1;
        }
        let mut doomed = BTreeSet::new();
        let mut total = self.blobs.total();
        let mut last: Option<(GroupId, OpId)> = None;
        let open = self.record.first_open_group();
        let may_go = |operation: &&Operation| open.is_none_or(|open| operation.group < open);
        for operation in operations().take_while(may_go) {
            // Half a decision could not be taken back.
            let is_next = last.is_none_or(|(group, _)| group != operation.group);
            if is_next && total <= aim {
                break;
            }
            for hash in operation.hashes() {
                let left = uses.entry(hash).or_default();
                *left = left.saturating_sub(1);
                if *left == 0 && !indispensable.contains(&hash) && doomed.insert(hash) {
                    total = total.saturating_sub(self.blobs.size_of(&hash));
                }
            }
            last = Some((operation.group, operation.id));
        }
        last.map(|(_, op)| (op, doomed))
    }
}

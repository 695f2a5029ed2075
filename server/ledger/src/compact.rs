//! A log without the lines that no longer mean anything.

use std::collections::BTreeSet;

use crate::entry::{Entry, FileKey, OpId, VERSION};
use crate::record::Record;

/// A short log is not worth the trouble.
const WORTH_IT: usize = 256;

/// The lines that add up to the same record, if most of those that are there can go.
pub(crate) fn shortened(entries: &[(usize, Entry)], record: &Record) -> Option<Vec<Entry>> {
    if entries.len() < WORTH_IT {
        return None;
    }
    let lines = shortest(entries, record);
    (lines.len() * 2 < entries.len()).then_some(lines)
}

/// Operations stay as they are and in their order, because undoing a turn goes by it. Everything else is only what it is now.
pub(crate) fn shortest(entries: &[(usize, Entry)], record: &Record) -> Vec<Entry> {
    let is_kept = |op: &OpId| record.operation(*op).is_some();
    let mut touched: BTreeSet<&FileKey> = BTreeSet::new();
    let mut lines = vec![Entry::Started {
        version: VERSION,
        root: record.root().to_path_buf(),
        next: record.next(),
        forgotten: record.forgotten_turns().cloned().collect(),
    }];
    for (_, entry) in entries {
        match entry {
            Entry::Intended(operation) if is_kept(&operation.id) => {
                touched.insert(&operation.key);
                lines.push(entry.clone());
            }
            Entry::Done { op } if is_kept(op) => lines.push(entry.clone()),
            _ => {}
        }
    }
    lines.extend(record.standing());
    for state in record.pending() {
        touched.remove(&state.key);
        lines.push(Entry::FileState(state.clone()));
    }
    // What these operations left pending may have been settled since.
    lines.extend(
        touched
            .into_iter()
            .map(|key| Entry::Settled { key: key.clone() }),
    );
    lines.extend(record.comments().cloned().map(Entry::Commented));
    lines.extend(record.rejected().cloned().map(Entry::Rejected));
    lines
}

//! Texts of a record that cannot be read: what they were of is given up and told, once.

use std::collections::BTreeSet;
use std::path::Path;

use pollux_ledger::{
    FileKey, Hash, HunkText, Ledger, LedgerError, OpId, Opened, RejectedId, Texts,
};

/// So many files are named; of more it is said how many.
const NAMED: usize = 3;

/// What cannot be read.
#[derive(Debug, Default)]
pub(super) struct Lost {
    pending: Vec<(FileKey, String)>,
    rejected: Vec<RejectedId>,
    operation: Option<OpId>,
}

/// Gives up pending and rejected hunks that cannot be read.
pub(super) fn give_up_hunks(ledger: &mut Ledger) -> Lost {
    let mut texts: BTreeSet<Hash> = BTreeSet::new();
    let mut lost = Lost::default();
    for file in ledger.record().pending() {
        let unreadable = unreadable(ledger, hashes(&file.texts));
        if !unreadable.is_empty() {
            let name = file.path.display().to_string();
            lost.pending.push((file.key.clone(), name));
            texts.extend(unreadable);
        }
    }
    for hunk in ledger.record().rejected() {
        let apart = [&hunk.removed, &hunk.added].into_iter();
        let apart = apart.filter_map(|text| match text {
            HunkText::Here { .. } => None,
            HunkText::Apart(hash) => Some(*hash),
        });
        let unreadable = unreadable(ledger, apart);
        if !unreadable.is_empty() {
            lost.rejected.push(hunk.id);
            texts.extend(unreadable);
        }
    }
    set_aside(ledger, texts);
    for (key, _) in &lost.pending {
        note(ledger.settle(key.clone()));
    }
    for id in &lost.rejected {
        note(ledger.remove_rejected(*id));
    }
    lost
}

impl Lost {
    /// Gives up an operation that cannot be read, and with it all before it: an undo goes by the order.
    pub(super) fn give_up_operation(&mut self, ledger: &mut Ledger, op: OpId) {
        let Some((operation, _)) = ledger.record().operation(op) else {
            return;
        };
        let named = hashes(&operation.before).chain(hashes(&operation.after));
        let texts = unreadable(ledger, named);
        // Of another version, perhaps, and not damaged.
        if texts.is_empty() {
            return;
        }
        set_aside(ledger, texts);
        note(ledger.forget_through(op));
        self.operation = Some(op);
    }

    /// One sentence for people. None if nothing is lost.
    pub(super) fn sentence(&self, ledger: &Ledger, opened: &Opened, root: &Path) -> Option<String> {
        let mut lost = Vec::new();
        if let Some(log) = opened.damage {
            match log.lines {
                0 => {}
                1 => lost.push("one entry is broken".to_owned()),
                lines => lost.push(format!("{lines} entries are broken")),
            }
            if log.is_cut {
                lost.push("the newest entries are missing".to_owned());
            }
        }
        if !self.pending.is_empty() {
            let names: Vec<&str> = self.pending.iter().map(|(_, name)| name.as_str()).collect();
            let more = match names.len().saturating_sub(NAMED) {
                0 => String::new(),
                more => format!(" and {more} more"),
            };
            let names = names.get(..NAMED).unwrap_or(&names).join(", ");
            lost.push(format!(
                "the pending changes of {names}{more} cannot be read"
            ));
        }
        if !self.rejected.is_empty() {
            lost.push("rejected changes cannot be applied again".to_owned());
        }
        if self.operation.is_some() {
            lost.push("older changes cannot be undone".to_owned());
        }
        (!lost.is_empty()).then(|| {
            format!(
                "The review record of {} is damaged: {}. Files keep their text. Copies are in {}.",
                root.display(),
                lost.join(", "),
                ledger.folder().join("damaged").display()
            )
        })
    }
}

fn hashes(texts: &Texts) -> impl Iterator<Item = Hash> + use<> {
    [texts.base, texts.current, texts.agent]
        .into_iter()
        .flatten()
}

fn unreadable(ledger: &Ledger, hashes: impl Iterator<Item = Hash>) -> BTreeSet<Hash> {
    hashes.filter(|hash| ledger.text(hash).is_err()).collect()
}

fn set_aside(ledger: &mut Ledger, texts: BTreeSet<Hash>) {
    for hash in texts {
        note(ledger.set_aside(&hash));
    }
}

/// On a full disk it is found, and told, once more.
fn note(done: Result<(), LedgerError>) {
    if let Err(error) = done {
        tracing::warn!(%error, "what is damaged stays in the record");
    }
}

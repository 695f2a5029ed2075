//! Hunks that were turned down. They stay viewable, and can be applied after all.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use pollux_text::Buffer;

use super::Location;
use super::history::Done;
use super::operation::Refused;
use super::record::RecoveredHunk;
use super::rename::Name;
use crate::{DocumentKey, RejectedHunk, RejectedId};

/// So many are kept.
const MOST: usize = 500;

#[derive(Debug, Default)]
pub(super) struct RejectedHunks {
    kept: Vec<Kept>,
    /// Of decisions that were taken back, until something new is decided.
    undone: Vec<Kept>,
    numbers: u64,
}

/// A hunk with what is needed to apply it once more.
#[derive(Clone, Debug)]
pub(super) struct Kept {
    pub(super) shown: RejectedHunk,
    pub(super) at: Location,
    pub(super) recorded: RecordedAs,
    /// The decision that turned it down.
    pub(super) step: u64,
    pub(super) origin: u64,
    /// The file without it, and with nothing but it. Not known of hunks of earlier days.
    pub(super) texts: Option<(Buffer, Buffer)>,
}

/// What the record knows a hunk by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RecordedAs {
    /// The name under which it was handed over.
    Handed(RejectedId),
    /// The record's own, of earlier days.
    Found(pollux_ledger::RejectedId),
}

impl RejectedHunks {
    /// Returns them with their names.
    pub(super) fn add(
        &mut self,
        key: &DocumentKey,
        at: &Location,
        path: &Path,
        step: u64,
        refused: Vec<Refused>,
        without: &Buffer,
    ) -> Vec<RejectedHunk> {
        let mut named = Vec::new();
        for hunk in refused {
            self.numbers += 1;
            let shown = RejectedHunk {
                id: RejectedId(self.numbers),
                key: key.clone(),
                path: PathBuf::from(path),
                line: hunk.line,
                removed: hunk.removed,
                added: hunk.added,
            };
            named.push(shown.clone());
            self.kept.push(Kept {
                recorded: RecordedAs::Handed(shown.id),
                shown,
                at: at.clone(),
                step,
                origin: hunk.origin,
                texts: Some((without.clone(), hunk.with)),
            });
        }
        let surplus = self.kept.len().saturating_sub(MOST);
        self.kept.drain(..surplus);
        named
    }

    /// One of earlier days.
    pub(super) fn found(&mut self, hunk: RecoveredHunk, at: Location) {
        self.numbers += 1;
        let shown = RejectedHunk {
            id: RejectedId(self.numbers),
            key: hunk.key,
            path: hunk.path,
            line: hunk.line,
            removed: hunk.removed.into(),
            added: hunk.added.into(),
        };
        self.kept.push(Kept {
            shown,
            at,
            recorded: RecordedAs::Found(hunk.id),
            step: 0,
            origin: 0,
            texts: None,
        });
    }

    pub(super) fn join(&mut self, other: Self) {
        // The record knows hunks by numbers of both.
        self.numbers = self.numbers.max(other.numbers);
        for mut kept in other.kept {
            self.numbers += 1;
            kept.shown.id = RejectedId(self.numbers);
            self.kept.push(kept);
        }
    }

    /// A file has another name. Says what the record has to learn anew.
    pub(super) fn rename(
        &mut self,
        from: &DocumentKey,
        to: &Name,
    ) -> Vec<(RecordedAs, RejectedHunk)> {
        let here = self.kept.iter_mut().filter(|kept| kept.shown.key == *from);
        here.map(|kept| {
            kept.shown.key = to.key.clone();
            kept.shown.path.clone_from(&to.path);
            kept.at = to.at.clone();
            let handed = RecordedAs::Handed(kept.shown.id);
            let recorded = std::mem::replace(&mut kept.recorded, handed);
            (recorded, kept.shown.clone())
        })
        .collect()
    }

    pub(super) fn get(&self, id: RejectedId) -> Option<&Kept> {
        self.kept.iter().find(|kept| kept.shown.id == id)
    }

    pub(super) fn remove(&mut self, id: RejectedId) {
        self.kept.retain(|kept| kept.shown.id != id);
    }

    /// A decision was taken back. Returns what is no longer rejected.
    pub(super) fn forget(&mut self, decision: &Done) -> Vec<Kept> {
        let pending: Vec<(String, String)> = decision
            .before
            .review
            .hunks()
            .map(|hunk| (hunk.base_text(), hunk.current_text()))
            .collect();
        // Hunks of earlier days have lost their decision, and are known by what they did.
        let is_pending = |hunk: &RejectedHunk| {
            let mut same = pending
                .iter()
                .filter(|(removed, added)| *hunk.removed == **removed && *hunk.added == **added);
            same.next().is_some()
        };
        let (gone, kept): (Vec<Kept>, Vec<Kept>) = std::mem::take(&mut self.kept)
            .into_iter()
            .partition(|kept| {
                let is_here = kept.shown.key == decision.key;
                match kept.recorded {
                    RecordedAs::Handed(_) => is_here && kept.step == decision.step,
                    RecordedAs::Found(_) => is_here && is_pending(&kept.shown),
                }
            });
        self.kept = kept;
        self.undone.extend(gone.iter().cloned());
        gone
    }

    /// A decision is made again. Returns what is rejected once more.
    pub(super) fn again(&mut self, decision: &Done) -> Vec<(Location, RejectedHunk)> {
        let is_of = |kept: &Kept| {
            kept.shown.key == decision.key && (kept.step == decision.step || kept.step == 0)
        };
        let (again, undone): (Vec<Kept>, Vec<Kept>) = std::mem::take(&mut self.undone)
            .into_iter()
            .partition(is_of);
        self.undone = undone;
        let mut named = Vec::new();
        for mut kept in again {
            self.numbers += 1;
            kept.shown.id = RejectedId(self.numbers);
            kept.recorded = RecordedAs::Handed(kept.shown.id);
            kept.step = decision.step;
            named.push((kept.at.clone(), kept.shown.clone()));
            self.kept.push(kept);
        }
        named
    }

    /// After a new decision the undone ones cannot be made again.
    pub(super) fn decided(&mut self) {
        self.undone.clear();
    }

    pub(super) fn shown(&self) -> Arc<[RejectedHunk]> {
        self.kept.iter().map(|kept| kept.shown.clone()).collect()
    }
}

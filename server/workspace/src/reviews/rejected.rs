//! Hunks that were turned down. They stay viewable, and can be applied after all.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use pollux_text::Buffer;

use super::Location;
use super::operation::Refused;
use super::record::RecoveredHunk;
use crate::{DocumentKey, RejectedHunk, RejectedId};

/// So many are kept.
const MOST: usize = 500;

#[derive(Debug, Default)]
pub(super) struct RejectedHunks {
    kept: Vec<Kept>,
    numbers: u64,
}

/// A hunk with what is needed to apply it once more.
#[derive(Clone, Debug)]
pub(super) struct Kept {
    pub(super) shown: RejectedHunk,
    pub(super) at: Location,
    /// The decision that turned it down.
    pub(super) step: u64,
    pub(super) origin: u64,
    /// The file without it, and with nothing but it. Not known of hunks of earlier days.
    pub(super) texts: Option<(Buffer, Buffer)>,
}

impl RejectedHunks {
    pub(super) fn add(
        &mut self,
        key: &DocumentKey,
        at: &Location,
        path: &Path,
        step: u64,
        refused: Vec<Refused>,
        without: &Buffer,
    ) {
        for hunk in refused {
            self.numbers += 1;
            self.kept.push(Kept {
                shown: RejectedHunk {
                    id: RejectedId(self.numbers),
                    key: key.clone(),
                    path: PathBuf::from(path),
                    line: hunk.line,
                    removed: hunk.removed,
                    added: hunk.added,
                },
                at: at.clone(),
                step,
                origin: hunk.origin,
                texts: Some((without.clone(), hunk.with)),
            });
        }
        let surplus = self.kept.len().saturating_sub(MOST);
        self.kept.drain(..surplus);
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
            step: 0,
            origin: 0,
            texts: None,
        });
    }

    pub(super) fn join(&mut self, other: Self) {
        for mut kept in other.kept {
            self.numbers += 1;
            kept.shown.id = RejectedId(self.numbers);
            self.kept.push(kept);
        }
    }

    pub(super) fn get(&self, id: RejectedId) -> Option<&Kept> {
        self.kept.iter().find(|kept| kept.shown.id == id)
    }

    pub(super) fn remove(&mut self, id: RejectedId) {
        self.kept.retain(|kept| kept.shown.id != id);
    }

    /// The decision was taken back.
    pub(super) fn forget_step(&mut self, step: u64) {
        self.kept.retain(|kept| kept.step != step);
    }

    pub(super) fn shown(&self) -> Arc<[RejectedHunk]> {
        self.kept.iter().map(|kept| kept.shown.clone()).collect()
    }
}

//! How many of a turn's hunks are kept, rejected and pending in each file, told to the turn's session.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use pollux_agent::api::HunkCounts;
use pollux_agent::prompt::HunkVerdict;
use pollux_text::HunkKind;
use tokio::sync::mpsc;

use super::book::Book;
use super::file::State;
use super::operation::Deed;
use super::origins::Origins;
use crate::{DocumentKey, Origin, SessionId};

/// What was decided about one hunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Tally {
    origin: u64,
    kept: i64,
    rejected: i64,
}

impl Tally {
    pub(super) fn of(origin: u64, verdict: HunkVerdict) -> Self {
        let (kept, rejected) = match verdict {
            HunkVerdict::Kept | HunkVerdict::Edited => (1, 0),
            HunkVerdict::Rejected => (0, 1),
            // It waits once more.
            HunkVerdict::Reapplied => (0, -1),
            // The decision that is taken back counts no longer by itself.
            HunkVerdict::PendingAgain => (0, 0),
        };
        Self {
            origin,
            kept,
            rejected,
        }
    }

    /// As it was recorded in earlier days.
    pub(super) fn recorded(origin: u64, kept: i64, rejected: i64) -> Self {
        Self {
            origin,
            kept,
            rejected,
        }
    }
}

/// What an operation decides, by turn: so many are kept and so many rejected.
pub(super) type ByTurn = Vec<(Origin, i64, i64)>;

pub(super) fn by_turn(origins: &Origins, tallies: &[Tally]) -> ByTurn {
    let mut sums: BTreeMap<&Origin, (i64, i64)> = BTreeMap::new();
    for tally in tallies {
        if let Some(origin) = origins.get(tally.origin) {
            let sum = sums.entry(origin).or_default();
            sum.0 += tally.kept;
            sum.1 += tally.rejected;
        }
    }
    let sums = sums.into_iter();
    sums.filter(|(_, sum)| *sum != (0, 0))
        .map(|(origin, (kept, rejected))| (origin.clone(), kept, rejected))
        .collect()
}

/// Hunks that wait, and how many of them are conflicts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Waiting {
    hunks: usize,
    conflicts: usize,
}

impl Waiting {
    fn count_file(&mut self) {
        self.hunks += 1;
    }

    fn count(&mut self, kind: HunkKind) {
        self.hunks += 1;
        self.conflicts += usize::from(kind == HunkKind::Conflict);
    }
}

impl std::ops::AddAssign for Waiting {
    fn add_assign(&mut self, other: Self) {
        self.hunks += other.hunks;
        self.conflicts += other.conflicts;
    }
}

/// What waited of each edit before an operation, and what waits after it.
#[derive(Debug, Default)]
pub(super) struct Pending(BTreeMap<u64, (Waiting, Waiting)>);

impl Pending {
    /// Nothing for an edit of the agent: it decides nothing. The maker is that of a file of which there is nothing else to
    /// decide about.
    pub(super) fn between(deed: &Deed, before: &State, after: &State, maker: Option<u64>) -> Self {
        let mut pending = Self::default();
        if let Deed::Edit { .. } | Deed::Create { .. } | Deed::Shell { .. } = deed {
            return pending;
        }
        for hunk in before.review.hunks() {
            let waited = pending.0.entry(hunk.origin().0).or_default();
            waited.0.count(hunk.kind());
        }
        for hunk in after.review.hunks() {
            let waits = pending.0.entry(hunk.origin().0).or_default();
            waits.1.count(hunk.kind());
        }
        if let Some(maker) = maker {
            let (waited, waits) = pending.0.entry(maker).or_default();
            if before.is_bare() {
                waited.count_file();
            }
            if after.is_bare() {
                waits.count_file();
            }
        }
        pending
    }
}

/// The sessions that want to know, and what each was told last.
#[derive(Debug, Default)]
pub(super) struct Listeners {
    senders: BTreeMap<SessionId, mpsc::UnboundedSender<HunkCounts>>,
    told: BTreeMap<(Origin, DocumentKey), HunkCounts>,
}

impl Listeners {
    pub(super) fn join(&mut self, other: Self) {
        self.senders.extend(other.senders);
        self.told.extend(other.told);
    }

    fn tell(&mut self, origin: Origin, key: &DocumentKey, counts: HunkCounts) {
        let session = origin.session.clone();
        let Some(sender) = self.senders.get(&session) else {
            return;
        };
        let place = (origin, key.clone());
        if self.told.get(&place) == Some(&counts) {
            return;
        }
        if sender.send(counts.clone()).is_err() {
            self.senders.remove(&session);
            self.told.retain(|(origin, _), _| origin.session != session);
            return;
        }
        self.told.insert(place, counts);
    }
}

impl Book {
    pub(crate) fn listen(
        &mut self,
        session: SessionId,
        listener: mpsc::UnboundedSender<HunkCounts>,
    ) {
        self.listeners.senders.insert(session.clone(), listener);
        if self.reading.is_empty() {
            self.tell_all_counts(&session);
        }
    }

    /// The record has been read: whoever came sooner hears what it holds.
    pub(super) fn tell_recovered_counts(&mut self) {
        let sessions: Vec<SessionId> = self.listeners.senders.keys().cloned().collect();
        for session in sessions {
            self.tell_all_counts(&session);
        }
    }

    /// Tells a session how everything stands that it has edited, as far as that is known.
    fn tell_all_counts(&mut self, session: &SessionId) {
        let touched = self.history.touched();
        let touched: BTreeSet<(Origin, DocumentKey, PathBuf)> = touched
            .filter_map(|(turn, key, path)| {
                let is_its = turn.session == *session;
                is_its.then(|| (turn.clone(), key.clone(), path.to_owned()))
            })
            .collect();
        for (turn, key, path) in touched {
            let mut waiting = Waiting::default();
            let is_its = |origin: u64| self.origins.get(origin) == Some(&turn);
            if let Some(file) = self.files.get(&key) {
                let hunks = file.review.hunks();
                for hunk in hunks.filter(|hunk| is_its(hunk.origin().0)) {
                    waiting.count(hunk.kind());
                }
                if file.is_bare() && self.history.maker(&key).is_some_and(is_its) {
                    waiting.count_file();
                }
            }
            let counts = self.counts(&turn, &key, &path, waiting);
            if (counts.kept, counts.rejected, counts.pending) != (0, 0, 0) {
                self.listeners.tell(turn, &key, counts);
            }
        }
    }

    /// Tells the sessions whose hunks were decided how they stand now.
    pub(super) fn tell_counts(&mut self, key: &DocumentKey, path: &Path, pending: Pending) {
        let mut turns: BTreeMap<Origin, (Waiting, Waiting)> = BTreeMap::new();
        for (number, (before, after)) in pending.0 {
            if let Some(origin) = self.origins.get(number) {
                let turn = turns.entry(origin.clone()).or_default();
                turn.0 += before;
                turn.1 += after;
            }
        }
        for (origin, (before, after)) in turns {
            if before == after {
                continue;
            }
            let counts = self.counts(&origin, key, path, after);
            self.listeners.tell(origin, key, counts);
        }
    }

    fn counts(
        &self,
        turn: &Origin,
        key: &DocumentKey,
        path: &Path,
        waiting: Waiting,
    ) -> HunkCounts {
        let (mut kept, mut rejected) = (0, 0);
        for tally in self.history.tallies(key) {
            if self.origins.get(tally.origin) == Some(turn) {
                kept += tally.kept;
                rejected += tally.rejected;
            }
        }
        HunkCounts {
            turn: turn.turn,
            path: path.display().to_string(),
            kept: usize::try_from(kept).unwrap_or(0),
            rejected: usize::try_from(rejected).unwrap_or(0),
            pending: waiting.hunks,
            conflicts: waiting.conflicts,
        }
    }
}

//! The first so many of very many hits, without sorting all of them.

use std::cmp::Ordering;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use crate::collate;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Hit {
    pub(super) below: PathBuf,
    /// When it was changed, if that was recently.
    pub(super) recent: Option<SystemTime>,
}

/// Keeps at most twice what is wanted, and drops the worse half when that is reached.
pub(super) struct Best {
    wanted: usize,
    kept: Vec<Hit>,
    total: usize,
    /// Whether the last of `kept` up to `wanted` is a bound: nothing behind it is wanted any more.
    bound: Option<Hit>,
}

impl Best {
    pub(super) fn new(wanted: usize) -> Self {
        Self {
            wanted,
            kept: Vec::new(),
            total: 0,
            bound: None,
        }
    }

    pub(super) fn total(&self) -> usize {
        self.total
    }

    pub(super) fn add(&mut self, below: &Path, recent: Option<SystemTime>) {
        self.total += 1;
        let is_behind = self.bound.as_ref().is_some_and(|bound| {
            order((below, recent), (&bound.below, bound.recent)) == Ordering::Greater
        });
        if is_behind || self.wanted == 0 {
            return;
        }
        self.kept.push(Hit {
            below: below.to_path_buf(),
            recent,
        });
        if self.kept.len() >= self.wanted.saturating_mul(2) {
            self.prune();
        }
    }

    pub(super) fn join(&mut self, other: Self) {
        self.total += other.total;
        self.kept.extend(other.kept);
    }

    pub(super) fn into_sorted(mut self) -> Vec<Hit> {
        if self.kept.len() > self.wanted {
            self.prune();
        }
        self.kept.sort_unstable_by(hit_order);
        self.kept
    }

    fn prune(&mut self) {
        let Some(last) = self.wanted.checked_sub(1) else {
            self.kept.clear();
            return;
        };
        if last < self.kept.len() {
            let (_, bound, _) = self.kept.select_nth_unstable_by(last, hit_order);
            self.bound = Some(bound.clone());
            self.kept.truncate(self.wanted);
        }
    }
}

fn hit_order(left: &Hit, right: &Hit) -> Ordering {
    order((&left.below, left.recent), (&right.below, right.recent))
}

/// Recent ones first and the newest of them foremost, then by name.
fn order(left: (&Path, Option<SystemTime>), right: (&Path, Option<SystemTime>)) -> Ordering {
    // A time is more than none.
    right.1.cmp(&left.1).then_with(|| {
        collate::compare_bytes(
            left.0.as_os_str().as_encoded_bytes(),
            right.0.as_os_str().as_encoded_bytes(),
        )
    })
}

//! What people are told about the record of their reviews: once in each window, and again only if it was over meanwhile.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::book::Book;
use super::hands::Hands;
use super::record::Job;
use crate::{DoorId, Outbound, Severity};

/// What is wrong with a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Trouble {
    /// It cannot be opened.
    Blocked,
    /// It cannot be written to.
    Unwritten,
    /// Some of it could not be read.
    Damaged,
}

/// What is to be known, by folder.
#[derive(Debug, Default)]
pub(super) struct Notices(BTreeMap<(PathBuf, Trouble), String>);

impl Notices {
    pub(super) fn join(&mut self, other: Self) {
        self.0.extend(other.0);
    }

    pub(super) fn over(&mut self, root: &Path, trouble: Trouble) {
        self.0.remove(&(root.to_owned(), trouble));
    }
}

impl Book {
    /// Tells every window, unless they know it.
    pub(super) fn notice(
        &mut self,
        hands: &Hands<'_>,
        root: &Path,
        trouble: Trouble,
        text: String,
    ) {
        let place = (root.to_owned(), trouble);
        if self.notices.0.insert(place, text.clone()).is_some() {
            return;
        }
        for door in hands.doors.keys() {
            hands.send(*door, message(text.clone()));
            self.told(root, trouble);
        }
    }

    /// Tells a window that is new what the others know.
    pub(crate) fn tell_notices(&self, hands: &Hands<'_>, door: DoorId) {
        for ((root, trouble), text) in &self.notices.0 {
            hands.send(door, message(text.clone()));
            self.told(root, *trouble);
        }
    }

    /// A damage is told by this host, and not by the next one too.
    fn told(&self, root: &Path, trouble: Trouble) {
        if trouble == Trouble::Damaged
            && let Some(recorder) = self.recorders.get(root)
        {
            recorder.send(Job::DamageTold);
        }
    }
}

fn message(text: String) -> Outbound {
    Outbound::Message {
        severity: Severity::Warning,
        text,
    }
}

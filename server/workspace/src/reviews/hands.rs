//! What the reviews need of the room around them.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;

use tokio_util::sync::CancellationToken;

use super::{Disk, ReviewWork, Work};
use crate::inbox::WeakInbox;
use crate::room::DoorEntry;
use crate::{Document, DocumentKey, DoorId, Input, Outbound, SyncState, View};

/// Borrowed for as long as one message is handled.
pub(crate) struct Hands<'room> {
    pub(crate) documents: &'room BTreeMap<DocumentKey, Arc<Document>>,
    pub(crate) doors: &'room BTreeMap<DoorId, DoorEntry>,
    pub(crate) inbox: &'room WeakInbox,
    pub(crate) disk: &'room Arc<dyn Disk>,
}

/// Who has a file open.
pub(super) enum Leader<'room> {
    /// Nobody: the disk is the truth.
    Disk,
    View(&'room View),
    /// Somebody whose text cannot be relied on.
    OutOfStep,
}

impl<'room> Hands<'room> {
    pub(super) fn leader(&self, key: &DocumentKey) -> Leader<'room> {
        match self.documents.get(key).and_then(|open| open.latest()) {
            None => Leader::Disk,
            Some(view) if view.sync == SyncState::Synced => Leader::View(view),
            Some(_) => Leader::OutOfStep,
        }
    }

    pub(super) fn views(&self, key: &DocumentKey) -> &'room [View] {
        self.documents
            .get(key)
            .map_or(&[], |document| document.views())
    }

    pub(super) fn view(&self, key: &DocumentKey, door: DoorId) -> Option<&'room View> {
        self.views(key).iter().find(|view| view.door == door)
    }

    pub(super) fn send(&self, door: DoorId, message: Outbound) {
        if let Some(entry) = self.doors.get(&door) {
            entry.outbox.send(message);
        }
    }

    /// Does something that may wait for a disk; what comes of it is posted to the room.
    pub(super) fn elsewhere(
        &self,
        work: impl FnOnce(&dyn Disk) -> Work + Send + 'static,
        broken: impl FnOnce() -> Work + Send + 'static,
    ) {
        let Some(inbox) = self.inbox.upgrade() else {
            return;
        };
        let disk = Arc::clone(self.disk);
        tokio::task::spawn_blocking(move || {
            // Whatever happens in there, the room must learn that it is over.
            let done = catch_unwind(AssertUnwindSafe(|| work(&*disk))).unwrap_or_else(|_| broken());
            inbox.post(Input::ReviewWork(ReviewWork(done)));
        });
    }

    /// Posts something later, or as soon as whoever waits for it is stopped.
    pub(super) fn remind(&self, after: Duration, stopped: CancellationToken, work: Work) {
        // Weak: a reminder is no reason for a room to live.
        let inbox = self.inbox.clone();
        tokio::spawn(async move {
            // Whether the time has passed or nobody waits any more: the room looks what is the case.
            let _which = tokio::time::timeout(after, stopped.cancelled_owned()).await;
            if let Some(inbox) = inbox.upgrade() {
                inbox.post(Input::ReviewWork(ReviewWork(work)));
            }
        });
    }
}

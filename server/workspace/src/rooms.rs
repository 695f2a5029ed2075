//! The table of rooms: which workspace folders belong to which room, and who is in it.
//!
//! A room is found by its folders. A window with several folders joins them into one room; when
//! two rooms turn out to share a folder they become one, and nothing that is open gets lost.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::{ConfigurationSource, Door, DoorId, Inbox, Input, Snapshot, room};

/// All rooms of a host.
pub struct Rooms {
    source: Arc<dyn ConfigurationSource>,
    /// Held for a few map operations only, never across an await.
    table: Mutex<Vec<Entry>>,
}

struct Entry {
    inbox: Inbox,
    doors: BTreeMap<DoorId, Occupant>,
}

struct Occupant {
    /// The folders this door brought, in the order it named them.
    roots: Vec<PathBuf>,
    /// The inbox this door posts to. After a move it is a pipe into the room's own, and what
    /// concerns the door goes through the same pipe so that it stays behind the door's messages.
    inbox: Inbox,
}

/// A line for `pollux doctor`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RoomReport {
    pub roots: Vec<PathBuf>,
    pub doors: usize,
}

impl Rooms {
    pub fn new(source: Arc<dyn ConfigurationSource>) -> Self {
        Self {
            source,
            table: Mutex::default(),
        }
    }

    /// Lets a door into the room of its folders, which is opened if there is none yet.
    pub fn enter(&self, door: Door, roots: Vec<PathBuf>) -> Inbox {
        let mut table = self.lock();
        let entry = self.join_rooms(&mut table, &roots, None);
        let inbox = entry.inbox.clone();
        let occupant = Occupant {
            roots,
            inbox: inbox.clone(),
        };
        entry.doors.insert(door.id, occupant);
        inbox.post(Input::DoorEntered(door));
        inbox.post(Input::RootsChanged(entry.roots()));
        inbox
    }

    /// Folders were added to or removed from a door's window.
    pub fn change_roots(&self, door: DoorId, added: Vec<PathBuf>, removed: &[PathBuf]) {
        let mut table = self.lock();
        let Some(at) = position_of(&table, door) else {
            return;
        };
        let entry = self.join_rooms(&mut table, &added, Some(at));
        let Some(occupant) = entry.doors.get_mut(&door) else {
            return;
        };
        occupant.roots.retain(|root| !removed.contains(root));
        for root in added {
            if !occupant.roots.contains(&root) {
                occupant.roots.push(root);
            }
        }
        entry.inbox.post(Input::RootsChanged(entry.roots()));
    }

    /// A door has gone. A room without doors ends.
    pub fn leave(&self, door: DoorId) {
        let mut table = self.lock();
        let Some(at) = position_of(&table, door) else {
            return;
        };
        let Some(entry) = table.get_mut(at) else {
            return;
        };
        if let Some(occupant) = entry.doors.remove(&door) {
            occupant.inbox.post(Input::DoorLeft(door));
        }
        entry.inbox.post(Input::RootsChanged(entry.roots()));
        table.retain(|entry| !entry.doors.is_empty());
    }

    /// The room of a folder as it is now, if anybody is in it.
    pub async fn snapshot_of(&self, folder: &Path) -> Option<Arc<Snapshot>> {
        let inbox = {
            let table = self.lock();
            let entry = table.iter().find(|entry| entry.owns(folder))?;
            entry.inbox.clone()
        };
        let (reply, answer) = tokio::sync::oneshot::channel();
        inbox.post(Input::Snapshot { after: None, reply });
        answer.await.ok()
    }

    pub fn report(&self) -> Vec<RoomReport> {
        self.lock()
            .iter()
            .map(|entry| RoomReport {
                roots: entry.roots().to_vec(),
                doors: entry.doors.len(),
            })
            .collect()
    }

    /// Makes one room of all that own one of the roots, together with the one at `own`.
    fn join_rooms<'table>(
        &self,
        table: &'table mut Vec<Entry>,
        roots: &[PathBuf],
        own: Option<usize>,
    ) -> &'table mut Entry {
        let mut joined: Option<Entry> = None;
        let mut others = Vec::with_capacity(table.len() + 1);
        for (at, entry) in std::mem::take(table).into_iter().enumerate() {
            let shared = own == Some(at) || roots.iter().any(|root| entry.owns(root));
            match (&mut joined, shared) {
                (_, false) => others.push(entry),
                (None, true) => joined = Some(entry),
                (Some(joined), true) => {
                    entry.inbox.post(Input::MoveTo(joined.inbox.clone()));
                    joined.doors.extend(entry.doors);
                }
            }
        }
        let joined = joined.unwrap_or_else(|| Entry {
            inbox: room::open(Arc::clone(&self.source)),
            doors: BTreeMap::new(),
        });
        *table = others;
        table.push_mut(joined)
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Entry>> {
        // The table is consistent between any two statements that could panic.
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Entry {
    fn owns(&self, root: &Path) -> bool {
        self.doors
            .values()
            .any(|occupant| occupant.roots.iter().any(|own| own == root))
    }

    fn roots(&self) -> Arc<[PathBuf]> {
        let mut roots = Vec::new();
        for root in self.doors.values().flat_map(|occupant| &occupant.roots) {
            if !roots.contains(root) {
                roots.push(root.clone());
            }
        }
        roots.into()
    }
}

fn position_of(table: &[Entry], door: DoorId) -> Option<usize> {
    table
        .iter()
        .position(|entry| entry.doors.contains_key(&door))
}

#[cfg(test)]
mod tests;

//! The table of rooms: which workspace folders belong to which room, and who is in it.
//!
//! A room is found by its folders. A window with several folders joins them into one room; when
//! two rooms turn out to share a folder they become one, and nothing that is open gets lost.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::watch;

use crate::reviews::Records;
use crate::{
    CompanionWish, ConfigurationSource, Disk, Door, DoorContext, DoorId, Errands, Inbox, Input,
    Location, OpenQuestion, Snapshot, WeakInbox, room,
};

/// How long a host may take to let go of a record when it ends.
const HANDOVER: Duration = Duration::from_secs(2);
/// Enough for the last lines of an earlier edit of the same process.
const NO_PATIENCE: Duration = Duration::from_millis(100);

/// All rooms of a host.
pub struct Rooms {
    source: Arc<dyn ConfigurationSource>,
    disk: Arc<dyn Disk>,
    records: Option<Records>,
    numbers: AtomicU64,
    open: watch::Sender<Arc<[OpenRoom]>>,
    /// Held for a few map operations only, never across an await.
    table: Arc<Mutex<Vec<Entry>>>,
    errands: Errands,
}

struct Entry {
    id: RoomId,
    inbox: Inbox,
    doors: BTreeMap<DoorId, Occupant>,
    /// The folders of sessions, which stay when the last door has gone.
    leases: Vec<PathBuf>,
}

/// Keeps the room of a folder alive, and is a way into it. Held by whoever edits there without a door.
pub struct Lease {
    folder: PathBuf,
    inbox: Inbox,
    table: Arc<Mutex<Vec<Entry>>>,
}

struct Occupant {
    /// The folders this door brought, in the order it named them.
    roots: Vec<PathBuf>,
    door: RoomDoor,
    /// The inbox this door posts to. After a move it is a pipe into the room's own, and what
    /// concerns the door goes through the same pipe so that it stays behind the door's messages.
    inbox: Inbox,
}

/// Names a room for as long as the host lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RoomId(u64);

/// A room that somebody is in.
#[derive(Clone, Debug)]
pub struct OpenRoom {
    pub id: RoomId,
    /// The folders of its doors.
    pub roots: Vec<PathBuf>,
    /// The one that came last is last.
    pub doors: Vec<RoomDoor>,
    pub inbox: WeakInbox,
}

/// What is known of a door from the moment it enters.
#[derive(Clone, Debug)]
pub struct RoomDoor {
    pub context: DoorContext,
    pub editor: Option<Arc<str>>,
    pub companion: CompanionWish,
}

/// A line for `pollux doctor`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RoomReport {
    pub roots: Vec<PathBuf>,
    pub doors: usize,
}

impl Rooms {
    pub fn new(source: Arc<dyn ConfigurationSource>, disk: Arc<dyn Disk>) -> Self {
        Self {
            source,
            disk,
            records: None,
            numbers: AtomicU64::new(1),
            open: watch::Sender::new(Arc::from([])),
            table: Arc::default(),
            errands: Errands::default(),
        }
    }

    /// What people are asked and shown in the editors of all rooms.
    pub fn errands(&self) -> &Errands {
        &self.errands
    }

    /// Reviews are recorded below this folder, and outlive the host.
    pub fn recording_in(mut self, records: PathBuf) -> Self {
        self.records = Some(Records {
            base: records,
            socket: None,
            patience: HANDOVER,
        });
        self
    }

    /// Other processes can hand over their edits at this socket.
    pub fn taking_edits_at(mut self, socket: PathBuf) -> Self {
        if let Some(records) = &mut self.records {
            records.socket = Some(socket);
        }
        self
    }

    /// Edits do not wait long for a record that another process has: whoever makes them asks again.
    pub fn without_patience(mut self) -> Self {
        if let Some(records) = &mut self.records {
            records.patience = NO_PATIENCE;
        }
        self
    }

    /// Where the process takes edits that has the record of a folder, if it is another one and does.
    pub fn record_holder(&self, root: &Path) -> Option<PathBuf> {
        let holder = pollux_ledger::holder_of(&self.records.as_ref()?.base, root)?;
        holder
            .socket
            .filter(|_| holder.process != std::process::id())
    }

    /// Shows what sessions ask about edits in the rooms of their folders, for as long as there are sessions and rooms.
    pub fn follow(self: &Arc<Self>, mut questions: watch::Receiver<Vec<OpenQuestion>>) {
        let rooms = Arc::downgrade(self);
        tokio::spawn(async move {
            while questions.changed().await.is_ok() {
                let Some(rooms) = rooms.upgrade() else {
                    return;
                };
                let open = questions.borrow_and_update().clone();
                for entry in rooms.lock().iter() {
                    let mine = open.iter().filter(|question| entry.owns(&question.folder));
                    entry.inbox.post(Input::Asked(mine.cloned().collect()));
                }
            }
        });
    }

    /// Takes a lease of the room of a folder, which is opened if there is none yet. Needs a tokio runtime.
    pub fn lease(&self, folder: PathBuf) -> Lease {
        let mut table = self.lock();
        let entry = self.join_rooms(&mut table, std::slice::from_ref(&folder), None);
        entry.leases.push(folder.clone());
        entry.inbox.post(Input::RootsChanged(entry.roots()));
        let inbox = entry.inbox.clone();
        self.publish(&table);
        Lease {
            folder,
            inbox,
            table: Arc::clone(&self.table),
        }
    }

    /// Lets a door into the room of its folders, which is opened if there is none yet.
    pub fn enter(&self, door: Door, roots: Vec<PathBuf>) -> Inbox {
        let mut table = self.lock();
        let entry = self.join_rooms(&mut table, &roots, None);
        let inbox = entry.inbox.clone();
        let occupant = Occupant {
            roots,
            door: RoomDoor {
                context: door.context.clone(),
                editor: door.editor.clone(),
                companion: door.companion,
            },
            inbox: inbox.clone(),
        };
        entry.doors.insert(door.id, occupant);
        inbox.post(Input::DoorEntered(door));
        inbox.post(Input::RootsChanged(entry.roots()));
        self.publish(&table);
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
        self.publish(&table);
    }

    /// A door has gone. A room without doors and leases ends.
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
        table.retain(|entry| !entry.is_empty());
        self.publish(&table);
    }

    /// The rooms that somebody is in, and whoever is. Also tells when their folders have changed.
    pub fn open(&self) -> watch::Receiver<Arc<[OpenRoom]>> {
        self.open.subscribe()
    }

    /// The folders of the room that a folder belongs to. None when there is no such room.
    pub fn roots_of(&self, folder: &Path) -> Vec<PathBuf> {
        let table = self.lock();
        let entry = table.iter().find(|entry| entry.owns(folder));
        entry
            .map(|entry| entry.roots().to_vec())
            .unwrap_or_default()
    }

    fn publish(&self, table: &[Entry]) {
        let rooms = table.iter().filter(|entry| !entry.doors.is_empty());
        self.open.send_replace(rooms.map(Entry::open).collect());
    }

    /// The files of all rooms.
    pub fn disk(&self) -> Arc<dyn Disk> {
        Arc::clone(&self.disk)
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

    /// The text of a file as it is on the disk; nothing where there is none that can be shown. Blocks.
    pub fn text_on_disk(&self, at: &Location) -> Option<String> {
        self.disk.read(at).ok().flatten()
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
                    joined.leases.extend(entry.leases);
                }
            }
        }
        let joined = joined.unwrap_or_else(|| Entry {
            id: RoomId(self.numbers.fetch_add(1, Ordering::Relaxed)),
            inbox: room::open(
                Arc::clone(&self.source),
                Arc::clone(&self.disk),
                self.records.clone(),
            ),
            doors: BTreeMap::new(),
            leases: Vec::new(),
        });
        *table = others;
        table.push_mut(joined)
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Entry>> {
        locked(&self.table)
    }
}

impl Lease {
    pub fn inbox(&self) -> &Inbox {
        &self.inbox
    }

    /// The room as it is now, after everything that was posted before.
    pub async fn snapshot(&self) -> Option<Arc<Snapshot>> {
        let (reply, answer) = tokio::sync::oneshot::channel();
        self.inbox.post(Input::Snapshot { after: None, reply });
        answer.await.ok()
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        let mut table = locked(&self.table);
        let leased = |entry: &&mut Entry| entry.leases.contains(&self.folder);
        if let Some(entry) = table.iter_mut().find(leased) {
            let at = entry.leases.iter().position(|own| *own == self.folder);
            entry.leases.remove(at.unwrap_or_default());
            entry.inbox.post(Input::RootsChanged(entry.roots()));
        }
        table.retain(|entry| !entry.is_empty());
    }
}

fn locked(table: &Mutex<Vec<Entry>>) -> MutexGuard<'_, Vec<Entry>> {
    // The table is consistent between any two statements that could panic.
    table.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Entry {
    fn owns(&self, root: &Path) -> bool {
        let doors = self.doors.values().flat_map(|occupant| &occupant.roots);
        doors.chain(&self.leases).any(|own| own == root)
    }

    fn open(&self) -> OpenRoom {
        let mut roots: Vec<PathBuf> = Vec::new();
        for root in self.doors.values().flat_map(|occupant| &occupant.roots) {
            if !roots.contains(root) {
                roots.push(root.clone());
            }
        }
        let doors = self.doors.values().map(|occupant| occupant.door.clone());
        OpenRoom {
            id: self.id,
            roots,
            doors: doors.collect(),
            inbox: self.inbox.downgrade(),
        }
    }

    fn is_empty(&self) -> bool {
        self.doors.is_empty() && self.leases.is_empty()
    }

    fn roots(&self) -> Arc<[PathBuf]> {
        let mut roots = Vec::new();
        let doors = self.doors.values().flat_map(|occupant| &occupant.roots);
        for root in doors.chain(&self.leases) {
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

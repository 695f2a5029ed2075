//! The IDE companion: editor context for an outside agent core, and its diffs as reviews.
//!
//! An agent in a terminal, such as gemini-cli, finds the room of its folder by a file that is written for it, is told what
//! the editor shows, and has its edits decided hunk by hunk in the editor before it makes them. The file on disk is the
//! agent's to write: here nothing is written but the file that it finds us by.
//!
//! # Layout
//!
//! One [`server`] per room that an editor is in. A [`session`] is one agent; [`message`] reads what it says, [`context`] is
//! what it is told, and [`diffs`] are the edits it proposes: where they may be ([`place`]), whose turn it is ([`turns`]) and
//! what becomes of them ([`outcome`]). [`discovery`] is how it finds us. Why it is not built on the library that the rest
//! of this crate uses for its transport stands in decision 0013.

pub(crate) mod context;
mod diffs;
mod discovery;
mod message;
mod outcome;
pub(crate) mod place;
pub(crate) mod room;
mod server;
mod session;
mod turns;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use pollux_workspace::{CompanionWish, Disk, OpenRoom, RoomId, Rooms, Sessions};
use tokio::sync::watch;
use tokio_util::task::AbortOnDropHandle;
use tracing::warn;

use discovery::Discovery;
use server::Companion;

/// How long a room is left to itself before a companion is started.
const SETTLING: Duration = Duration::from_millis(50);

/// The companions of a host, one for each room that somebody is in.
#[derive(Clone)]
pub struct Companions {
    /// What is to be removed when the process ends before the rooms do.
    files: Arc<Mutex<Discovery>>,
    _task: Arc<AbortOnDropHandle<()>>,
}

/// What companions need of the host.
#[derive(Clone)]
struct Surroundings {
    sessions: Arc<Sessions>,
    disk: Arc<dyn Disk>,
    files: Arc<Mutex<Discovery>>,
}

impl Companions {
    /// Follows the rooms from now on. Needs a tokio runtime.
    pub fn start(rooms: &Rooms, sessions: Arc<Sessions>) -> Self {
        let files = Arc::new(Mutex::new(Discovery::default()));
        let surroundings = Surroundings {
            sessions,
            disk: rooms.disk(),
            files: Arc::clone(&files),
        };
        let task = tokio::spawn(follow(rooms.open(), surroundings));
        Self {
            files,
            _task: Arc::new(AbortOnDropHandle::new(task)),
        }
    }

    /// Nobody finds us any more. For a host that ends while somebody is still there.
    pub fn hide(&self) {
        locked(&self.files).remove_all();
    }
}

fn locked(files: &Mutex<Discovery>) -> MutexGuard<'_, Discovery> {
    files.lock().unwrap_or_else(PoisonError::into_inner)
}

async fn follow(mut rooms: watch::Receiver<Arc<[OpenRoom]>>, surroundings: Surroundings) {
    let mut companions: BTreeMap<RoomId, Companion> = BTreeMap::new();
    loop {
        let open = Arc::clone(&rooms.borrow_and_update());
        let wanted: Vec<&OpenRoom> = open.iter().filter(|room| is_wanted(room)).collect();
        let over = companions.extract_if(.., |id, _| wanted.iter().all(|room| room.id != *id));
        for (_, companion) in over {
            companion.end();
        }
        let is_new = |room: &&OpenRoom| !companions.contains_key(&room.id);
        if wanted.iter().any(is_new) {
            // An editor that has just come waits for an answer; nobody waits for this.
            tokio::time::sleep(SETTLING).await;
            if rooms.has_changed().unwrap_or_default() {
                continue;
            }
        }
        for room in wanted {
            if let Some(companion) = companions.get_mut(&room.id) {
                companion.show(room);
                continue;
            }
            match Companion::start(room, surroundings.clone()).await {
                Ok(companion) => {
                    companions.insert(room.id, companion);
                }
                Err(error) => warn!(%error, "agents outside cannot be let in"),
            }
        }
        if rooms.changed().await.is_err() {
            return;
        }
    }
}

/// A person may have switched it off, in all of their windows.
fn is_wanted(room: &OpenRoom) -> bool {
    let mut doors = room.doors.iter();
    doors.any(|door| door.companion == CompanionWish::Wanted)
}

/// Where the agents of a room's terminals look for us: each in the folder for temporary files of its own environment.
fn temporary_folders(room: &OpenRoom) -> Vec<PathBuf> {
    let mut folders: Vec<PathBuf> = Vec::new();
    for door in &room.doors {
        let environment = &door.context.environment;
        let named = ["TMPDIR", "TMP", "TEMP"]
            .iter()
            .find_map(|name| environment.get(*name).filter(|value| !value.is_empty()));
        let folder = named.map_or_else(|| PathBuf::from("/tmp"), PathBuf::from);
        if folder.is_absolute() && !folders.contains(&folder) {
            folders.push(folder);
        }
    }
    folders
}

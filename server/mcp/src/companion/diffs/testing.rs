//! A room with a window in it, for tests of what agents propose there.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use pollux_agent::FileError;
use pollux_text::PositionEncoding;
use pollux_workspace::{
    CompanionWish, Configuration, ConfigurationSource, Disk, DocumentKey, Door, DoorContext,
    DoorId, Input, Location, OpenQuestion, OpenedSession, Outbound, Outbox, Replaced, Rooms,
    SessionError, SessionRequest, SessionSource, SessionSummary, Sessions,
};
use tempfile::TempDir;
use tokio::sync::{mpsc, watch};
use tokio_util::sync::CancellationToken;

use super::super::room::Room;
use super::super::session::Session;
use super::Diffs;

struct Nothing;

impl ConfigurationSource for Nothing {
    fn load(&self, _: &[PathBuf], _: &DoorContext, _: Option<bool>) -> Configuration {
        Configuration::default()
    }
}

impl SessionSource for Nothing {
    fn open(&self, _: &SessionRequest) -> Result<OpenedSession, SessionError> {
        Err(SessionError::NotPossible("no sessions here".to_owned()))
    }

    fn list(&self, _: &DoorContext, _: &Path) -> Vec<SessionSummary> {
        Vec::new()
    }

    fn delete(&self, _: &DoorContext, _: &Path, _: &str) -> Result<(), SessionError> {
        Err(SessionError::NotFound("no sessions here".to_owned()))
    }
}

impl Disk for Nothing {
    fn read(&self, at: &Location) -> Result<Option<String>, FileError> {
        Ok(fs::read_to_string(&at.path).ok())
    }

    fn replace(
        &self,
        _: &Location,
        _: Option<&str>,
        _: Option<&str>,
    ) -> Result<Replaced, FileError> {
        Err(FileError::NotFound)
    }

    fn rename(&self, _: &Location, _: &Location) -> Result<(), FileError> {
        Err(FileError::NotFound)
    }
}

/// A room with a window in it.
pub(in crate::companion) struct Stage {
    folder: TempDir,
    pub(super) rooms: Rooms,
    pub(in crate::companion) room: Room,
    pub(in crate::companion) diffs: Arc<Diffs>,
    pub(super) questions: watch::Receiver<Vec<OpenQuestion>>,
    _outbound: mpsc::Receiver<Outbound>,
}

impl Stage {
    pub(in crate::companion) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let root = fs::canonicalize(folder.path()).unwrap();
        let rooms = Rooms::new(Arc::new(Nothing), Arc::new(Nothing));
        let (outbox, outbound) = Outbox::new(1_000, CancellationToken::new());
        let door = Door {
            id: DoorId::new(1),
            context: DoorContext::default(),
            encoding: PositionEncoding::Utf16,
            editor: None,
            companion: CompanionWish::Wanted,
            queries: std::collections::BTreeSet::default(),
            outbox,
        };
        rooms.enter(door, vec![root]);
        let room = Room(rooms.open().borrow()[0].inbox.clone());
        let sessions = Sessions::new(Arc::new(Nothing));
        let questions = sessions.questions();
        let diffs = Arc::new(Diffs::new(room.clone(), sessions, Arc::new(Nothing)));
        Self {
            folder,
            rooms,
            room,
            diffs,
            questions,
            _outbound: outbound,
        }
    }

    pub(in crate::companion) fn path(&self, name: &str) -> String {
        let root = fs::canonicalize(self.folder.path()).unwrap();
        root.join(name).to_str().unwrap().to_owned()
    }

    pub(in crate::companion) async fn open(&self, session: &Arc<Session>, name: &str) {
        let opened = self
            .diffs
            .open(session, self.path(name), "text\n".to_owned());
        opened.await.unwrap();
    }

    /// The window opens a file.
    pub(in crate::companion) fn show(&self, name: &str) {
        let path = self.path(name);
        self.room.post(Input::Opened {
            door: DoorId::new(1),
            key: DocumentKey::File(path.as_str().into()),
            uri: format!("file://{path}"),
            language: "text".to_owned(),
            version: 1,
            text: String::new(),
        });
    }

    /// Waits until so many edits are shown.
    pub(in crate::companion) async fn shown(&mut self, count: usize) {
        let as_wanted = |questions: &Vec<OpenQuestion>| questions.len() == count;
        self.questions.wait_for(as_wanted).await.unwrap();
    }

    /// Waits until nothing is kept of any edit any more.
    pub(in crate::companion) async fn empty(&mut self) {
        self.shown(0).await;
        // Those that waited for their turn show nothing when they end, but end as soon as they can.
        for _ in 0..100 {
            tokio::task::yield_now().await;
        }
        assert_eq!(self.diffs.turns.files(), 0);
        assert_eq!(self.diffs.lock().open.len(), 0);
    }
}

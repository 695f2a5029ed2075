//! Door and host in the test's own process, over pipes in memory.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use pollux_agent::FileError;
use pollux_lsp::{Host, door};
use pollux_testkit::fake_editor::FakeEditor;
use pollux_workspace::{
    Configuration, ConfigurationSource, Disk, DoorContext, DoorId, Location, OpenedSession,
    Replaced, Rooms, SessionError, SessionRequest, SessionSource, SessionSummary, Sessions,
};
use tokio::io::{DuplexStream, ReadHalf, WriteHalf};

struct NoSettings;

impl ConfigurationSource for NoSettings {
    fn load(&self, _: &[PathBuf], _: &DoorContext, _: Option<bool>) -> Configuration {
        Configuration::default()
    }
}

struct NoFiles;

impl Disk for NoFiles {
    fn read(&self, _: &Location) -> Result<Option<String>, FileError> {
        Ok(None)
    }

    fn replace(
        &self,
        _: &Location,
        _: Option<&str>,
        _: Option<&str>,
    ) -> Result<Replaced, FileError> {
        Ok(Replaced::Differs(None))
    }

    fn rename(&self, _: &Location, _: &Location) -> Result<(), FileError> {
        Err(FileError::NotFound)
    }
}

struct NoSessions;

impl SessionSource for NoSessions {
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

/// A host that doors of the test can enter.
#[derive(Clone)]
pub(crate) struct Memory {
    host: Host,
    doors: Arc<AtomicU64>,
}

impl Default for Memory {
    fn default() -> Self {
        Self {
            host: Host {
                rooms: Arc::new(Rooms::new(Arc::new(NoSettings), Arc::new(NoFiles))),
                sessions: Sessions::new(Arc::new(NoSessions)),
                doctor: Arc::new(|_, _| "well".to_owned()),
            },
            doors: Arc::default(),
        }
    }
}

impl Memory {
    /// A host whose doctor says this.
    pub(crate) fn with_doctor(doctor: impl Fn() -> String + Send + Sync + 'static) -> Self {
        let mut memory = Self::default();
        memory.host.doctor = Arc::new(move |_, _| doctor());
        memory
    }

    pub(crate) fn door(&self) -> FakeEditor {
        let (editor, server_end) = FakeEditor::in_memory();
        let (reader, writer) = tokio::io::split(server_end);
        let host = self.clone();
        tokio::spawn(door::run(reader, writer, host, |_| std::future::pending()));
        editor
    }
}

impl pollux_door::Connect for Memory {
    type Reader = ReadHalf<DuplexStream>;
    type Writer = WriteHalf<DuplexStream>;

    async fn connect(&mut self) -> io::Result<(Self::Reader, Self::Writer)> {
        let (door, host) = tokio::io::duplex(64 * 1024);
        let (reader, writer) = tokio::io::split(host);
        let id = DoorId::new(self.doors.fetch_add(1, Ordering::Relaxed));
        let host = self.host.clone();
        tokio::spawn(async move {
            pollux_lsp::serve(reader, writer, host, id, DoorContext::default()).await;
        });
        Ok(tokio::io::split(door))
    }
}

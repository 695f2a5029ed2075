//! Clients that hold files without being an editor of the room: they answer what a file holds and take what it is to hold.
//!
//! Such a client tells of nothing by itself, so it is asked when somebody needs to know. It speaks text and nothing else, and
//! it may never answer: every question has a deadline, and ends when the client goes.

#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::future::Future;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::sync::mpsc::sync_channel;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::runtime::Handle;
use tokio_util::sync::CancellationToken;

use crate::SessionId;

/// An answer of a client.
pub type Answering<T> = Pin<Box<dyn Future<Output = Result<T, ClientFailure>> + Send>>;

/// The files of one session of one client. Dropping what is answered takes the question back.
pub trait ClientFiles: Send + Sync + 'static {
    fn offers(&self) -> FileOffer;

    /// What the client has as the text of a file, saved or not.
    fn read(&self, path: PathBuf) -> Answering<String>;

    /// Makes this the text of a file, and saves it.
    fn write(&self, path: PathBuf, text: String) -> Answering<()>;
}

/// What a client does with files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileOffer {
    Reads,
    Writes,
    ReadsAndWrites,
}

impl FileOffer {
    fn reads(self) -> bool {
        matches!(self, Self::Reads | Self::ReadsAndWrites)
    }

    fn writes(self) -> bool {
        matches!(self, Self::Writes | Self::ReadsAndWrites)
    }
}

/// Why a client did not do it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ClientFailure {
    #[error("{0}")]
    Refused(String),
    #[error("the client does not answer")]
    NoAnswer,
    #[error("nobody waits for it any more")]
    Stopped,
}

/// A folder of a client's session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClientFolder {
    /// By its one true name.
    pub real: PathBuf,
    /// As the client calls it. It may know it by no other name.
    pub named: PathBuf,
}

/// How long a client may take.
#[derive(Clone, Copy, Debug)]
pub struct Patience {
    pub read: Duration,
    /// A formatter may run in it.
    pub write: Duration,
}

impl Default for Patience {
    fn default() -> Self {
        Self {
            read: Duration::from_secs(5),
            write: Duration::from_secs(30),
        }
    }
}

/// The clients of a host that hold files.
#[derive(Default)]
pub struct FileClients {
    patience: Patience,
    /// The one that came last is last.
    table: Mutex<Vec<Arc<FileClient>>>,
}

/// A client that holds the files of some folders, for one session.
pub struct FileClient {
    session: SessionId,
    folders: Vec<ClientFolder>,
    files: Arc<dyn ClientFiles>,
    patience: Patience,
    runtime: Handle,
    gone: CancellationToken,
    known: Mutex<HashMap<PathBuf, Known>>,
}

/// What a client last said of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Known {
    /// The same as the disk, and this was it.
    Saved(u64),
    Unsaved,
}

/// Keeps a client known. When it is dropped, nobody asks any more, and whoever waits has an answer.
pub struct FileClientLease {
    client: Arc<FileClient>,
    clients: Arc<FileClients>,
}

impl FileClients {
    pub fn new(patience: Patience) -> Self {
        Self {
            patience,
            table: Mutex::default(),
        }
    }

    /// Needs a tokio runtime, where the client is asked from then on.
    pub fn admit(
        self: &Arc<Self>,
        session: SessionId,
        folders: Vec<ClientFolder>,
        files: Arc<dyn ClientFiles>,
    ) -> FileClientLease {
        let client = Arc::new(FileClient {
            session,
            folders,
            files,
            patience: self.patience,
            runtime: Handle::current(),
            gone: CancellationToken::new(),
            known: Mutex::default(),
        });
        lock(&self.table).push(Arc::clone(&client));
        FileClientLease {
            client,
            clients: Arc::clone(self),
        }
    }

    /// The client to ask what the files of a folder hold: the one that shows this session, or else any.
    pub fn reader(&self, folder: &Path, session: Option<&SessionId>) -> Option<Arc<FileClient>> {
        self.find(folder, session, FileOffer::reads)
    }

    /// The same for whoever writes them.
    pub fn writer(&self, folder: &Path, session: Option<&SessionId>) -> Option<Arc<FileClient>> {
        self.find(folder, session, FileOffer::writes)
    }

    fn find(
        &self,
        folder: &Path,
        session: Option<&SessionId>,
        offers: impl Fn(FileOffer) -> bool,
    ) -> Option<Arc<FileClient>> {
        let table = lock(&self.table);
        let able = table.iter().rev().filter(|client| {
            let has = client.folders.iter().any(|own| own.real == folder);
            has && offers(client.files.offers())
        });
        let shows = |client: &&Arc<FileClient>| Some(&client.session) == session;
        able.clone()
            .find(shows)
            .or_else(|| able.clone().next())
            .cloned()
    }
}

impl Drop for FileClientLease {
    fn drop(&mut self) {
        lock(&self.clients.table).retain(|client| !Arc::ptr_eq(client, &self.client));
        self.client.gone.cancel();
    }
}

impl FileClient {
    /// What a file holds, given what the disk has. A client that has no answer, for whatever reason, has nothing to add to that.
    /// Blocks.
    pub fn latest(
        &self,
        path: &Path,
        on_disk: Option<&str>,
        stopped: &CancellationToken,
    ) -> Option<String> {
        let disk = || on_disk.map(str::to_owned);
        if !self.files.offers().reads() {
            return disk();
        }
        let reading = self.files.read(self.name_of(path));
        let Ok(text) = self.wait(reading, self.patience.read, stopped) else {
            return disk();
        };
        // Some say so of a file that is not there.
        if on_disk.is_none() && text.is_empty() {
            return None;
        }
        let is_saved = on_disk == Some(text.as_str());
        let sum = sum(&text);
        let mut known = lock(&self.known);
        if is_saved {
            known.insert(path.to_owned(), Known::Saved(sum));
            return Some(text);
        }
        // It holds what it held when it was saved: somebody else has changed the file, and it has yet to hear of that.
        if known.get(path) == Some(&Known::Saved(sum)) {
            return disk();
        }
        known.insert(path.to_owned(), Known::Unsaved);
        Some(text)
    }

    /// What the client has, right after it was written. Blocks.
    pub fn afterwards(&self, path: &Path, on_disk: Option<&str>) -> Option<String> {
        lock(&self.known).remove(path);
        self.latest(path, on_disk, &CancellationToken::new())
    }

    /// Blocks until the client has written the file, or will not.
    pub fn write(
        &self,
        path: &Path,
        text: &str,
        stopped: &CancellationToken,
    ) -> Result<(), ClientFailure> {
        let writing = self.files.write(self.name_of(path), text.to_owned());
        self.wait(writing, self.patience.write, stopped)
    }

    /// The files below a folder that had something unsaved when they were last asked for.
    pub fn unsaved(&self, folder: &Path) -> Vec<PathBuf> {
        let known = lock(&self.known);
        let unsaved = known
            .iter()
            .filter(|(path, known)| **known == Known::Unsaved && path.starts_with(folder));
        unsaved.map(|(path, _)| path.clone()).collect()
    }

    /// A path as the client knows it.
    fn name_of(&self, path: &Path) -> PathBuf {
        let named = self.folders.iter().find_map(|folder| {
            let rest = path.strip_prefix(&folder.real).ok()?;
            Some(folder.named.join(rest))
        });
        named.unwrap_or_else(|| path.to_owned())
    }

    /// The calling thread waits, and nothing else does.
    fn wait<T: Send + 'static>(
        &self,
        answering: Answering<T>,
        patience: Duration,
        stopped: &CancellationToken,
    ) -> Result<T, ClientFailure> {
        let (gone, stopped) = (self.gone.clone(), stopped.clone());
        let (done, answer) = sync_channel(1);
        self.runtime.spawn(async move {
            let result = tokio::select! {
                biased;
                () = stopped.cancelled() => Err(ClientFailure::Stopped),
                () = gone.cancelled() => Err(ClientFailure::NoAnswer),
                result = answering => result,
                () = tokio::time::sleep(patience) => Err(ClientFailure::NoAnswer),
            };
            let _waits = done.send(result);
        });
        // A runtime that ends drops the task, and with it the other end.
        answer.recv().unwrap_or(Err(ClientFailure::NoAnswer))
    }
}

fn sum(text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish()
}

/// Held for a few operations on memory.
fn lock<T>(held: &Mutex<T>) -> MutexGuard<'_, T> {
    held.lock().unwrap_or_else(PoisonError::into_inner)
}

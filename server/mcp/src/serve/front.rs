//! One way in, and everything that its clients share.

use std::io;
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use pollux_agent::Ignoring;
use pollux_workspace::{Disk, OpenRoom, Rooms};
use rmcp::ServiceExt;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::sync::{Semaphore, watch};
use tokio_util::sync::CancellationToken;
use tracing::{debug, info};

use super::client::Client;
use super::proposals::Proposals;
use super::sight::{Blind, Rules, Sight};
use crate::companion::room::Room;

/// At the same time. Each may hold a large file.
const MOST_CALLS: usize = 64;

/// How long answers may still come once a client has closed its end.
const FAREWELL: Duration = Duration::from_millis(500);

/// Reads the ignore rules of a folder.
pub type ReadRules = dyn Fn(&Path) -> Arc<Ignoring> + Send + Sync;

/// What a front needs of the host.
#[derive(Clone)]
pub struct Outlook {
    pub rooms: Arc<Rooms>,
    /// The edits that wait for a person, whichever way they came in.
    pub proposals: Arc<Proposals>,
    /// The ignore rules of a folder, as tools go by them.
    pub ignoring: Arc<ReadRules>,
}

/// A pipe or a port by which clients look into the room of one folder.
///
/// The room is looked for anew with every call: editors come and go while a client stays.
pub struct Front {
    folder: PathBuf,
    rooms: watch::Receiver<Arc<[OpenRoom]>>,
    disk: Arc<dyn Disk>,
    ignoring: Arc<ReadRules>,
    pub(super) calls: Arc<Semaphore>,
    pub(super) proposals: Arc<Proposals>,
}

impl Front {
    /// `folder` is where the client works. Needs a tokio runtime.
    pub fn new(outlook: &Outlook, folder: &Path) -> Arc<Self> {
        let disk = outlook.rooms.disk();
        // Editors name their folders without links, most of them.
        let folder = std::fs::canonicalize(folder).unwrap_or_else(|_| folder.to_owned());
        Arc::new(Self {
            folder,
            rooms: outlook.rooms.open(),
            proposals: Arc::clone(&outlook.proposals),
            disk,
            ignoring: Arc::clone(&outlook.ignoring),
            calls: Arc::new(Semaphore::new(MOST_CALLS)),
        })
    }

    /// Wakes when somebody enters or leaves a room.
    pub(super) fn rooms(&self) -> watch::Receiver<Arc<[OpenRoom]>> {
        self.rooms.clone()
    }

    /// The room that has the folder in it, if an editor is there.
    pub(super) fn room(&self) -> Option<Room> {
        let open = Arc::clone(&self.rooms.borrow());
        let spelled = nearest(&open, |root| self.folder.starts_with(root));
        // An editor may have come to its folder by a link.
        let room = spelled.or_else(|| {
            let real = |root: &Path| std::fs::canonicalize(root);
            nearest(&open, |root| {
                real(root).is_ok_and(|root| self.folder.starts_with(root))
            })
        });
        room.map(|room| Room(room.inbox.clone()))
    }

    /// The room as it is now.
    pub(super) async fn look(&self) -> Result<Sight, Blind> {
        let room = self.room().ok_or(Blind)?;
        let snapshot = room.snapshot(None).await.ok_or(Blind)?;
        Ok(Sight {
            room,
            snapshot,
            disk: Arc::clone(&self.disk),
            rules: Rules::new(&self.ignoring),
        })
    }

    /// What can be told of the room as it is now. Files are looked at on a thread where that may take its time.
    pub(super) async fn tell<T: Send + 'static>(
        &self,
        tell: impl FnOnce(&Sight) -> T + Send + 'static,
    ) -> Result<T, Blind> {
        let sight = self.look().await?;
        let told = tokio::task::spawn_blocking(move || tell(&sight)).await;
        told.map_err(|_| Blind)
    }
}

/// The room with the innermost folder of those that hold.
fn nearest(open: &[OpenRoom], holds: impl Fn(&Path) -> bool) -> Option<&OpenRoom> {
    let depth = |room: &OpenRoom| {
        let own = room.roots.iter().filter(|root| holds(root));
        own.map(|root| root.components().count()).max()
    };
    let deep = open.iter().filter_map(|room| Some((depth(room)?, room)));
    deep.max_by_key(|(depth, _)| *depth).map(|(_, room)| room)
}

/// Serves one client until it closes its end.
pub async fn over_pipe(
    reader: impl AsyncRead + Send + Unpin + 'static,
    writer: impl AsyncWrite + Send + Unpin + 'static,
    front: Arc<Front>,
) {
    let closed = CancellationToken::new();
    let reader = Watched {
        reader,
        closed: closed.clone(),
    };
    let running = match Client::new(front).serve((reader, writer)).await {
        Ok(running) => running,
        Err(error) => return debug!(%error, "a client did not begin"),
    };
    // The library gives every call that still runs five seconds, also one that only waits for a person.
    let farewell = async {
        closed.cancelled().await;
        tokio::time::sleep(FAREWELL).await;
    };
    tokio::select! {
        ended = running.waiting() => info!(?ended, "a client of the editor has gone"),
        () = farewell => info!("a client of the editor has gone, and does not wait for its answers"),
    }
}

/// Tells when there is nothing more to read.
struct Watched<R> {
    reader: R,
    closed: CancellationToken,
}

impl<R: AsyncRead + Unpin> AsyncRead for Watched<R> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let (before, room) = (buffer.filled().len(), buffer.remaining());
        let read = Pin::new(&mut self.reader).poll_read(context, buffer);
        let is_end = match &read {
            Poll::Ready(Ok(())) => room > 0 && buffer.filled().len() == before,
            Poll::Ready(Err(_)) => true,
            Poll::Pending => false,
        };
        if is_end {
            self.closed.cancel();
        }
        read
    }
}

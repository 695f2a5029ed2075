//! The host's end of one language server door.

use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use pollux_agent::api::Window;
use pollux_workspace::{
    CompanionAddress, DoorContext, DoorId, Inbox, Input, Outbox, Revision, Rooms, Sessions,
    Snapshot,
};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::{oneshot, watch};
use tokio_util::sync::CancellationToken;
use tower_lsp::jsonrpc::{Error, ErrorCode};
use tower_lsp::{Client, LspService, Server as Transport};
use tracing::{info, warn};

use crate::asking;
use crate::companion;
use crate::eof::SignalEof;
use crate::errands;
use crate::methods::{self, Following, Progress};
use crate::ordered::{IN_FLIGHT, Ordered};
use crate::outbound;
use crate::reviewing::{self, Reviewing};
use crate::server::Server;

/// How many messages may wait for a client that does not read.
const OUTBOX_CAPACITY: usize = 256;

/// What is still on its way may be answered for this long after the editor has closed its end.
const DRAIN: Duration = Duration::from_millis(200);

/// What a connection needs of the host around it.
#[derive(Clone)]
pub struct Host {
    pub rooms: Arc<Rooms>,
    pub sessions: Arc<Sessions>,
    pub doctor: Arc<Doctor>,
}

/// Writes the report of `pollux doctor` for these folders. Called where blocking is fine.
pub type Doctor = dyn Fn(&DoorContext, &[PathBuf]) -> String + Send + Sync;

/// What the handlers of one connection share.
pub(crate) struct Connection {
    pub(crate) door: DoorId,
    pub(crate) context: DoorContext,
    pub(crate) host: Host,
    pub(crate) outbox: Outbox,
    pub(crate) progress: Progress,
    pub(crate) following: Following,
    pub(crate) reviewing: Reviewing,
    /// What the room said last about where agents find it, if it said anything.
    pub(crate) companion: watch::Sender<Option<Option<CompanionAddress>>>,
    /// Set by `initialize`, once.
    pub(crate) entered: OnceLock<Entered>,
    /// Cancelled by `initialized`: from then on the client may be asked for something.
    pub(crate) ready: CancellationToken,
    next_request: AtomicU64,
    /// One list of sessions at a time: a client that asks for many keeps no other waiting.
    pub(crate) listing: tokio::sync::Mutex<()>,
}

/// What `initialize` settles.
pub(crate) struct Entered {
    pub(crate) inbox: Inbox,
    /// What the editor calls itself.
    pub(crate) window: Option<Window>,
    pub(crate) client: ClientTraits,
}

/// What the client told us it can do.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ClientTraits {
    pub(crate) watches_files: bool,
    pub(crate) shows_progress: bool,
    pub(crate) resyncs: bool,
    /// It shows questions of the agent itself.
    pub(crate) approves: bool,
    /// It shows pending hunks itself.
    pub(crate) hunks: bool,
    /// It writes files when it is asked to.
    pub(crate) saves: bool,
    pub(crate) applies_edits: bool,
    /// It minds the version that an edit was made for.
    pub(crate) versions_edits: bool,
    /// It takes code actions, and not bare commands only.
    pub(crate) takes_code_actions: bool,
    pub(crate) shows_lenses: bool,
    pub(crate) refreshes_lenses: bool,
    pub(crate) shows_documents: bool,
    /// It shows a message with buttons beside what the person does, and not in its way.
    pub(crate) asks_aside: bool,
    /// It tells its terminals where agents find the room.
    pub(crate) has_terminals: bool,
}

impl Connection {
    /// What the client can do; nothing before it has said so.
    pub(crate) fn traits(&self) -> ClientTraits {
        let entered = self.entered.get();
        entered.map(|entered| entered.client).unwrap_or_default()
    }

    /// Where somebody says something who says it here.
    pub(crate) fn window(&self) -> Option<Window> {
        let entered = self.entered.get();
        entered.and_then(|entered| entered.window.clone())
    }

    /// Tells the room something.
    pub(crate) fn post(&self, input: Input) -> Result<(), Error> {
        let entered = self.entered.get().ok_or_else(room_has_ended)?;
        entered.inbox.post(input);
        Ok(())
    }

    /// Asks the room for a snapshot, through the same queue that its edits go through.
    pub(crate) async fn snapshot(&self, after: Option<u64>) -> Result<Arc<Snapshot>, Error> {
        let (reply, answer) = oneshot::channel();
        let after = after.map(Revision);
        self.post(Input::Snapshot { after, reply })?;
        answer.await.map_err(|_| room_has_ended())
    }

    /// The same, once it is known what is to be reviewed.
    pub(crate) async fn review_snapshot(&self) -> Result<Arc<Snapshot>, Error> {
        let (reply, answer) = oneshot::channel();
        self.post(Input::ReviewSnapshot(reply))?;
        answer.await.map_err(|_| room_has_ended())
    }

    /// Asks the room to be woken when its reviews move.
    pub(crate) async fn follow_reviews(&self) -> Result<watch::Receiver<u64>, Error> {
        let (reply, answer) = oneshot::channel();
        self.post(Input::FollowReviews(reply))?;
        answer.await.map_err(|_| room_has_ended())
    }

    /// An id no other host ever used: a reply that was meant for a host that died is not ours.
    pub(crate) fn next_request_id(&self) -> String {
        let number = self.next_request.fetch_add(1, Ordering::Relaxed);
        format!("pollux-{}-{}-{number}", std::process::id(), self.door)
    }
}

fn room_has_ended() -> Error {
    Error {
        code: ErrorCode::RequestCancelled,
        message: "the workspace has been closed".into(),
        data: None,
    }
}

/// Serves one door until its editor says `exit`, closes its end, or stops reading.
pub async fn serve<R, W>(reader: R, writer: W, host: Host, door: DoorId, context: DoorContext)
where
    R: AsyncRead + Unpin,
    W: AsyncWrite,
{
    let stalled = CancellationToken::new();
    let closed = CancellationToken::new();
    let (outbox, messages) = Outbox::new(OUTBOX_CAPACITY, stalled.clone());
    let rooms = Arc::clone(&host.rooms);
    let connection = Arc::new(Connection {
        door,
        context,
        host,
        outbox,
        progress: Progress::default(),
        following: Following::default(),
        reviewing: Reviewing::default(),
        companion: watch::Sender::new(None),
        entered: OnceLock::new(),
        ready: CancellationToken::new(),
        next_request: AtomicU64::new(0),
        listing: tokio::sync::Mutex::default(),
    });
    let mut to_client = None;
    let (service, socket) = methods::register(LspService::build(|client: Client| {
        to_client = Some(client.clone());
        Server {
            connection: Arc::clone(&connection),
            client,
        }
    }))
    .finish();
    let transport = Transport::new(SignalEof::new(reader, closed.clone()), writer, socket)
        .concurrency_level(IN_FLIGHT * 2);
    let outbound = async {
        match to_client {
            Some(client) => {
                let saying = outbound::run(&connection, client.clone(), messages, &stalled);
                tokio::select! {
                    () = saying => {}
                    () = asking::run(&connection, client.clone()) => {}
                    () = companion::run(&connection, client.clone()) => {}
                    () = errands::run(&connection, client.clone()) => {}
                    () = reviewing::run(&connection, client) => {}
                }
            }
            None => std::future::pending().await,
        }
    };
    tokio::select! {
        () = transport.serve(Ordered::new(service, Arc::clone(&connection))) => info!(%door, "closed"),
        () = after(&closed, DRAIN) => info!(%door, "closed by the editor"),
        () = stalled.cancelled() => warn!(%door, "closed: the editor no longer reads"),
        () = outbound => {}
    }
    rooms.leave(door);
}

async fn after(token: &CancellationToken, time: Duration) {
    token.cancelled().await;
    tokio::time::sleep(time).await;
}

//! The host's end of one door: reads what the client says, and never makes one request wait for another.

mod ahead;

use std::collections::{BTreeMap, HashMap};
use std::future::pending;
use std::path::PathBuf;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use agent_client_protocol_schema::v1::{Error, ErrorCode, RequestId};
use pollux_agent::CommandLine;
use pollux_agent::api::PromptMark;
use pollux_door::{LONGEST_LINE, Line, Lines};
use pollux_workspace::{
    DoorContext, DoorId, FileClients, SessionRequest, SessionWishes, Sessions, Which, WithoutKey,
};
use serde_json::value::RawValue;
use tokio::io::{AsyncRead, AsyncWrite, BufReader};
use tokio::sync::Semaphore;
use tokio::time::{sleep, timeout};
use tokio_util::sync::CancellationToken;
use tokio_util::task::AbortOnDropHandle;
use tracing::{info, warn};

use crate::attached::Attached;
use crate::client::{self, Client};
use crate::door::Before;
use crate::failure;
use crate::methods::{self, Done};
use crate::wire::{self, Incoming};
use ahead::Ahead;

/// Requests that are worked on at the same time.
const IN_FLIGHT: usize = 128;

/// What is still on its way may be answered for this long after the client has closed its end.
const DRAIN: Duration = Duration::from_millis(300);

/// A client that says more than can be kept and reads nothing for this long is not there any more.
const DEAF: Duration = Duration::from_secs(3);

/// What a connection needs of the host around it.
#[derive(Clone)]
pub struct Host {
    pub sessions: Arc<Sessions>,
    /// Where clients are known that offer files.
    pub files: Arc<FileClients>,
}

/// What the methods of one connection share.
pub(crate) struct Connection {
    door: DoorId,
    pub(crate) host: Host,
    pub(crate) client: Arc<Client>,
    /// With the key that the client has given, if it has.
    context: Mutex<DoorContext>,
    logged_out: AtomicBool,
    attached: Mutex<BTreeMap<String, Arc<Attached>>>,
    /// What is worked on and can be given up.
    working: Mutex<HashMap<RequestId, CancellationToken>>,
    /// One list at a time: a client that asks for many keeps no other waiting.
    pub(crate) listing: tokio::sync::Mutex<()>,
    /// Cancelled when the client is gone. Nobody reads an answer from then on.
    gone: CancellationToken,
    prompts: AtomicU64,
}

impl Connection {
    pub(crate) fn context(&self) -> DoorContext {
        lock(&self.context).clone()
    }

    /// Variables that the client has given, for everything that follows.
    pub(crate) fn set_variable(&self, name: &str, value: &str) {
        let mut context = lock(&self.context);
        let variables = Arc::make_mut(&mut context.environment);
        variables.insert(name.to_owned(), value.to_owned());
    }

    pub(crate) fn log_out(&self) {
        self.logged_out.store(true, Ordering::Relaxed);
    }

    pub(crate) fn log_in(&self) {
        self.logged_out.store(false, Ordering::Relaxed);
    }

    /// The client has had another host before.
    pub(crate) fn goes_on(&self, before: &Before) {
        self.client.has_been_asked(before.asked);
        if before.logged_out {
            self.log_out();
        }
    }

    pub(crate) fn check_logged_in(&self) -> Result<(), Error> {
        match self.logged_out.load(Ordering::Relaxed) {
            true => Err(failure::said(
                ErrorCode::AuthRequired,
                "you have logged out; authenticate first",
            )),
            false => Ok(()),
        }
    }

    /// What this door wants of a session in a folder.
    pub(crate) fn request(&self, folder: PathBuf, which: Which) -> SessionRequest {
        SessionRequest {
            folder,
            context: self.context(),
            trusted: None,
            which,
            model: None,
            wishes: SessionWishes {
                without_key: WithoutKey::Refused,
                ..SessionWishes::default()
            },
        }
    }

    /// What this door wants of a session that it has.
    pub(crate) fn request_of(&self, attached: &Attached) -> SessionRequest {
        SessionRequest {
            wishes: attached.wishes.clone(),
            ..self.request(attached.live.folder.clone(), Which::New)
        }
    }

    pub(crate) async fn commands(&self, attached: &Attached) -> Vec<CommandLine> {
        let request = self.request_of(attached);
        self.host.sessions.commands(request).await
    }

    /// A session that the client has started, loaded or resumed here.
    pub(crate) fn attached(&self, session: &str) -> Result<Arc<Attached>, Error> {
        let found = lock(&self.attached).get(session).map(Arc::clone);
        found.ok_or_else(|| failure::no_session(session))
    }

    pub(crate) fn attach(&self, attached: &Arc<Attached>) {
        let id = attached.live.id.to_string();
        lock(&self.attached).insert(id, Arc::clone(attached));
    }

    pub(crate) fn detach(&self, session: &str) -> Option<Arc<Attached>> {
        lock(&self.attached).remove(session)
    }

    /// The name under which what is the client's own is known in a session.
    pub(crate) fn owner(&self) -> Arc<str> {
        format!("acp {}", self.door).into()
    }

    /// A name for a prompt that no other door gives.
    pub(crate) fn next_mark(&self) -> PromptMark {
        let number = self.prompts.fetch_add(1, Ordering::Relaxed);
        PromptMark(format!("acp {} {number}", self.door).into())
    }

    /// The client does not want the answer to this request any more.
    pub(crate) fn give_up(&self, request: &RequestId) {
        if let Some(working) = lock(&self.working).get(request) {
            return working.cancel();
        }
        for attached in lock(&self.attached).values() {
            attached.stop_request(request);
        }
    }

    fn leave(&self) {
        self.gone.cancel();
        for attached in std::mem::take(&mut *lock(&self.attached)).values() {
            attached.leave();
        }
    }
}

/// Held for a map operation at a time, never across an await.
fn lock<T>(held: &Mutex<T>) -> MutexGuard<'_, T> {
    held.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Serves one door until its client closes its end or stops listening.
pub async fn serve<R, W>(reader: R, writer: W, host: Host, door: DoorId, context: DoorContext)
where
    R: AsyncRead + Unpin,
    W: AsyncWrite + Unpin + Send + 'static,
{
    let (client, lines) = Client::new();
    let mut writing = AbortOnDropHandle::new(tokio::spawn(client::write(writer, lines)));
    let connection = Arc::new(Connection {
        door,
        host,
        client,
        context: Mutex::new(context),
        logged_out: AtomicBool::new(false),
        attached: Mutex::default(),
        working: Mutex::default(),
        listing: tokio::sync::Mutex::default(),
        gone: CancellationToken::new(),
        prompts: AtomicU64::new(1),
    });
    let slots = Arc::new(Semaphore::new(IN_FLIGHT));
    let mut lines = Lines::new(BufReader::new(reader), LONGEST_LINE);
    let mut ahead = Ahead::default();
    let mut hearing: Option<Hearing> = None;
    let hearing_of =
        |line| -> Hearing { Box::pin(hear(Arc::clone(&connection), Arc::clone(&slots), line)) };
    // What was said is heard in order. Where that has to wait for a client that does not read, the rest is read on, so
    // that its end is not missed.
    loop {
        if hearing.is_none() {
            hearing = ahead.pop().map(hearing_of);
        }
        tokio::select! {
            biased;
            () = heard(&mut hearing) => hearing = None,
            line = lines.next(), if ahead.has_room() => match line {
                Some(line) => ahead.push(line),
                None => break,
            },
            _ = &mut writing => {
                warn!(%door, "closed: the client no longer listens");
                connection.leave();
                return;
            }
            () = sleep(DEAF), if !ahead.has_room() => {
                warn!(%door, "closed: the client speaks and does not listen");
                connection.leave();
                return;
            }
        }
    }
    info!(%door, "closed by the client");
    let all = u32::try_from(IN_FLIGHT).unwrap_or(u32::MAX);
    let last = async {
        while hearing.is_some() {
            heard(&mut hearing).await;
            hearing = ahead.pop().map(hearing_of);
        }
        let _all_done = slots.acquire_many(all).await;
    };
    let _late = timeout(DRAIN, last).await;
    connection.leave();
    drop(connection);
    let _not_read = timeout(DRAIN, writing).await;
}

/// A line that is being heard.
type Hearing = Pin<Box<dyn Future<Output = ()> + Send>>;

/// Never, where nothing is.
async fn heard(hearing: &mut Option<Hearing>) {
    match hearing {
        Some(hearing) => hearing.await,
        None => pending().await,
    }
}

async fn hear(connection: Arc<Connection>, slots: Arc<Semaphore>, line: Line) {
    let client = &connection.client;
    let line = match line {
        Line::Whole(line) if line.trim_ascii().is_empty() => return,
        Line::Whole(line) => line,
        Line::TooLong => {
            let reason = format!("a line has {LONGEST_LINE} bytes at most");
            let error = failure::said(ErrorCode::InvalidRequest, reason);
            return refuse(client, &RequestId::Null, error).await;
        }
    };
    match wire::parse(&line) {
        Err(refused) => refuse(client, &refused.id, *refused.error).await,
        Ok(Incoming::Response { id, answer }) => client.answered(&id, answer),
        Ok(Incoming::Notification { method, params }) => {
            methods::notice(&connection, &method, &params);
        }
        Ok(Incoming::Request { id, method, params }) => {
            // What has an order is put into it here, without anything being waited for.
            match methods::in_order(&connection, &id, &method, &params) {
                Some(Ok(Some(response))) => client.respond(&id, Ok(response)).await,
                // The answer comes with the end of the turn.
                Some(Ok(None)) => {}
                Some(Err(error)) => refuse(client, &id, error).await,
                None => work(&connection, &slots, id, method, params).await,
            }
        }
    }
}

async fn refuse(client: &Client, id: &RequestId, error: Error) {
    client.respond(id, Err::<(), _>(error)).await;
}

/// Works on a request beside the others.
async fn work(
    connection: &Arc<Connection>,
    slots: &Arc<Semaphore>,
    id: RequestId,
    method: String,
    params: Box<RawValue>,
) {
    let Ok(slot) = Arc::clone(slots).acquire_owned().await else {
        return;
    };
    let connection = Arc::clone(connection);
    let given_up = match methods::outlives_client(&method) {
        true => CancellationToken::new(),
        false => connection.gone.child_token(),
    };
    lock(&connection.working).insert(id.clone(), given_up.clone());
    tokio::spawn(async move {
        let working = {
            let (connection, id) = (Arc::clone(&connection), id.clone());
            // A task of its own: one that panics is an answer too.
            let work = async move { methods::call(&connection, &id, &method, &params).await };
            AbortOnDropHandle::new(tokio::spawn(work))
        };
        let done = tokio::select! {
            biased;
            done = working => done.unwrap_or_else(|_| Err(Error::internal_error())),
            () = given_up.cancelled() => Err(Error::request_cancelled()),
        };
        lock(&connection.working).remove(&id);
        match done {
            Ok(Done::Response(response)) => connection.client.respond(&id, Ok(response)).await,
            Ok(Done::Session(attached, beginning)) => attached.begin(&connection, beginning),
            Err(error) => refuse(&connection.client, &id, error).await,
        }
        drop(slot);
    });
}

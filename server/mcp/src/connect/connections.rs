//! The servers of a workspace, as its sessions share them.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use pollux_agent::{
    CallEvent, Lasting, Offering, ServerContent, ServerFailure, ServerOrder, ServerPrompt,
    ServerResource, ServerResult, ServerStanding, ServerTool, Servers,
};
use pollux_exec::Guard;
use pollux_model::Http;
use rmcp::RoleClient;
use rmcp::model::{
    CallToolRequest, CallToolRequestParams, CancelledNotificationParam, ClientRequest,
    ContentBlock, GetPromptRequestParams, ReadResourceRequestParams, RequestId,
    ServerResult as Reply,
};
use rmcp::service::{Peer, PeerRequestOptions, ServiceError};
use serde_json::{Map, Value};
use tokio::sync::{Semaphore, mpsc, watch};
use tokio_util::task::AbortOnDropHandle;

use super::board::{Board, Connected, View};
use super::gates::normal;
use super::patience::{self, Late};
use super::server::Server;
use super::{Authorization, Planned, ServerConfig, Setup, arguments, results};

/// What it takes to connect servers.
pub struct Means {
    pub guard: Guard,
    pub http: Http,
    pub authorization: Arc<dyn Authorization>,
    pub pauses: Pauses,
}

/// When servers are connected.
#[derive(Clone, Copy, Debug)]
pub struct Pauses {
    /// What the person waits for goes first: starting a program takes the processor away from it.
    pub head_start: Duration,
    /// How long a server is left alone that has failed; twice as long each time.
    pub first: Duration,
    pub longest: Duration,
    /// How long a server may take to be there, at first; twice as long each time, but never longer than its `timeout`. One
    /// that hangs is soon tried again, and one that has to be downloaded gets there.
    pub patience: Duration,
}

impl Default for Pauses {
    fn default() -> Self {
        Self {
            head_start: Duration::from_millis(150),
            first: Duration::from_secs(1),
            longest: Duration::from_secs(300),
            patience: Duration::from_secs(60),
        }
    }
}

impl Pauses {
    /// For whoever waits for the servers and for nothing else.
    pub fn at_once() -> Self {
        Self {
            head_start: Duration::ZERO,
            ..Self::default()
        }
    }
}

/// How many may start at a time. Looked up when the first does: what this process may use of the machine is in files.
pub(super) type Starting = LazyLock<Semaphore>;

/// As many start at a time as the machine has processors for, and never all of them.
const MOST_ABREAST: usize = 4;

fn abreast() -> usize {
    let processors = std::thread::available_parallelism();
    processors
        .map_or(1, std::num::NonZero::get)
        .min(MOST_ABREAST)
}

/// Who knows the settings. Reads and writes files, so it is asked from a thread that may block.
pub trait ServerSource: Send + Sync {
    /// What is configured now. The names are of servers that are switched off for this session.
    fn setup(&self, off_for_now: &BTreeSet<String>) -> Setup;

    /// Switches a server on or off for good. The error is for the person.
    fn switch(&self, server: &str, switch: Switch) -> Result<(), String>;
}

/// Whether a server is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Switch {
    On,
    Off,
}

/// Ends every server when it is dropped.
pub struct Connections {
    board: Arc<Board>,
    means: Arc<Means>,
    source: Arc<dyn ServerSource>,
    roots: watch::Sender<Vec<PathBuf>>,
    /// How many more servers may be started now.
    starting: Arc<Starting>,
    held: Mutex<Held>,
}

#[derive(Default)]
struct Held {
    setup: Setup,
    tasks: BTreeMap<String, AbortOnDropHandle<()>>,
    off_for_now: BTreeSet<String>,
}

/// Which servers are connected anew.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Anew {
    Changed,
    All,
}

impl Connections {
    /// Begins to connect, and waits for nobody. Needs a tokio runtime.
    pub fn start(setup: Setup, source: Arc<dyn ServerSource>, means: Means) -> Arc<Self> {
        let roots = vec![setup.folder.clone()];
        let connections = Self {
            board: Arc::new(Board::new()),
            means: Arc::new(means),
            source,
            roots: watch::Sender::new(roots),
            starting: Arc::new(Starting::new(|| Semaphore::new(abreast()))),
            held: Mutex::default(),
        };
        connections.apply(setup, Anew::Changed);
        Arc::new(connections)
    }

    /// Settings may have changed since: connects what is new or different, and leaves the rest alone.
    pub fn update(&self, setup: Setup) {
        self.apply(setup, Anew::Changed);
    }

    /// The workspace has other folders now.
    pub fn set_roots(&self, roots: Vec<PathBuf>) {
        self.roots.send_if_modified(|known| {
            let differs = *known != roots;
            *known = roots;
            differs
        });
    }

    /// The servers that are switched off for as long as this lasts.
    pub fn off_for_now(&self) -> BTreeSet<String> {
        self.lock().off_for_now.clone()
    }

    /// Counts what changes in the offering.
    pub fn changes(&self) -> watch::Receiver<u64> {
        self.board.changes()
    }

    fn apply(&self, setup: Setup, anew: Anew) {
        let mut held = self.lock();
        // Every window has an environment of its own; a server keeps the one it was started in.
        let same_place = held.setup.folder == setup.folder;
        let before: BTreeMap<String, Planned> = held.setup.servers.drain(..).collect();
        for name in before.keys() {
            if !setup.servers.iter().any(|(kept, _)| kept == name) {
                held.tasks.remove(name);
                self.board.remove(name);
            }
        }
        for (name, planned) in &setup.servers {
            let is_kept = before.get(name) == Some(planned) && same_place;
            if is_kept && anew == Anew::Changed {
                continue;
            }
            // The old one goes first: two of a kind may not be able to run side by side.
            held.tasks.remove(name);
            match planned {
                Planned::Blocked(reason) => {
                    let reason = reason.clone();
                    let standing = ServerStanding::Blocked { reason };
                    self.board.seat(name, View::of(standing));
                }
                Planned::Broken(reason) => {
                    let reason = reason.clone();
                    let standing = ServerStanding::Failed { reason };
                    self.board.seat(name, View::of(standing));
                }
                Planned::Connect(config) => {
                    let seat = self.board.seat(name, View::of(ServerStanding::Connecting));
                    let server = Server {
                        config: (**config).clone(),
                        environment: setup.environment.clone(),
                        folder: setup.folder.clone(),
                        means: Arc::clone(&self.means),
                        board: Arc::clone(&self.board),
                        seat,
                        roots: self.roots.subscribe(),
                        starting: Arc::clone(&self.starting),
                    };
                    let task = AbortOnDropHandle::new(tokio::spawn(server.run()));
                    held.tasks.insert(name.clone(), task);
                }
            }
        }
        held.setup = setup;
    }

    async fn reload(&self, anew: Anew) {
        let source = Arc::clone(&self.source);
        let off = self.lock().off_for_now.clone();
        let loaded = tokio::task::spawn_blocking(move || source.setup(&off)).await;
        if let Ok(setup) = loaded {
            self.apply(setup, anew);
        }
    }

    async fn switch(&self, server: &str, switch: Switch, lasting: Lasting) -> String {
        let known = self.known(server);
        let Some(known) = known else {
            return format!("There is no server `{server}`. `/mcp list` shows all.");
        };
        {
            let mut held = self.lock();
            match (switch, lasting) {
                (Switch::Off, Lasting::Session) => {
                    held.off_for_now.insert(normal(&known));
                }
                // Who switches a server on wants it on.
                (Switch::On, _) | (Switch::Off, Lasting::ForGood) => {
                    held.off_for_now.remove(&normal(&known));
                }
            }
        }
        if lasting == Lasting::ForGood {
            let source = Arc::clone(&self.source);
            let name = known.clone();
            let switched = tokio::task::spawn_blocking(move || source.switch(&name, switch)).await;
            if let Ok(Err(problem)) = switched {
                return problem;
            }
        }
        self.reload(Anew::Changed).await;
        match (switch, lasting) {
            (Switch::On, _) => format!("`{known}` is switched on."),
            (Switch::Off, Lasting::Session) => format!("`{known}` is off for this session."),
            (Switch::Off, Lasting::ForGood) => format!("`{known}` is switched off."),
        }
    }

    /// The name as it is configured.
    fn known(&self, server: &str) -> Option<String> {
        let held = self.lock();
        let mut names = held.setup.servers.iter().map(|(name, _)| name);
        names.find(|name| normal(name) == normal(server)).cloned()
    }

    fn config(&self, server: &str) -> Option<ServerConfig> {
        let held = self.lock();
        let mut servers = held.setup.servers.iter();
        servers.find_map(|(name, planned)| match planned {
            Planned::Connect(config) if normal(name) == normal(server) => Some((**config).clone()),
            _ => None,
        })
    }

    async fn authenticate(&self, server: Option<&str>) -> String {
        let config = match server {
            None => None,
            Some(server) => match self.config(server) {
                Some(config) => Some(config),
                None => return format!("There is no server `{server}` to sign in at."),
            },
        };
        let told = self.means.authorization.sign_in(config.as_ref()).await;
        self.reload(Anew::Changed).await;
        told
    }

    /// Connects the server anew, so that it says itself what it thinks of strangers.
    async fn sign_out(&self, server: &str) -> String {
        let known = self.known(server).unwrap_or_else(|| server.to_owned());
        let told = self.means.authorization.sign_out(&known).await;
        let told = told.unwrap_or_else(|problem| problem);
        self.lock().setup.servers.retain(|(name, _)| *name != known);
        self.reload(Anew::Changed).await;
        told
    }

    /// Every change is made under one lock, so a panic elsewhere leaves nothing half done.
    fn lock(&self) -> MutexGuard<'_, Held> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Servers for Connections {
    fn offering(&self) -> Arc<Offering> {
        self.board.offering()
    }

    fn call<'a>(
        &'a self,
        tool: &'a ServerTool,
        args: &'a Map<String, Value>,
        events: mpsc::Sender<CallEvent>,
    ) -> BoxFuture<'a, Result<ServerResult, ServerFailure>> {
        async move {
            let connected = self.board.connected(&tool.server)?;
            let params = CallToolRequestParams::new(tool.tool.clone()).with_arguments(args.clone());
            let request = ClientRequest::CallToolRequest(CallToolRequest::new(params));
            let sent = connected
                .peer
                .send_cancellable_request(request, PeerRequestOptions::no_options());
            let handle = sent.await.map_err(|error| failure(&tool.server, error))?;
            let _waited = connected.calls.wait(handle.progress_token.clone(), events);
            let calling_off = CallingOff::new(&connected, handle.id.clone());
            let answer = in_time(&tool.server, &connected, handle.await_response()).await;
            calling_off.over(&answer);
            match answer? {
                Reply::CallToolResult(result) => Ok(results::of_call(result)),
                _ => Err(refused(
                    &tool.server,
                    "it answers something else than a result",
                )),
            }
        }
        .boxed()
    }

    fn prompt<'a>(
        &'a self,
        prompt: &'a ServerPrompt,
        typed: &'a str,
    ) -> BoxFuture<'a, Result<String, String>> {
        async move {
            let given = arguments::parse(typed, &prompt.arguments)?;
            let told = |failure: ServerFailure| failure.to_string();
            let connected = self.board.connected(&prompt.server).map_err(told)?;
            let params = GetPromptRequestParams::new(prompt.prompt.clone()).with_arguments(given);
            let asking = connected.peer.get_prompt(params);
            let answer = in_time(&prompt.server, &connected, asking)
                .await
                .map_err(told)?;
            match answer
                .messages
                .into_iter()
                .next()
                .map(|first| first.content)
            {
                Some(ContentBlock::Text(text)) => Ok(text.text),
                Some(_) => Err("The prompt is not a text, so it cannot be sent.".to_owned()),
                None => Err("The prompt is empty.".to_owned()),
            }
        }
        .boxed()
    }

    fn read<'a>(
        &'a self,
        resource: &'a ServerResource,
    ) -> BoxFuture<'a, Result<Vec<ServerContent>, ServerFailure>> {
        async move {
            let connected = self.board.connected(&resource.server)?;
            let params = ReadResourceRequestParams::new(resource.uri.clone());
            let reading = connected.peer.read_resource(params);
            let answer = in_time(&resource.server, &connected, reading).await?;
            Ok(results::of_resource(answer.contents))
        }
        .boxed()
    }

    fn order<'a>(&'a self, order: ServerOrder<'a>) -> BoxFuture<'a, String> {
        async move {
            match order {
                ServerOrder::Reload => {
                    self.reload(Anew::All).await;
                    "The servers are connected anew; `/mcp list` shows how far they are.".to_owned()
                }
                ServerOrder::Enable(server, lasting) => {
                    self.switch(server, Switch::On, lasting).await
                }
                ServerOrder::Disable(server, lasting) => {
                    self.switch(server, Switch::Off, lasting).await
                }
                ServerOrder::Authenticate(server) => self.authenticate(server).await,
                ServerOrder::SignOut(server) => self.sign_out(server).await,
            }
        }
        .boxed()
    }
}

async fn in_time<T>(
    server: &str,
    connected: &Connected,
    asking: impl Future<Output = Result<T, ServiceError>>,
) -> Result<T, ServerFailure> {
    let questions = connected.calls.questions();
    match patience::in_time(connected.timeout, questions, asking).await {
        Ok(answer) => answer.map_err(|error| failure(server, error)),
        Err(Late) => Err(ServerFailure::TimedOut {
            server: server.to_owned(),
            seconds: connected.timeout.as_secs(),
        }),
    }
}

fn failure(server: &str, error: ServiceError) -> ServerFailure {
    match error {
        ServiceError::McpError(error) => refused(server, &error.message),
        ServiceError::TransportClosed | ServiceError::TransportSend(_) => ServerFailure::Gone {
            server: server.to_owned(),
        },
        other => refused(server, &other.to_string()),
    }
}

fn refused(server: &str, reason: &str) -> ServerFailure {
    ServerFailure::Refused {
        server: server.to_owned(),
        reason: super::catalogue::line(reason),
    }
}

/// Tells the server that nobody waits any more.
struct CallingOff {
    peer: Option<Peer<RoleClient>>,
    id: RequestId,
}

impl CallingOff {
    fn new(connected: &Connected, id: RequestId) -> Self {
        Self {
            peer: Some(connected.peer.clone()),
            id,
        }
    }

    /// Whoever has answered need not be told.
    fn over<T>(mut self, answer: &Result<T, ServerFailure>) {
        if !matches!(answer, Err(ServerFailure::TimedOut { .. })) {
            self.peer = None;
        }
    }
}

impl Drop for CallingOff {
    fn drop(&mut self) {
        if let (Some(peer), Ok(runtime)) = (self.peer.take(), tokio::runtime::Handle::try_current())
        {
            let id = self.id.clone();
            runtime.spawn(async move {
                let reason = Some("nobody waits for the result any more".to_owned());
                let cancelled = CancelledNotificationParam::new(Some(id), reason);
                // Who has gone needs no word.
                let _gone = peer.notify_cancelled(cancelled).await;
            });
        }
    }
}

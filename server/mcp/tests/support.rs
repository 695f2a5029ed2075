//! Connections to scripted servers, and how the tests wait for them.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use pollux_agent::{
    CallEvent, Offering, ServerContent, ServerFailure, ServerResult, ServerStanding, ServerTool,
    Servers,
};
use pollux_exec::{Guard, Variable};
use pollux_mcp::connect::{
    Authorization, Connections, Gates, HandedOn, Means, NoAuthorization, Pauses, ServerSource,
    Setup, Switch, Trusted, plan,
};
use pollux_model::Http;
use pollux_testkit::scripted_mcp;
use serde_json::{Map, Value, json};
use tempfile::TempDir;
use tokio::sync::mpsc;

/// Far more than anything here takes.
const DEADLINE: Duration = Duration::from_secs(120);

pub(crate) async fn in_time<T>(future: impl Future<Output = T>) -> T {
    tokio::time::timeout(DEADLINE, future)
        .await
        .expect("in time")
}

/// Settings that a test can change.
pub(crate) struct Settings {
    entries: Mutex<Map<String, Value>>,
    gates: Mutex<Gates>,
    folder: PathBuf,
}

impl ServerSource for Settings {
    fn setup(&self, off_for_now: &BTreeSet<String>) -> Setup {
        let gates = Gates {
            off_for_now: off_for_now.clone(),
            ..self.gates.lock().unwrap().clone()
        };
        Setup {
            servers: plan(&self.entries.lock().unwrap(), None, &gates),
            environment: HandedOn::later(environment),
            folder: self.folder.clone(),
        }
    }

    fn switch(&self, server: &str, switch: Switch) -> Result<(), String> {
        let mut gates = self.gates.lock().unwrap();
        match switch {
            Switch::Off => gates.disabled.insert(server.to_lowercase()),
            Switch::On => gates.disabled.remove(&server.to_lowercase()),
        };
        Ok(())
    }
}

fn environment() -> Vec<Variable> {
    #[expect(clippy::disallowed_methods, reason = "tests need programs to run")]
    let path = std::env::var_os("PATH").unwrap();
    vec![("PATH".into(), path), ("HANDED_ON".into(), "yes".into())]
}

pub(crate) struct World {
    pub(crate) connections: Arc<Connections>,
    pub(crate) settings: Arc<Settings>,
    pub(crate) folder: TempDir,
}

/// How a scripted server is configured.
pub(crate) fn scripted(words: &[&str]) -> Value {
    let argv = scripted_mcp(words);
    json!({ "command": argv[0], "args": argv[1..] })
}

impl World {
    pub(crate) fn new(entries: Value) -> Self {
        Self::in_folder(tempfile::tempdir().unwrap(), entries)
    }

    pub(crate) fn in_folder(folder: TempDir, entries: Value) -> Self {
        Self::signing_in_by(Arc::new(NoAuthorization), folder, entries)
    }

    pub(crate) fn signing_in_by(
        authorization: Arc<dyn Authorization>,
        folder: TempDir,
        entries: Value,
    ) -> Self {
        Self::of(authorization, DEADLINE, folder, entries)
    }

    /// Whoever takes longer to be there is tried again.
    pub(crate) fn waiting_for(patience: Duration, entries: Value) -> Self {
        let folder = tempfile::tempdir().unwrap();
        Self::of(Arc::new(NoAuthorization), patience, folder, entries)
    }

    fn of(
        authorization: Arc<dyn Authorization>,
        patience: Duration,
        folder: TempDir,
        entries: Value,
    ) -> Self {
        let settings = Arc::new(Settings {
            entries: Mutex::new(entries.as_object().unwrap().clone()),
            gates: Mutex::new(Gates {
                trusted: Trusted::Yes,
                ..Gates::default()
            }),
            folder: folder.path().canonicalize().unwrap(),
        });
        let means = Means {
            guard: Guard {
                program: env!("CARGO_BIN_EXE_mcp-guard").into(),
                arguments: Vec::new(),
            },
            http: Http::default(),
            authorization,
            pauses: Pauses {
                head_start: Duration::ZERO,
                first: Duration::from_millis(10),
                longest: Duration::from_millis(100),
                patience,
            },
        };
        let source: Arc<dyn ServerSource> = Arc::clone(&settings) as _;
        let connections = Connections::start(source.setup(&BTreeSet::new()), source, means);
        Self {
            connections,
            settings,
            folder,
        }
    }

    pub(crate) fn configure(&self, name: &str, entry: Value) {
        let mut entries = self.settings.entries.lock().unwrap();
        entries.insert(name.to_owned(), entry);
    }

    /// Waits until what is offered is as it should be.
    pub(crate) async fn until(&self, is_so: impl Fn(&Offering) -> bool) -> Arc<Offering> {
        let mut changes = self.connections.changes();
        in_time(async {
            loop {
                let offering = self.connections.offering();
                if is_so(&offering) {
                    return offering;
                }
                changes.changed().await.unwrap();
            }
        })
        .await
    }

    pub(crate) async fn connected(&self, server: &str) -> Arc<Offering> {
        self.until(|offering| standing(offering, server) == ServerStanding::Connected)
            .await
    }

    /// Waits until a server has failed, and says why.
    pub(crate) async fn failed(&self, server: &str) -> String {
        let is_failed = |offering: &Offering| {
            matches!(standing(offering, server), ServerStanding::Failed { .. })
        };
        match standing(&*self.until(is_failed).await, server) {
            ServerStanding::Failed { reason } => reason,
            other => panic!("{other}"),
        }
    }

    pub(crate) fn tool(&self, server: &str, tool: &str) -> Arc<ServerTool> {
        let offering = self.connections.offering();
        let mut tools = offering.tools.iter();
        let found = tools.find(|one| one.server == server && one.tool == tool);
        Arc::clone(found.expect("there is such a tool"))
    }

    pub(crate) async fn call(
        &self,
        server: &str,
        tool: &str,
        args: Value,
    ) -> Result<ServerResult, ServerFailure> {
        let (events, nobody_listens) = mpsc::channel::<CallEvent>(64);
        drop(nobody_listens);
        self.call_with(server, tool, args, events).await
    }

    pub(crate) async fn call_with(
        &self,
        server: &str,
        tool: &str,
        args: Value,
        events: mpsc::Sender<CallEvent>,
    ) -> Result<ServerResult, ServerFailure> {
        let tool = self.tool(server, tool);
        let args = args.as_object().unwrap();
        in_time(self.connections.call(&tool, args, events)).await
    }

    /// The text that a call gives back.
    pub(crate) async fn text(&self, server: &str, tool: &str, args: Value) -> String {
        match self
            .call(server, tool, args)
            .await
            .unwrap()
            .content
            .as_slice()
        {
            [ServerContent::Text(text)] => text.clone(),
            other => panic!("{other:?}"),
        }
    }

    /// What a server has written down so far.
    pub(crate) fn log(&self, name: &str) -> String {
        std::fs::read_to_string(self.folder.path().join(name)).unwrap_or_default()
    }

    /// Waits until a server has written this down.
    pub(crate) async fn logged(&self, name: &str, line: &str) {
        in_time(async {
            while !self.log(name).contains(line) {
                tokio::task::yield_now().await;
            }
        })
        .await;
    }
}

pub(crate) fn standing(offering: &Offering, server: &str) -> ServerStanding {
    let mut states = offering.states.iter();
    let state = states.find(|state| state.server == server);
    state.expect("there is such a server").standing.clone()
}

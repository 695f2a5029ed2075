//! The MCP servers that settings name: who connects them, for which sessions, and `pollux mcp-servers`.

mod command;
mod edit;
mod enablement;
mod entry;
mod keychain_tokens;
mod person;
mod places;
mod sealed_tokens;
mod source;
mod strange_rules;
mod tokens;

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;

use pollux_agent::{Offering, ServerStanding, Servers};
use pollux_exec::Guard;
use pollux_mcp::connect::{
    Authorization, Connections, Google, GoogleAddresses, GoogleIdentity, Means, OAuth, Person,
    Vault,
};
use pollux_model::{Http, NetworkOptions};
use pollux_settings::{Environment, Loaded};
use pollux_workspace::{Rooms, SessionRequest};

use crate::equipment::GUARD;

pub(crate) use command::{McpServersArgs, run};
pub(crate) use pollux_mcp::connect::Pauses;
pub(crate) use source::Source;

/// How long somebody who asks one thing and goes waits for servers. A hanging one must not cost more.
const PATIENCE: Duration = Duration::from_secs(10);

/// The servers of each folder, shared by its sessions. They end with the last of them.
#[derive(Default)]
pub(crate) struct McpServers {
    table: Mutex<HashMap<Place, Weak<Connections>>>,
    /// The servers that may be connected, instead of what the settings say. Empty: the settings say it.
    allowed: Vec<String>,
}

/// A folder that is trusted in one window may not be in another.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Place {
    folder: PathBuf,
    is_trusted: bool,
    /// What doors have brought along, which is nobody else's.
    given: String,
}

impl McpServers {
    /// Only these, for whoever names any.
    pub(crate) fn allowing(allowed: Vec<String>) -> Self {
        Self {
            allowed,
            ..Self::default()
        }
    }

    /// The servers for a session. Nothing where none is configured. Needs a tokio runtime.
    pub(crate) fn of(
        &self,
        request: &SessionRequest,
        loaded: &Loaded,
        network: NetworkOptions,
        rooms: Option<&Arc<Rooms>>,
        pauses: Pauses,
    ) -> Option<Arc<Connections>> {
        if !source::has_any(loaded) && request.wishes.servers.is_empty() {
            return None;
        }
        let place = Place::of(request, loaded);
        let source = Source::of(request, &self.allowed);
        let mut table = self.table.lock().unwrap_or_else(PoisonError::into_inner);
        table.retain(|_, connections| connections.strong_count() > 0);
        if let Some(connections) = table.get(&place).and_then(Weak::upgrade) {
            connections.update(source.setup_of(loaded, &connections.off_for_now()));
            return Some(connections);
        }
        let setup = source.setup_of(loaded, &Default::default());
        let http = Http::new(network);
        let person = Arc::new(match rooms {
            Some(rooms) => person::InEditor {
                errands: rooms.errands().clone(),
                folder: place.folder.clone(),
            },
            None => person::InEditor::without_one(),
        });
        let authorization = authorization(&http, &source.environment, loaded, person);
        let means = means(http, authorization, pauses)?;
        let connections = Connections::start(setup, Arc::new(source), means);
        if let Some(rooms) = rooms {
            follow_roots(rooms, &place.folder, &connections);
        }
        table.insert(place, Arc::downgrade(&connections));
        Some(connections)
    }

    /// What is there for a folder, without connecting anything.
    pub(crate) fn offering(&self, request: &SessionRequest, loaded: &Loaded) -> Arc<Offering> {
        let table = self.table.lock().unwrap_or_else(PoisonError::into_inner);
        let connections = table
            .get(&Place::of(request, loaded))
            .and_then(Weak::upgrade);
        connections
            .map(|connections| connections.offering())
            .unwrap_or_default()
    }
}

impl Place {
    fn of(request: &SessionRequest, loaded: &Loaded) -> Self {
        Self {
            folder: request.folder.clone(),
            is_trusted: loaded.trust.is_trusted(),
            given: match request.wishes.servers.is_empty() {
                true => String::new(),
                false => serde_json::Value::Object(request.wishes.servers.clone()).to_string(),
            },
        }
    }
}

/// Nothing where this program does not know where it lies itself: it could not start a guard.
pub(crate) fn means(
    http: Http,
    authorization: Arc<dyn Authorization>,
    pauses: Pauses,
) -> Option<Means> {
    Some(Means {
        guard: Guard {
            program: std::env::current_exe().ok()?,
            arguments: vec![GUARD.into()],
        },
        http,
        authorization,
        pauses,
    })
}

/// How this person signs in at servers.
fn authorization(
    http: &Http,
    environment: &Environment,
    loaded: &Loaded,
    person: Arc<dyn Person>,
) -> Arc<OAuth> {
    let tokens: Arc<dyn Vault> = Arc::new(places::Places::of(environment, &loaded.locations));
    let port = environment.get("OAUTH_CALLBACK_PORT");
    let port = port.and_then(|port| port.parse().ok());
    let google = Google::new(http.clone(), google_identity(environment));
    Arc::new(OAuth::new(http.clone(), tokens, person, port).with_google(google))
}

/// Where Google's own programs look for who somebody is.
fn google_identity(environment: &Environment) -> GoogleIdentity {
    let folder = match environment.get("CLOUDSDK_CONFIG") {
        Some(folder) => Some(PathBuf::from(folder)),
        None => environment
            .get("HOME")
            .map(|home| PathBuf::from(home).join(".config/gcloud")),
    };
    let named = environment.get("GOOGLE_APPLICATION_CREDENTIALS");
    let named = named.filter(|file| !file.is_empty()).map(PathBuf::from);
    let usual = folder.map(|folder| folder.join("application_default_credentials.json"));
    let mut addresses = GoogleAddresses::default();
    if let Some(host) = environment.get("GCE_METADATA_HOST") {
        addresses.metadata = format!("http://{host}");
    }
    GoogleIdentity {
        files: named.into_iter().chain(usual).collect(),
        addresses,
    }
}

/// Waits until no server is connecting any more, but not for ever.
pub(crate) async fn settled(connections: &Connections) {
    settled_within(connections, PATIENCE).await;
}

async fn settled_within(connections: &Connections, patience: Duration) {
    let mut changes = connections.changes();
    let settling = async {
        loop {
            let offering = connections.offering();
            let mut states = offering.states.iter();
            if !states.any(|state| state.standing == ServerStanding::Connecting) {
                return;
            }
            if changes.changed().await.is_err() {
                return;
            }
        }
    };
    // Whoever is late is left out, and told of.
    let _late = tokio::time::timeout(patience, settling).await;
}

/// Tells servers which folders the room has, for as long as both are there.
fn follow_roots(rooms: &Arc<Rooms>, folder: &std::path::Path, connections: &Arc<Connections>) {
    let mut moves = rooms.open();
    let (rooms, connections) = (Arc::downgrade(rooms), Arc::downgrade(connections));
    let folder = folder.to_owned();
    tokio::spawn(async move {
        loop {
            let (Some(rooms), Some(connections)) = (rooms.upgrade(), connections.upgrade()) else {
                return;
            };
            moves.borrow_and_update();
            let roots = rooms.roots_of(&folder);
            if !roots.is_empty() {
                connections.set_roots(roots);
            }
            drop((rooms, connections));
            if moves.changed().await.is_err() {
                return;
            }
        }
    });
}

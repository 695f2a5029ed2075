//! How all servers stand, for whoever asks.

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use pollux_agent::{Offering, ServerFailure, ServerPrompt, ServerStanding, ServerState};
use rmcp::RoleClient;
use rmcp::service::Peer;
use tokio::sync::watch;

use super::catalogue::Catalogue;
use super::listener::Calls;

/// Written by the servers' tasks, read by everybody.
pub(super) struct Board {
    held: Mutex<Held>,
    /// Counts the changes.
    changed: watch::Sender<u64>,
}

#[derive(Default)]
struct Held {
    views: BTreeMap<String, (Seat, View)>,
    offering: Arc<Offering>,
    seats: u64,
}

/// Who may write about a server. A task whose server was configured anew has lost its seat.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Seat(u64);

/// How one server stands.
#[derive(Clone)]
pub(super) struct View {
    pub(super) standing: ServerStanding,
    pub(super) connected: Option<Connected>,
    pub(super) catalogue: Catalogue,
    pub(super) instructions: Option<String>,
}

/// What it takes to ask a server something.
#[derive(Clone)]
pub(super) struct Connected {
    pub(super) peer: Peer<RoleClient>,
    pub(super) calls: Calls,
    pub(super) timeout: Duration,
}

impl View {
    pub(super) fn of(standing: ServerStanding) -> Self {
        Self {
            standing,
            connected: None,
            catalogue: Catalogue::default(),
            instructions: None,
        }
    }
}

impl Board {
    pub(super) fn new() -> Self {
        Self {
            held: Mutex::default(),
            changed: watch::Sender::new(0),
        }
    }

    /// Takes a server in, or gives its place to somebody else.
    pub(super) fn seat(&self, server: &str, view: View) -> Seat {
        let mut held = self.lock();
        held.seats += 1;
        let seat = Seat(held.seats);
        held.views.insert(server.to_owned(), (seat, view));
        self.show(held);
        seat
    }

    pub(super) fn remove(&self, server: &str) {
        let mut held = self.lock();
        held.views.remove(server);
        self.show(held);
    }

    pub(super) fn publish(&self, server: &str, seat: Seat, view: View) {
        let mut held = self.lock();
        match held.views.get_mut(server) {
            Some((holder, shown)) if *holder == seat => *shown = view,
            Some(_) | None => return,
        }
        self.show(held);
    }

    pub(super) fn offering(&self) -> Arc<Offering> {
        Arc::clone(&self.lock().offering)
    }

    pub(super) fn changes(&self) -> watch::Receiver<u64> {
        self.changed.subscribe()
    }

    pub(super) fn connected(&self, server: &str) -> Result<Connected, ServerFailure> {
        let held = self.lock();
        let view = held.views.get(server).map(|(_, view)| view);
        let connected = view.and_then(|view| view.connected.clone());
        connected.ok_or_else(|| ServerFailure::NotConnected {
            server: server.to_owned(),
            reason: match view {
                Some(view) => view.standing.to_string(),
                None => "it is not configured any more".to_owned(),
            },
        })
    }

    fn show(&self, mut held: MutexGuard<'_, Held>) {
        let offering = offering(&held.views);
        held.offering = Arc::new(offering);
        drop(held);
        self.changed.send_modify(|count| *count += 1);
    }

    /// Every change is made under one lock, so a panic elsewhere leaves nothing half done.
    fn lock(&self) -> MutexGuard<'_, Held> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn offering(views: &BTreeMap<String, (Seat, View)>) -> Offering {
    let mut offering = Offering::default();
    let mut tools = BTreeSet::new();
    let mut prompts = BTreeSet::new();
    for (server, (_, view)) in views {
        let mut left_out = view.catalogue.left_out.clone();
        for tool in &view.catalogue.tools {
            match tools.insert(tool.name.clone()) {
                true => offering.tools.push(Arc::clone(tool)),
                false => {
                    let reason = format!("a tool of another server is called `{}` too", tool.name);
                    left_out.push((tool.tool.clone(), reason));
                }
            }
        }
        for prompt in &view.catalogue.prompts {
            if prompts.insert(prompt.name.clone()) {
                offering.prompts.push(Arc::clone(prompt));
                continue;
            }
            let name = format!("{server}_{}", prompt.name);
            if prompts.insert(name.clone()) {
                offering.prompts.push(Arc::new(ServerPrompt {
                    name,
                    server: prompt.server.clone(),
                    prompt: prompt.prompt.clone(),
                    description: prompt.description.clone(),
                    arguments: prompt.arguments.clone(),
                }));
            }
        }
        offering
            .resources
            .extend(view.catalogue.resources.iter().cloned());
        offering.states.push(ServerState {
            server: server.clone(),
            standing: view.standing.clone(),
            instructions: view.instructions.clone(),
            left_out,
        });
    }
    offering
}

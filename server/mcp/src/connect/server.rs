//! The task that owns one server: connects it, keeps what it offers up to date, and connects it anew when it has gone.

use std::path::PathBuf;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use pollux_agent::ServerStanding;
use rmcp::RoleClient;
use rmcp::model::ServerCapabilities;
use rmcp::service::Peer;
use tokio::sync::{Notify, watch};
use tokio::time::Instant;

use super::authorization::SignedIn;
use super::board::{Board, Connected, Seat, View};
use super::catalogue::{Catalogue, CatalogueError};
use super::connections::Starting;
use super::link::{self, Link, LinkError};
use super::listener::{Calls, Listener};
use super::pace::Pace;
use super::{HandedOn, Means, ServerConfig};

/// How long others wait for one that starts.
const OWN_TURN: Duration = Duration::from_millis(250);
/// Some servers announce a change before they have made it.
const SECOND_LOOK: Duration = Duration::from_millis(500);
/// Whoever was there so long is not held to have failed before.
const STEADY: Duration = Duration::from_secs(60);
/// Characters of what a server says about itself.
const LONGEST_INSTRUCTIONS: usize = 8 * 1024;

pub(super) struct Server {
    pub(super) config: ServerConfig,
    pub(super) environment: HandedOn,
    pub(super) folder: PathBuf,
    pub(super) means: Arc<Means>,
    pub(super) board: Arc<Board>,
    pub(super) seat: Seat,
    pub(super) roots: watch::Receiver<Vec<PathBuf>>,
    pub(super) starting: Arc<Starting>,
}

/// A server that has said what it offers.
struct Ready {
    link: Link,
    catalogue: Catalogue,
    changed: Arc<Notify>,
    calls: Calls,
}

impl Server {
    /// Goes on until it is dropped. Takes little room until the head start is over, and so costs little before.
    pub(super) async fn run(self) {
        tokio::time::sleep(self.means.pauses.head_start).await;
        Box::pin(self.stay()).await;
    }

    async fn stay(self) {
        let mut pause = self.means.pauses.first;
        let mut patience = self.means.pauses.patience.min(self.config.timeout);
        let mut signed_in = self.means.authorization.news();
        loop {
            signed_in.mark_unchanged();
            self.publish(View::of(ServerStanding::Connecting));
            let standing = match self.connect_in_turn(patience).await {
                Ok(ready) => {
                    let since = Instant::now();
                    let reason = self.attend(ready).await;
                    if since.elapsed() >= STEADY {
                        pause = self.means.pauses.first;
                    }
                    ServerStanding::Failed { reason }
                }
                Err(LinkError::Unauthorized { challenge }) => {
                    let refused = self
                        .means
                        .authorization
                        .refused(&self.config, challenge.as_deref());
                    if refused.await == SignedIn::Yes {
                        continue;
                    }
                    ServerStanding::NeedsAuthentication
                }
                Err(LinkError::Failed(reason)) => ServerStanding::Failed { reason },
            };
            tracing::warn!(server = self.config.name, %standing, "a server is not there");
            self.publish(View::of(standing));
            // Whoever has just signed in does not want to wait.
            let news = async {
                if signed_in.changed().await.is_err() {
                    std::future::pending::<()>().await;
                }
            };
            let _woken = tokio::time::timeout(pause, news).await;
            pause = (pause * 2).min(self.means.pauses.longest);
            patience = (patience * 2).min(self.config.timeout);
        }
    }

    fn publish(&self, view: View) {
        self.board.publish(&self.config.name, self.seat, view);
    }

    /// Ten programs that start at once would leave nothing of the processors to whoever works meanwhile. Who takes
    /// long to start lets the next one begin.
    async fn connect_in_turn(&self, patience: Duration) -> Result<Ready, LinkError> {
        let turn = self.starting.acquire().await;
        let mut connecting = pin!(self.connect(patience));
        tokio::select! {
            connected = &mut connecting => return connected,
            () = tokio::time::sleep(OWN_TURN) => drop(turn),
        }
        connecting.await
    }

    async fn connect(&self, patience: Duration) -> Result<Ready, LinkError> {
        let changed = Arc::new(Notify::new());
        let calls = Calls::default();
        let listener = Listener {
            roots: self.roots.clone(),
            changed: Arc::clone(&changed),
            calls: calls.clone(),
        };
        let place = link::Place {
            means: &self.means,
            environment: self.environment.variables(),
            folder: &self.folder,
        };
        let connecting = async {
            let link = link::open(&self.config, &place, listener).await?;
            let catalogue = self.read(link.service.peer()).await;
            let catalogue = catalogue.map_err(|error| LinkError::Failed(error.to_string()))?;
            Ok(Ready {
                link,
                catalogue,
                changed,
                calls,
            })
        };
        tokio::time::timeout(patience, connecting)
            .await
            .unwrap_or_else(|_| {
                let seconds = patience.as_secs_f64();
                let told = format!("it has not answered within {seconds} seconds");
                Err(LinkError::Failed(told))
            })
    }

    async fn read(&self, peer: &Peer<RoleClient>) -> Result<Catalogue, CatalogueError> {
        let catalogue = Catalogue::read(peer, &self.config, &capabilities(peer)).await?;
        match catalogue.is_empty() {
            true => Err(CatalogueError::Empty),
            false => Ok(catalogue),
        }
    }

    /// Keeps up with a connected server. Says why it is no more.
    async fn attend(&self, ready: Ready) -> String {
        let Ready {
            link,
            catalogue,
            changed,
            calls,
        } = ready;
        let peer = link.service.peer().clone();
        let info = peer.peer_info();
        let instructions = info.and_then(|info| info.instructions.clone());
        let instructions =
            instructions.map(|text| text.chars().take(LONGEST_INSTRUCTIONS).collect());
        let mut view = View {
            standing: ServerStanding::Connected,
            connected: Some(Connected {
                peer: peer.clone(),
                calls,
                timeout: self.config.timeout,
            }),
            catalogue,
            instructions,
        };
        self.tell_problems(&view.catalogue);
        self.publish(view.clone());
        let keeping_up = async {
            let mut pace = Pace::default();
            loop {
                changed.notified().await;
                if pace.slows_down() {
                    tracing::warn!(
                        server = self.config.name,
                        "changes without end; its lists are read less often"
                    );
                }
                tokio::time::sleep(pace.pause()).await;
                self.refresh(&peer, &mut view).await;
                pace.looked();
            }
        };
        let telling_roots = async {
            let mut roots = self.roots.clone();
            roots.mark_unchanged();
            while roots.changed().await.is_ok() {
                // Who has gone is noticed elsewhere.
                let _gone = peer.notify_roots_list_changed().await;
            }
            std::future::pending::<()>().await;
        };
        tokio::select! {
            reason = link.ended() => reason,
            () = keeping_up => "it is not attended to any more".to_owned(),
            () = telling_roots => "it is not attended to any more".to_owned(),
        }
    }

    /// Only of lists that are new: a server may announce the same ones again and again.
    fn tell_problems(&self, catalogue: &Catalogue) {
        for problem in &catalogue.problems {
            tracing::warn!(
                server = self.config.name,
                problem,
                "a server lists what is not read"
            );
        }
    }

    async fn refresh(&self, peer: &Peer<RoleClient>, view: &mut View) {
        for pause in [None, Some(SECOND_LOOK)] {
            if let Some(pause) = pause {
                tokio::time::sleep(pause).await;
            }
            let capabilities = capabilities(peer);
            let reading = Catalogue::read(peer, &self.config, &capabilities);
            match tokio::time::timeout(self.config.timeout, reading).await {
                Ok(Ok(catalogue)) if catalogue != view.catalogue => {
                    self.tell_problems(&catalogue);
                    view.catalogue = catalogue;
                    return self.publish(view.clone());
                }
                Ok(Ok(_same)) => {}
                Ok(Err(error)) => {
                    tracing::warn!(server = self.config.name, %error, "lists are not up to date");
                    return;
                }
                Err(_late) => return,
            }
        }
    }
}

fn capabilities(peer: &Peer<RoleClient>) -> ServerCapabilities {
    let info = peer.peer_info();
    info.map(|info| info.capabilities.clone())
        .unwrap_or_default()
}

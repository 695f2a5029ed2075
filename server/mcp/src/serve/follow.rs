//! Tells a client what has changed of the resources it follows.

use std::collections::BTreeMap;
use std::future::Future;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use pollux_workspace::Revision;
use rmcp::model::{Resource, ResourceUpdatedNotificationParam};
use rmcp::service::{Peer, RoleServer, SubscriptionSink};
use tokio::sync::watch;

use super::front::Front;
use super::resources::{Address, open};
use super::sight::Sight;

/// Between two messages about the same typing.
const DEBOUNCE: Duration = Duration::from_millis(150);

/// Of one client.
pub(super) const MOST_FOLLOWED: usize = 100;

/// The mark of what cannot be read.
const UNSEEN: u64 = 0;

/// Takes what is to be said. The two generations of the protocol have a way of their own each.
pub(super) trait Listener: Send + Sync {
    /// Nothing when nobody listens any more.
    fn updated(&self, uri: &str) -> impl Future<Output = Option<()>> + Send;
    fn list_changed(&self) -> impl Future<Output = Option<()>> + Send;
}

impl Listener for Peer<RoleServer> {
    async fn updated(&self, uri: &str) -> Option<()> {
        let param = ResourceUpdatedNotificationParam::new(uri);
        self.notify_resource_updated(param).await.ok()
    }

    async fn list_changed(&self) -> Option<()> {
        self.notify_resource_list_changed().await.ok()
    }
}

impl Listener for SubscriptionSink {
    async fn updated(&self, uri: &str) -> Option<()> {
        self.notify_resource_updated(uri).await.ok()
    }

    async fn list_changed(&self) -> Option<()> {
        match self.accepted().resources_list_changed {
            Some(true) => self.notify_resource_list_changed().await.ok(),
            _ => Some(()),
        }
    }
}

/// What a client follows, and what it was last told of it, as far as it takes to see a difference.
#[derive(Debug, Default)]
pub(super) struct Followed {
    table: Mutex<Table>,
    grown: watch::Sender<()>,
}

#[derive(Debug, Default)]
struct Table {
    /// Of the list of resources. Nothing until the client has seen it.
    list: Option<u64>,
    /// By their addresses as the client spells them.
    resources: BTreeMap<String, (Address, u64)>,
}

/// What is there now.
#[derive(Default)]
struct Seen {
    list: u64,
    resources: BTreeMap<String, u64>,
    revision: Option<Revision>,
}

/// What is to be said.
struct News {
    list: bool,
    updated: Vec<String>,
}

impl Followed {
    /// Follows a resource from what it is now, so that no change is missed between the answer and the first look. Says
    /// whether there was room for one more.
    pub(super) async fn add(&self, front: &Front, uri: String, address: Address) -> bool {
        let reading = address.clone();
        let now = front.tell(move |sight| reading.mark(sight)).await;
        self.insert(uri, address, now.unwrap_or_default())
    }

    /// Follows a resource that the client has been told to be followed already. What has happened to it since is not known,
    /// so it counts as changed.
    pub(super) fn add_unseen(&self, uri: String, address: Address) -> bool {
        self.insert(uri, address, UNSEEN)
    }

    fn insert(&self, uri: String, address: Address, told: u64) -> bool {
        {
            let mut table = self.lock();
            if table.resources.len() >= MOST_FOLLOWED && !table.resources.contains_key(&uri) {
                return false;
            }
            table.resources.insert(uri, (address, told));
        }
        self.grown.send_replace(());
        true
    }

    pub(super) fn remove(&self, uri: &str) {
        self.lock().resources.remove(uri);
    }

    /// The client has seen this list.
    pub(super) fn listed(&self, resources: &[Resource]) {
        self.lock().list = Some(list(resources));
    }

    fn addresses(&self) -> Vec<(String, Address)> {
        let table = self.lock();
        let all = table.resources.iter();
        all.map(|(uri, (address, _))| (uri.clone(), address.clone()))
            .collect()
    }

    fn take_news(&self, seen: &Seen) -> News {
        let mut table = self.lock();
        let before = table.list.replace(seen.list);
        let mut updated = Vec::new();
        for (uri, (_, told)) in &mut table.resources {
            if let Some(now) = seen.resources.get(uri)
                && now != told
            {
                *told = *now;
                updated.push(uri.clone());
            }
        }
        News {
            list: before.is_some_and(|before| before != seen.list),
            updated,
        }
    }

    fn lock(&self) -> MutexGuard<'_, Table> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Address {
    /// Another number when it reads otherwise.
    fn mark(&self, sight: &Sight) -> u64 {
        let contents = self.read(sight).ok();
        contents.map_or(UNSEEN, |contents| hash(&contents.text))
    }
}

/// Says what changes until nobody listens.
pub(super) async fn follow(front: Weak<Front>, followed: Arc<Followed>, listener: impl Listener) {
    let Some(mut rooms) = front.upgrade().map(|front| front.rooms()) else {
        return;
    };
    let mut grown = followed.grown.subscribe();
    loop {
        rooms.mark_unchanged();
        grown.mark_unchanged();
        let Some(seen) = look(&front, followed.addresses()).await else {
            return;
        };
        let news = followed.take_news(&seen);
        if say(&listener, news).await.is_none() {
            return;
        }
        tokio::select! {
            changed = grown.changed() => if changed.is_err() {
                return;
            },
            changed = rooms.changed() => if changed.is_err() {
                return;
            },
            () = moved(&front, seen.revision) => {}
        }
        tokio::time::sleep(DEBOUNCE).await;
    }
}

/// The room has gone beyond what was seen of it. Waits for ever where there is no room.
async fn moved(front: &Weak<Front>, seen: Option<Revision>) {
    let room = front.upgrade().and_then(|front| front.room());
    if let (Some(room), Some(seen)) = (room, seen)
        && room.snapshot(Some(seen)).await.is_some()
    {
        return;
    }
    std::future::pending().await
}

/// Nothing when the front has gone.
async fn look(front: &Weak<Front>, addresses: Vec<(String, Address)>) -> Option<Seen> {
    let front = front.upgrade()?;
    let seen = front.tell(move |sight| {
        let resources = addresses.into_iter().map(|(uri, address)| {
            let mark = address.mark(sight);
            (uri, mark)
        });
        Seen {
            resources: resources.collect(),
            list: list(&open(sight)),
            revision: Some(sight.snapshot.revision),
        }
    });
    Some(seen.await.unwrap_or_default())
}

fn list(resources: &[Resource]) -> u64 {
    let uris: Vec<&str> = resources.iter().map(|file| file.uri.as_str()).collect();
    match uris.is_empty() {
        true => 0,
        false => hash(&uris),
    }
}

fn hash(what: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    what.hash(&mut hasher);
    hasher.finish()
}

async fn say(listener: &impl Listener, news: News) -> Option<()> {
    if news.list {
        listener.list_changed().await?;
    }
    for uri in news.updated {
        listener.updated(&uri).await?;
    }
    Some(())
}

/// The task that follows for one client of the older protocol, once it has begun.
#[derive(Debug, Default)]
pub(super) struct Following(Mutex<Option<tokio_util::task::AbortOnDropHandle<()>>>);

impl Following {
    pub(super) fn start(&self, task: impl Future<Output = ()> + Send + 'static) {
        let mut slot = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if slot.is_none() {
            *slot = Some(tokio_util::task::AbortOnDropHandle::new(tokio::spawn(task)));
        }
    }
}

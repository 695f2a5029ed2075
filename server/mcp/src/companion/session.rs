//! One agent that is connected, and the stream by which it hears of us.
//!
//! An agent never says goodbye: what tells that it has gone is that its stream has. A stream that was cut is opened again
//! within a second or two, so what happened meanwhile is kept for so long.

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use futures_util::Stream;
use serde_json::Value;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use crate::http::{OpenStream, Presence};

/// More agents than anybody has in one folder.
const MOST_SESSIONS: usize = 32;

/// How long a session lasts without a stream.
pub(super) const AWAY: Duration = Duration::from_secs(30);

/// The client of gemini-cli believes in a fault when it has heard nothing for five minutes, and others sooner.
const KEEP_ALIVE: Duration = Duration::from_secs(15);

/// What waits for a stream. An agent has one diff at a time.
const MOST_UNREAD: usize = 64;

/// Whatever is said to all agents alike: the context, ready to be sent.
pub(super) type Context = watch::Receiver<Option<Bytes>>;

/// What an agent says of itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Client {
    pub(super) name: String,
    pub(super) version: String,
}

impl Client {
    /// gemini-cli names its library and not itself.
    pub(super) fn shown_name(&self) -> &str {
        match self.name.as_str() {
            "streamable-http-client" | "stdio-client" | "" => "gemini-cli",
            name => name,
        }
    }

    /// Whether an empty text is known to mean "as proposed" to it. That is how this version reads it and nowhere
    /// written; one that takes it at its word would empty the file.
    pub(super) fn takes_empty_for_unchanged(&self) -> bool {
        self.name == "streamable-http-client" && self.version.starts_with("0.61.")
    }
}

#[derive(Debug)]
pub(super) struct Session {
    pub(super) id: String,
    pub(super) client: Client,
    presence: Arc<Presence>,
    state: Mutex<State>,
    /// Moves when there is something to send or another stream has taken over.
    news: watch::Sender<u64>,
    /// What it asked for on its way out is not shown to anybody.
    over: CancellationToken,
}

#[derive(Debug)]
struct State {
    unread: VecDeque<Bytes>,
    /// The stream that counts. An older one ends.
    stream: u64,
}

impl Session {
    pub(super) fn new(client: Client) -> Self {
        Self {
            id: Uuid::new_v4().to_string(),
            client,
            presence: Arc::new(Presence::new()),
            state: Mutex::new(State {
                unread: VecDeque::new(),
                stream: 0,
            }),
            news: watch::Sender::new(0),
            over: CancellationToken::new(),
        }
    }

    /// It is in no table any more.
    pub(super) fn has_gone(&self) {
        self.over.cancel();
    }

    pub(super) fn is_over(&self) -> bool {
        self.over.is_cancelled()
    }

    /// Says something, now or when the stream is back.
    pub(super) fn say(&self, message: &Value) {
        {
            let mut state = self.lock();
            if state.unread.len() == MOST_UNREAD {
                state.unread.pop_front();
            }
            state.unread.push_back(event(message));
        }
        self.wake();
    }

    /// A request has come: whoever speaks is there.
    pub(super) fn is_here(&self) {
        self.presence.heard();
    }

    fn is_gone(&self) -> bool {
        self.presence.is_gone(AWAY)
    }

    fn wake(&self) {
        self.news
            .send_modify(|moves| *moves = moves.wrapping_add(1));
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A stream of a session: what is unread, the newest context, and a sign of life now and then.
pub(super) struct Listening {
    session: Arc<Session>,
    number: u64,
    context: Context,
    told: bool,
    news: watch::Receiver<u64>,
    stop: CancellationToken,
    on_end: watch::Sender<usize>,
    _open: OpenStream,
}

impl Listening {
    /// Takes the place of the session's last stream. `streams` counts all of them.
    pub(super) fn new(
        session: Arc<Session>,
        context: Context,
        streams: watch::Sender<usize>,
        stop: CancellationToken,
    ) -> Self {
        let number = {
            let mut state = session.lock();
            state.stream += 1;
            state.stream
        };
        streams.send_modify(|count| *count += 1);
        session.wake();
        let news = session.news.subscribe();
        let open = session.presence.stream();
        Self {
            session,
            number,
            context,
            told: false,
            news,
            stop,
            on_end: streams,
            _open: open,
        }
    }

    pub(super) fn events(self) -> impl Stream<Item = Bytes> + Send + Sync + 'static {
        futures_util::stream::unfold(self, |mut listening| async {
            let event = listening.next().await?;
            Some((event, listening))
        })
    }

    /// Nothing when the stream is to end, which it does politely.
    async fn next(&mut self) -> Option<Bytes> {
        loop {
            self.news.mark_unchanged();
            {
                let mut state = self.session.lock();
                if state.stream != self.number {
                    return None;
                }
                if let Some(unread) = state.unread.pop_front() {
                    return Some(unread);
                }
            }
            if self.stop.is_cancelled() {
                return None;
            }
            if !self.told || self.context.has_changed().unwrap_or_default() {
                self.told = true;
                if let Some(context) = self.context.borrow_and_update().clone() {
                    return Some(context);
                }
            }
            tokio::select! {
                _ = self.news.changed() => {}
                changed = self.context.changed() => if changed.is_err() {
                    return None;
                } else {
                    self.told = false;
                },
                () = self.stop.cancelled() => {}
                () = tokio::time::sleep(KEEP_ALIVE) => {
                    return Some(Bytes::from_static(b": still here\n\n"));
                }
            }
        }
    }
}

impl Drop for Listening {
    fn drop(&mut self) {
        self.on_end.send_modify(|count| *count -= 1);
    }
}

/// A message as server-sent events carry it. JSON has no line ends of its own.
pub(super) fn event(message: &Value) -> Bytes {
    format!("event: message\ndata: {message}\n\n").into()
}

/// All agents of a room.
#[derive(Debug, Default)]
pub(super) struct Table(Mutex<BTreeMap<String, Arc<Session>>>);

impl Table {
    /// Nothing when there are too many that are there.
    pub(super) fn open(&self, client: Client) -> Option<(Arc<Session>, Vec<Arc<Session>>)> {
        let mut table = self.lock();
        let mut gone = take_gone(&mut table);
        if table.len() >= MOST_SESSIONS {
            // The one that has been without a stream for longest makes room.
            let absent = table
                .values()
                .filter_map(|session| Some((session.presence.away()?, session)));
            let (_, oldest) = absent.min_by_key(|(since, _)| *since)?;
            let id = oldest.id.clone();
            gone.extend(table.remove(&id));
        }
        let session = Arc::new(Session::new(client));
        table.insert(session.id.clone(), Arc::clone(&session));
        Some((session, gone))
    }

    pub(super) fn get(&self, id: &str) -> Option<Arc<Session>> {
        self.lock().get(id).cloned()
    }

    pub(super) fn remove(&self, id: &str) -> Option<Arc<Session>> {
        self.lock().remove(id)
    }

    /// Forgets those that have been away for too long, and returns them.
    pub(super) fn expire(&self) -> Vec<Arc<Session>> {
        take_gone(&mut self.lock())
    }

    pub(super) fn is_empty(&self) -> bool {
        self.lock().is_empty()
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<String, Arc<Session>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn take_gone(table: &mut BTreeMap<String, Arc<Session>>) -> Vec<Arc<Session>> {
    let gone = table.extract_if(.., |_, session| session.is_gone());
    gone.map(|(_, session)| session).collect()
}

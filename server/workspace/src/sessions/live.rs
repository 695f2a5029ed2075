//! One session that is alive: who shows it, whether it runs, and how it ended.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use pollux_agent::api::Event;
use pollux_agent::{SessionHandle, Terminals};
use tokio::sync::{Notify, watch};
use tokio_util::sync::CancellationToken;

use super::{InUse, SessionId, SessionRequest, SessionWishes};
use crate::Feed;

/// Prompts that may wait in one session.
const MOST_WAITING: usize = 200;

/// Bytes of the text of a prompt. A million tokens have about as many.
const LONGEST_PROMPT: usize = 4 * 1024 * 1024;

/// A session that is alive.
pub struct LiveSession {
    pub id: SessionId,
    pub folder: PathBuf,
    pub handle: SessionHandle,
    pub feed: Feed,
    /// Whoever shows it may offer terminals for its commands.
    pub terminals: Arc<Terminals>,
    /// What it was opened with.
    pub wishes: SessionWishes,
    /// As it would be opened again.
    request: Mutex<SessionRequest>,
    in_use: InUse,
    /// Of all uses of the host's sessions, the number of the last one of this session.
    last_used: AtomicU64,
    /// It was to be closed and is not.
    stayed: CancellationToken,
    running: AtomicBool,
    /// Prompts that wait for their turn.
    waiting: AtomicUsize,
    /// How many doors show it at this moment.
    followers: AtomicUsize,
    /// The last door that showed it shows it no more.
    left: Notify,
    /// Somebody removes it, and says when it has ended.
    is_removed: AtomicBool,
    /// Everything that happened in it is recorded.
    at_rest: CancellationToken,
    ended: watch::Sender<Option<SessionEnd>>,
}

/// Why nothing more happens in a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SessionEnd {
    /// It can be opened again.
    Closed,
    /// It cannot: its record is gone.
    Deleted,
}

/// A door that shows a session, for as long as it does.
pub struct Follower(Arc<LiveSession>);

impl Follower {
    pub fn of(live: &Arc<LiveSession>) -> Self {
        live.followers.fetch_add(1, Ordering::Relaxed);
        Self(Arc::clone(live))
    }
}

impl Drop for Follower {
    fn drop(&mut self) {
        if self.0.followers.fetch_sub(1, Ordering::Relaxed) == 1 {
            self.0.left.notify_one();
        }
    }
}

impl LiveSession {
    pub(super) fn new(
        id: SessionId,
        handle: SessionHandle,
        terminals: Arc<Terminals>,
        feed: Feed,
        request: SessionRequest,
        in_use: InUse,
    ) -> Self {
        Self {
            id,
            folder: request.folder.clone(),
            handle,
            feed,
            terminals,
            wishes: request.wishes.clone(),
            request: Mutex::new(request),
            in_use,
            last_used: AtomicU64::new(0),
            stayed: CancellationToken::new(),
            running: AtomicBool::new(false),
            waiting: AtomicUsize::new(0),
            followers: AtomicUsize::new(0),
            left: Notify::new(),
            is_removed: AtomicBool::new(false),
            at_rest: CancellationToken::new(),
            ended: watch::Sender::new(None),
        }
    }

    /// Refuses a prompt where too many wait already, or that is longer than any model reads.
    pub fn check_prompt(&self, text: &str) -> Result<(), String> {
        self.check_text(text)?;
        if self.waiting.load(Ordering::Relaxed) >= MOST_WAITING {
            return Err(format!(
                "{MOST_WAITING} prompts are waiting already; wait for one, or remove one"
            ));
        }
        Ok(())
    }

    /// The same for the new text of a prompt that waits already.
    pub fn check_text(&self, text: &str) -> Result<(), String> {
        if text.len() > LONGEST_PROMPT {
            let megabytes = LONGEST_PROMPT / (1024 * 1024);
            return Err(format!("a prompt has {megabytes} MB of text at most"));
        }
        Ok(())
    }

    pub(super) fn note_prompt(&self, event: &Event) {
        match event {
            Event::PromptQueued { .. } => {
                self.waiting.fetch_add(1, Ordering::Relaxed);
            }
            Event::PromptUnqueued(_) => {
                let fewer = |count: usize| count.checked_sub(1);
                let (set, fetch) = (Ordering::Relaxed, Ordering::Relaxed);
                let _none_waits = self.waiting.fetch_update(set, fetch, fewer);
            }
            _ => {}
        }
    }

    /// Whether closing it would end nothing but itself.
    pub(super) fn is_idle(&self) -> bool {
        !self.is_running()
            && self.followers() == 0
            && !self.stayed.is_cancelled()
            && !(self.in_use)()
    }

    pub(super) fn used(&self, number: u64) {
        self.last_used.store(number, Ordering::Relaxed);
    }

    pub(super) fn last_used(&self) -> u64 {
        self.last_used.load(Ordering::Relaxed)
    }

    pub(super) fn stays(&self) {
        self.stayed.cancel();
    }

    /// Resolves when it was to be closed and is not.
    pub(super) async fn stayed(&self) {
        self.stayed.cancelled().await;
    }

    pub(super) fn request(&self) -> SessionRequest {
        let request = self.request.lock();
        request.unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Another model answers from now on.
    pub(super) fn set_model(&self, chosen: &SessionRequest) {
        let request = self.request.lock();
        let mut request = request.unwrap_or_else(PoisonError::into_inner);
        request.model.clone_from(&chosen.model);
        request.wishes.thinking = chosen.wishes.thinking;
    }

    /// Resolves when nobody shows it any more.
    pub(super) async fn left(&self) {
        self.left.notified().await;
    }

    /// How many doors show it at this moment.
    pub fn followers(&self) -> usize {
        self.followers.load(Ordering::Relaxed)
    }

    /// Whether it has the folders and servers that somebody wants of it, and no others.
    pub fn has(&self, wishes: &SessionWishes) -> bool {
        let places = |wishes: &SessionWishes| -> BTreeSet<PathBuf> {
            wishes.places.iter().cloned().collect()
        };
        places(&self.wishes) == places(wishes) && self.wishes.servers == wishes.servers
    }

    /// Resolves when nothing more will happen in it, and all of it is recorded or gone.
    pub async fn ended(&self) -> SessionEnd {
        let mut ended = self.ended.subscribe();
        let end = ended.wait_for(Option::is_some).await;
        end.ok().and_then(|end| *end).unwrap_or(SessionEnd::Closed)
    }

    /// From here on it ends when its record has gone, and not before.
    pub(super) fn is_being_removed(&self) {
        self.is_removed.store(true, Ordering::Relaxed);
    }

    /// Resolves when everything that happened in it is recorded.
    pub(super) async fn at_rest(&self) {
        self.at_rest.cancelled().await;
    }

    /// Everything that happened in it is recorded.
    pub(super) fn rests(&self) {
        self.at_rest.cancel();
        if !self.is_removed.load(Ordering::Relaxed) {
            self.end(SessionEnd::Closed);
        }
    }

    /// What is said first counts.
    pub(super) fn end(&self, end: SessionEnd) {
        self.ended.send_if_modified(|ended| {
            let is_news = ended.is_none();
            ended.get_or_insert(end);
            is_news
        });
    }

    /// Whether a turn ran before.
    pub(super) fn set_running(&self, running: bool) -> bool {
        self.running.swap(running, Ordering::Relaxed)
    }

    /// Whether a turn runs.
    pub fn is_running(&self) -> bool {
        self.running.load(Ordering::Relaxed)
    }
}

//! The sessions that are alive in a host, whoever started them and whoever looks at them.
//!
//! A session belongs to nobody's window: it goes on when every door has closed, and the host stays
//! for as long as a turn runs.

mod idle;
mod live;
mod opening;
mod work;

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use idle::ClosedSessions;
pub use idle::MOST_IDLE;
pub use live::{Follower, LiveSession, SessionEnd};
use opening::OpeningLocks;
use pollux_agent::api::{ApprovalMode, Event, HunkCounts, NewVoices, Op};
use pollux_agent::{CommandLine, SessionHandle, Terminals, Thinking};
use serde_json::{Map, Value};
use tokio::sync::{mpsc, watch};
use tokio::time::{Instant, sleep, sleep_until};

use crate::questions::Questions;
use crate::{DoorContext, Feed, Mention, MentionQuery, OpenQuestion};
use work::Work;

/// The id under which a session is recorded.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SessionId(Arc<str>);

impl SessionId {
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl From<&str> for SessionId {
    fn from(id: &str) -> Self {
        Self(id.into())
    }
}

impl fmt::Display for SessionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Starts, finds and removes sessions. Called where waiting for a disk is fine.
pub trait SessionSource: Send + Sync + 'static {
    fn open(&self, request: &SessionRequest) -> Result<OpenedSession, SessionError>;

    /// The recorded sessions of a folder, oldest first.
    fn list(&self, context: &DoorContext, folder: &std::path::Path) -> Vec<SessionSummary>;

    fn delete(
        &self,
        context: &DoorContext,
        folder: &std::path::Path,
        which: &str,
    ) -> Result<(), SessionError>;

    /// The session that somebody means by its id, its number in the list, or `latest`.
    fn find(
        &self,
        _context: &DoorContext,
        _folder: &std::path::Path,
        which: &str,
    ) -> Option<SessionId> {
        Some(SessionId::from(which))
    }

    /// Gives a recorded session another title.
    fn rename(
        &self,
        _context: &DoorContext,
        _folder: &std::path::Path,
        which: &str,
        _title: &str,
    ) -> Result<(), SessionError> {
        Err(SessionError::NotFound(format!(
            "there is no session {which}"
        )))
    }

    /// What somebody may mean, the best first.
    fn mentions(&self, _query: &MentionQuery) -> Vec<Mention> {
        Vec::new()
    }

    /// The commands that a session in a folder has.
    fn commands(&self, _request: &SessionRequest) -> Vec<CommandLine> {
        Vec::new()
    }

    /// What may answer in a folder.
    fn models(&self, _request: &SessionRequest) -> ModelList {
        ModelList::default()
    }

    /// The folders that have recorded sessions, as far as they are still there.
    fn folders(&self, _context: &DoorContext) -> Vec<PathBuf> {
        Vec::new()
    }

    /// Whether a session in this folder would have somebody who answers.
    fn can_answer(&self, _request: &SessionRequest) -> Result<(), SessionError> {
        Ok(())
    }

    /// Removes the key that the person keeps. The error is for the person.
    fn forget_key(&self, _context: &DoorContext) -> Result<(), SessionError> {
        Ok(())
    }

    /// A session has ended, and what it took can be given back.
    fn closed(&self) {}

    /// The models behind [`SessionRequest::model`], for a session that is open.
    fn voices(&self, _request: &SessionRequest) -> Result<NewVoices, SessionError> {
        Err(SessionError::NotPossible(
            "the model cannot be changed here".to_owned(),
        ))
    }
}

/// What may answer, and what does unless something else is asked for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ModelList {
    pub models: Vec<ModelLine>,
    pub current: String,
    pub thinking: Adjustable,
}

/// Whether something can be set.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Adjustable {
    #[default]
    No,
    Yes,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelLine {
    pub id: String,
    pub label: String,
    pub description: Option<String>,
    /// Tokens, where that is known.
    pub context_window: Option<u64>,
}

/// What a door wants.
#[derive(Clone, Debug)]
pub struct SessionRequest {
    pub folder: PathBuf,
    pub context: DoorContext,
    /// The editor's own answer to "do you trust this folder".
    pub trusted: Option<bool>,
    pub which: Which,
    /// Instead of the configured one.
    pub model: Option<String>,
    pub wishes: SessionWishes,
}

/// What a door may want beyond that. Most want nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SessionWishes {
    pub without_key: WithoutKey,
    /// Absolute: folders beside the session's own that its tools may use.
    pub places: Vec<PathBuf>,
    /// MCP servers that the door brings along, by name, as settings write them.
    pub servers: Map<String, Value>,
    pub thinking: Thinking,
}

/// What happens where no model is set up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum WithoutKey {
    #[default]
    DemoAnswers,
    /// With [`SessionError::KeyMissing`]: the door asks the person for a key.
    Refused,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Which {
    New,
    /// By id, by number in the list, or `latest`.
    Recorded(String),
    /// By its id, for a door that had it with a host that has died: as it is recorded, or empty where nothing was said in it.
    Again(String),
}

pub struct OpenedSession {
    pub id: SessionId,
    /// The model that will answer.
    pub model: String,
    pub handle: SessionHandle,
    pub events: mpsc::Receiver<Event>,
    /// For those who show it and have terminals.
    pub terminals: Arc<Terminals>,
    /// What people decide about its edits, where there is a room to decide in.
    pub decided: mpsc::UnboundedReceiver<HunkCounts>,
    /// What happened before, for a session that was resumed.
    pub past: Vec<Event>,
    pub in_use: InUse,
}

/// Whether a session has something that would end with it, such as a command in the background.
pub type InUse = Arc<dyn Fn() -> bool + Send + Sync>;

/// A line of the list of sessions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionSummary {
    pub id: SessionId,
    pub title: String,
    /// Milliseconds since 1970.
    pub updated: u64,
    pub messages: usize,
    pub first_prompt: Option<String>,
}

/// Why there is no session, in words for a person.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SessionError {
    #[error("{0}")]
    NotFound(String),
    #[error("{0}")]
    NotPossible(String),
    /// What somebody set up cannot be used.
    #[error("{0}")]
    Misconfigured(String),
    /// Nobody answers without one.
    #[error("{0}")]
    KeyMissing(String),
    /// The model that was asked for is unknown, or the settings do not let it be used.
    #[error("{0}")]
    ModelRefused(String),
    /// The files of the session cannot be read or written.
    #[error("{message}")]
    Storage {
        kind: std::io::ErrorKind,
        message: String,
    },
}

/// All sessions of a host.
pub struct Sessions {
    source: Arc<dyn SessionSource>,
    /// Held for a map operation at a time, never across an await.
    table: Mutex<BTreeMap<SessionId, Arc<LiveSession>>>,
    /// Locked after the table where both are.
    closed: Mutex<ClosedSessions>,
    opening: OpeningLocks,
    uses: AtomicU64,
    running: watch::Sender<usize>,
    questions: Questions,
    work: Work,
}

impl Sessions {
    pub fn new(source: Arc<dyn SessionSource>) -> Arc<Self> {
        Arc::new(Self {
            source,
            table: Mutex::default(),
            closed: Mutex::default(),
            opening: OpeningLocks::default(),
            uses: AtomicU64::new(0),
            running: watch::Sender::new(0),
            questions: Questions::default(),
            work: Work::default(),
        })
    }

    /// A new session, or one that is recorded. One that is alive is shared, not opened twice.
    pub async fn open(
        self: &Arc<Self>,
        request: SessionRequest,
    ) -> Result<Arc<LiveSession>, SessionError> {
        let _opening = match &request.which {
            Which::Again(name) | Which::Recorded(name) => Some(self.opening.lock(name).await),
            Which::New => None,
        };
        if let Which::Again(id) = &request.which
            && let Some(live) = self.get(id)
        {
            return Ok(live);
        }
        if let Some(live) = self.wanted(&request).await {
            return Ok(live);
        }
        if let Which::Again(id) | Which::Recorded(id) = &request.which {
            self.wait_for_closing(id).await;
            if let Some(live) = self.get(id) {
                return Ok(live);
            }
        }
        let source = Arc::clone(&self.source);
        let wanted = request.clone();
        let opened = self.work.run(move || source.open(&wanted)).await;
        let opened = opened.ok_or_else(|| {
            SessionError::NotPossible("the session could not be opened".to_owned())
        })?;
        let opened = match opened {
            Ok(opened) => opened,
            // One that is alive is not found by `latest` before its first prompt is recorded, which it may be by now.
            Err(error) => return self.wanted(&request).await.ok_or(error),
        };
        let (live, mode) = self.register(opened, request);
        if let Some(mode) = mode {
            submit(&live, Op::SetMode(mode)).await?;
        }
        self.close_surplus();
        Ok(live)
    }

    /// Takes an opened session in, unless it is open already. The mode is the one it was closed in.
    fn register(
        self: &Arc<Self>,
        opened: OpenedSession,
        request: SessionRequest,
    ) -> (Arc<LiveSession>, Option<ApprovalMode>) {
        let mut table = self.lock();
        if let Some(live) = table.get(&opened.id) {
            // Somebody was quicker; what was opened just now ends when it is dropped.
            return (Arc::clone(live), None);
        }
        let mut closed = self.closed_sessions();
        let before = closed.get(opened.id.as_str());
        closed.forget(&opened.id);
        drop(closed);
        let OpenedSession {
            id,
            handle,
            events,
            terminals,
            decided,
            past,
            in_use,
            ..
        } = opened;
        let feed = Feed::new(past, before.as_ref().map_or(0, |before| before.last_cursor));
        let live = LiveSession::new(id.clone(), handle, terminals, feed, request, in_use);
        let live = Arc::new(live);
        live.used(self.uses.fetch_add(1, Ordering::Relaxed));
        table.insert(id, Arc::clone(&live));
        drop(table);
        let sources = Sources { events, decided };
        tokio::spawn(pump(Arc::clone(self), Arc::clone(&live), sources));
        (live, before.and_then(|before| before.mode))
    }

    /// A session that is alive.
    pub fn get(&self, id: &str) -> Option<Arc<LiveSession>> {
        let table = self.lock();
        let live = table.get(&SessionId::from(id))?;
        live.used(self.uses.fetch_add(1, Ordering::Relaxed));
        Some(Arc::clone(live))
    }

    /// The session that is alive and is asked for as one that is recorded.
    async fn wanted(&self, request: &SessionRequest) -> Option<Arc<LiveSession>> {
        let Which::Recorded(which) = &request.which else {
            return None;
        };
        let (context, folder) = (request.context.clone(), request.folder.clone());
        self.meant(context, folder, which.clone()).await
    }

    /// The session that is alive and is meant by its id, its number in the list, or `latest`.
    async fn meant(
        &self,
        context: DoorContext,
        folder: PathBuf,
        which: String,
    ) -> Option<Arc<LiveSession>> {
        self.wait_for_closing(&which).await;
        if let Some(live) = self.get(&which) {
            return Some(live);
        }
        // An id that nobody has is no place in a list.
        if self.alive() == 0 {
            return None;
        }
        let source = Arc::clone(&self.source);
        let found = self
            .work
            .run(move || source.find(&context, &folder, &which));
        let id = found.await.flatten()?;
        self.get(id.as_str())
    }

    /// What is recorded for a folder. Whether one of them is alive, [`Sessions::get`] says.
    pub async fn list(&self, context: DoorContext, folder: PathBuf) -> Vec<SessionSummary> {
        let source = Arc::clone(&self.source);
        let listed = self.work.list(move || source.list(&context, &folder)).await;
        listed.unwrap_or_default()
    }

    /// What somebody may mean, the best first.
    pub async fn mentions(&self, query: MentionQuery) -> Vec<Mention> {
        let source = Arc::clone(&self.source);
        // Dropped with the request when it is cancelled.
        let _waiting = query.cancel.clone().drop_guard();
        let found = self.work.run(move || source.mentions(&query)).await;
        found.unwrap_or_default()
    }

    /// The commands that a session in a folder has.
    pub async fn commands(&self, request: SessionRequest) -> Vec<CommandLine> {
        let source = Arc::clone(&self.source);
        let found = self.work.run(move || source.commands(&request)).await;
        found.unwrap_or_default()
    }

    /// What may answer in a folder.
    pub async fn models(&self, request: SessionRequest) -> ModelList {
        let source = Arc::clone(&self.source);
        let found = self.work.run(move || source.models(&request)).await;
        found.unwrap_or_default()
    }

    /// The folders that have recorded sessions.
    pub async fn folders(&self, context: DoorContext) -> Vec<PathBuf> {
        let source = Arc::clone(&self.source);
        let found = self.work.list(move || source.folders(&context)).await;
        found.unwrap_or_default()
    }

    /// Whether a session would have somebody who answers.
    pub async fn can_answer(&self, request: SessionRequest) -> Result<(), SessionError> {
        let source = Arc::clone(&self.source);
        let answer = self.work.run(move || source.can_answer(&request)).await;
        answer.unwrap_or_else(|| Err(SessionError::NotPossible("nobody answers".to_owned())))
    }

    /// Removes the key that the person keeps.
    pub async fn forget_key(&self, context: DoorContext) -> Result<(), SessionError> {
        let source = Arc::clone(&self.source);
        let forgotten = self.work.run(move || source.forget_key(&context)).await;
        forgotten
            .unwrap_or_else(|| Err(SessionError::NotPossible("nothing was removed".to_owned())))
    }

    /// Lets another model answer from the next turn on.
    pub async fn set_model(
        &self,
        live: &LiveSession,
        request: SessionRequest,
    ) -> Result<(), SessionError> {
        let source = Arc::clone(&self.source);
        let chosen = request.clone();
        let voices = self.work.run(move || source.voices(&request)).await;
        let voices = voices
            .ok_or_else(|| SessionError::NotPossible("the model is not there".to_owned()))??;
        submit(live, Op::SetModel(voices)).await?;
        live.set_model(&chosen);
        Ok(())
    }

    /// Gives a session another title, whether it is alive or only recorded.
    pub async fn rename(
        &self,
        context: DoorContext,
        folder: PathBuf,
        which: String,
        title: String,
    ) -> Result<(), SessionError> {
        let meant = self.meant(context.clone(), folder.clone(), which.clone());
        if let Some(live) = meant.await {
            return submit(&live, Op::Rename(title)).await;
        }
        let source = Arc::clone(&self.source);
        let renamed = self
            .work
            .run(move || source.rename(&context, &folder, &which, &title))
            .await;
        renamed.unwrap_or_else(|| Err(SessionError::NotPossible("nothing was renamed".to_owned())))
    }

    /// Removes a recorded session. One that is alive is closed first, unless it is at work.
    pub async fn delete(
        self: &Arc<Self>,
        context: DoorContext,
        folder: PathBuf,
        which: String,
    ) -> Result<(), SessionError> {
        let meant = self.meant(context.clone(), folder.clone(), which.clone());
        let live = meant.await;
        if live.as_ref().is_some_and(|live| live.is_running()) {
            return Err(SessionError::NotPossible(
                "the session is at work; stop it first".to_owned(),
            ));
        }
        let (sessions, source) = (Arc::clone(self), Arc::clone(&self.source));
        // A task of its own: whoever follows the session is told how it ended, also when nobody waits for the removal.
        let removal = tokio::spawn(async move {
            // By its id from here on: the numbers in the list may move.
            let which = live.as_ref().map_or(which, |live| live.id.to_string());
            sessions
                .closed_sessions()
                .forget(&SessionId::from(which.as_str()));
            if let Some(live) = &live {
                live.is_being_removed();
                // Whoever is late finds it gone; nothing is written behind the removal.
                let _ended_already = submit(live, Op::Close).await;
                live.at_rest().await;
            }
            let work = &sessions.work;
            let deleted = work
                .run(move || source.delete(&context, &folder, &which))
                .await;
            if let Some(live) = &live {
                live.end(match deleted {
                    Some(Ok(())) => SessionEnd::Deleted,
                    Some(Err(_)) | None => SessionEnd::Closed,
                });
            }
            deleted
        });
        let nothing = || SessionError::NotPossible("nothing was removed".to_owned());
        match removal.await {
            Ok(Some(deleted)) => deleted,
            Ok(None) | Err(_) => Err(nothing()),
        }
    }

    /// How many turns run. The host stays for them.
    pub fn running(&self) -> watch::Receiver<usize> {
        self.running.subscribe()
    }

    /// What is asked and not answered, in all sessions.
    pub fn questions(&self) -> watch::Receiver<Vec<OpenQuestion>> {
        self.questions.subscribe()
    }

    pub(crate) fn open_questions(&self) -> &Questions {
        &self.questions
    }

    pub fn alive(&self) -> usize {
        self.lock().len()
    }

    fn closed_sessions(&self) -> MutexGuard<'_, ClosedSessions> {
        self.closed.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<SessionId, Arc<LiveSession>>> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Where the events of a session come from.
struct Sources {
    events: mpsc::Receiver<Event>,
    decided: mpsc::UnboundedReceiver<HunkCounts>,
}

impl Sources {
    /// Nothing once the session has ended.
    async fn next(&mut self) -> Option<Event> {
        tokio::select! {
            event = self.events.recv() => event,
            Some(counts) = self.decided.recv() => Some(Event::HunksDecided(counts)),
        }
    }
}

/// A model writes fast if it has said something less than this ago.
const FAST: Duration = Duration::from_millis(4);

/// Pieces of the answer of a model that writes fast are taken in together if they come closer together than this: two
/// threads would wake each other for every few letters. The first piece is taken in at once, and so is each of a slow one.
const JOIN: Duration = Duration::from_millis(1);

/// A session that nobody shows any more may be closed after this.
const LINGER: Duration = Duration::from_secs(2);

/// Takes the events of a session into its feed, however long it lives.
async fn pump(sessions: Arc<Sessions>, live: Arc<LiveSession>, mut sources: Sources) {
    let mut said: Option<Instant> = None;
    let mut left: Option<Instant> = None;
    loop {
        let since = left.unwrap_or_else(Instant::now);
        let first = tokio::select! {
            biased;
            first = sources.next() => first,
            () = live.left() => {
                left = Some(Instant::now());
                continue;
            }
            // Whoever showed it may have come back meanwhile, as an editor does that is started again.
            () = sleep_until(since + LINGER), if left.is_some() => {
                left = None;
                sessions.close_surplus();
                continue;
            }
        };
        let Some(first) = first else {
            break;
        };
        let mut is_piece = matches!(first, Event::TextReceived(_));
        sessions.take_in(&live, first);
        // What comes meanwhile is for the next time.
        for _ in 0..sources.events.len() {
            let Ok(event) = sources.events.try_recv() else {
                break;
            };
            is_piece = matches!(event, Event::TextReceived(_));
            sessions.take_in(&live, event);
        }
        let now = Instant::now();
        if is_piece
            && said
                .replace(now)
                .is_some_and(|before| now.duration_since(before) < FAST)
        {
            sleep(JOIN).await;
        }
    }
    sessions.questions.close(&live, None);
    sessions.note(&live, false);
    let mut table = sessions.lock();
    // Another life of it may have begun.
    if table
        .get(&live.id)
        .is_some_and(|open| Arc::ptr_eq(open, &live))
    {
        table.remove(&live.id);
    }
    drop(table);
    sessions.closed_sessions().closed(&live.id);
    live.rests();
    drop(live);
    sessions.source.closed();
}

async fn submit(live: &LiveSession, op: Op) -> Result<(), SessionError> {
    let ended = |_| SessionError::NotFound(format!("the session {} has ended", live.id));
    live.handle.submit(op).await.map_err(ended)
}

impl Sessions {
    fn take_in(self: &Arc<Self>, live: &Arc<LiveSession>, event: Event) {
        let running = match &event {
            Event::TurnStarted { .. } => Some(true),
            Event::TurnEnded { .. } => Some(false),
            _ => None,
        };
        self.questions.note(live, &event);
        live.note_prompt(&event);
        // In the feed before it counts as ended: whoever sees the host idle can read all of it.
        live.feed.append(event);
        if let Some(running) = running {
            self.note(live, running);
            if running {
                self.keep_open(live);
            } else {
                self.close_surplus();
            }
        }
    }

    fn note(&self, live: &LiveSession, running: bool) {
        let was = live.set_running(running);
        self.running.send_modify(|count| match (was, running) {
            (false, true) => *count += 1,
            (true, false) => *count -= 1,
            (true, true) | (false, false) => {}
        });
    }
}

#[cfg(test)]
mod tests;

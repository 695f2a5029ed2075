//! A session as this client has it: what it waits for there, and the task that tells it what happens.

mod follow;

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use agent_client_protocol_schema::v1::{Error, ErrorCode, RequestId};
use pollux_agent::api::{ApprovalMode, Op, Prompt, PromptMark, Refusal};
use pollux_agent::{TerminalOffer, Thinking};
use pollux_workspace::{FileClientLease, Follower, LiveSession, SessionEnd, SessionWishes};
use tokio::sync::{mpsc, oneshot};
use tokio_util::task::AbortOnDropHandle;

use crate::connection::Connection;
use crate::failure;
use crate::files::{self, SessionFiles};
use crate::options::Options;
use crate::terminals::SessionTerminals;

pub(crate) use follow::{Beginning, Prelude};

/// Orders that wait for a session that takes its time. A client with more of them is told so.
const MOST_ORDERS: usize = 256;

pub(crate) struct Attached {
    pub(crate) live: Arc<LiveSession>,
    /// What the client wanted of it from the beginning.
    pub(crate) wishes: SessionWishes,
    /// Carries out what the client wants, in the order in which it was said, without anybody waiting.
    orders: mpsc::Sender<Op>,
    state: Mutex<State>,
}

struct State {
    course: Course,
    options: Options,
    prompts: Vec<Pending>,
    modes: Vec<Wanted>,
    /// How many of the choices of a model that are still to be told are this client's own.
    choosing: usize,
    /// The door counts as one that shows the session.
    shown: Option<Follower>,
    following: Option<AbortOnDropHandle<()>>,
    /// The client is asked for files for as long as it shows the session.
    files: Option<FileClientLease>,
    /// And for terminals.
    terminals: Option<TerminalOffer>,
}

/// Whether anybody is left who answers what the client wants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Course {
    GoesOn,
    /// The session was closed, or the client has left it.
    Over,
    Deleted,
}

/// A prompt of the client that has no answer yet.
struct Pending {
    mark: PromptMark,
    request: RequestId,
    stage: Stage,
    /// Whether somebody wants it stopped.
    stopped: bool,
}

/// Where a prompt is, as far as this door can know.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    Sent,
    AtItsTurn,
}

/// A mode that the client has asked for.
struct Wanted {
    mode: ApprovalMode,
    done: oneshot::Sender<Result<(), Refusal>>,
}

/// A choice that the session has not heard of yet. Dropped before that, it was none.
pub(crate) struct Choosing<'a> {
    attached: &'a Attached,
    before: Option<Options>,
    pub(crate) after: Options,
}

impl Choosing<'_> {
    /// The session has heard of it.
    pub(crate) fn made(mut self) -> Options {
        self.before = None;
        self.after.clone()
    }
}

impl Drop for Choosing<'_> {
    fn drop(&mut self) {
        if let Some(before) = self.before.take() {
            self.attached.not_chosen(before);
        }
    }
}

/// A prompt that nothing comes of, because the session has ended.
pub(crate) struct Unserved {
    pub(crate) request: RequestId,
    pub(crate) fate: Fate,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fate {
    /// Its turn ended with the session.
    CutOff,
    /// It came too late.
    Unheard(SessionEnd),
}

/// A prompt that has its answer.
pub(crate) struct Served {
    pub(crate) request: RequestId,
    pub(crate) stopped: bool,
    /// Whether what happened last was about it. `/retry` has its answer in the middle of another prompt.
    pub(crate) was_at_its_turn: bool,
}

impl Attached {
    pub(crate) fn new(
        live: Arc<LiveSession>,
        wishes: SessionWishes,
        options: Options,
    ) -> Arc<Self> {
        let (orders, mut taken) = mpsc::channel(MOST_ORDERS);
        let handle = live.handle.clone();
        // Ends with the door, once all was carried out.
        tokio::spawn(async move {
            while let Some(op) = taken.recv().await {
                let _session_has_ended = handle.submit(op).await;
            }
        });
        let state = State {
            course: Course::GoesOn,
            options,
            prompts: Vec::new(),
            modes: Vec::new(),
            choosing: 0,
            shown: Some(Follower::of(&live)),
            following: None,
            files: None,
            terminals: None,
        };
        Arc::new(Self {
            live,
            wishes,
            orders,
            state: Mutex::new(state),
        })
    }

    /// Tells the client what happens from here on. Whoever did so before stops.
    pub(crate) fn begin(self: &Arc<Self>, connection: &Arc<Connection>, beginning: Beginning) {
        let task = follow::follow(Arc::clone(self), Arc::clone(connection), beginning);
        let task = AbortOnDropHandle::new(tokio::spawn(task));
        self.state().following = Some(task);
    }

    /// From here on the client is asked for files and terminals of the session, if it offers any.
    pub(crate) fn use_offers(&self, connection: &Connection, cwd: &Path, others: &[PathBuf]) {
        let lease = SessionFiles::of(&connection.client, self.live.id.as_str()).map(|files| {
            let folders = files::folders(cwd, others);
            let clients = &connection.host.files;
            clients.admit(self.live.id.clone(), folders, files)
        });
        let owner = connection.owner();
        let terminals = SessionTerminals::of(&connection.client, self.live.id.as_str(), owner)
            .map(|terminals| self.live.terminals.offer(terminals));
        let mut state = self.state();
        state.files = lease;
        state.terminals = terminals;
    }

    pub(crate) fn options(&self) -> Options {
        self.state().options.clone()
    }

    /// Sends a prompt. Its request is answered when nothing more comes of it.
    pub(crate) fn send(&self, request: RequestId, prompt: Prompt) -> Result<(), Error> {
        let Some(mark) = prompt.mark.clone() else {
            return Err(Error::internal_error());
        };
        self.live
            .check_prompt(&prompt.text)
            .map_err(failure::invalid)?;
        let mut state = self.state();
        self.check_alive(&state)?;
        self.order(Op::Queue(prompt))?;
        state.prompts.push(Pending {
            mark,
            request,
            stage: Stage::Sent,
            stopped: false,
        });
        Ok(())
    }

    /// Whether the client waits for the end of a prompt of its own.
    pub(crate) fn has_prompts(&self) -> bool {
        !self.state().prompts.is_empty()
    }

    /// Stops the turn that runs, whoever has begun it, and takes back what waits.
    pub(crate) fn stop(&self) {
        let mut state = self.state();
        let has_prompts = !state.prompts.is_empty();
        for pending in &mut state.prompts {
            pending.stopped = true;
            self.order_if_possible(Op::TakeBack(pending.mark.clone()));
        }
        drop(state);
        if has_prompts || self.live.is_running() {
            self.order_if_possible(Op::CancelTurn);
        }
    }

    /// Stops one prompt, if this is one.
    pub(crate) fn stop_request(&self, request: &RequestId) {
        let mut state = self.state();
        let found = state.prompts.iter_mut().find(|one| one.request == *request);
        let Some(pending) = found else {
            return;
        };
        pending.stopped = true;
        // Only the session knows for certain whether its turn has come.
        self.order_if_possible(Op::StopPrompt(pending.mark.clone()));
    }

    /// Asks for a mode. The session says whether it may have it.
    pub(crate) fn want_mode(
        &self,
        mode: ApprovalMode,
    ) -> Result<oneshot::Receiver<Result<(), Refusal>>, Error> {
        let (done, answer) = oneshot::channel();
        let mut state = self.state();
        self.check_alive(&state)?;
        self.order(Op::SetMode(mode))?;
        state.modes.push(Wanted { mode, done });
        Ok(answer)
    }

    /// The client is gone, or does not want to see this session any more. A turn that nobody looks at is stopped.
    /// Returns the requests that nobody will answer now.
    pub(crate) fn leave(&self) -> Vec<RequestId> {
        let mut state = self.state();
        state.course = Course::Over;
        state.following = None;
        state.modes.clear();
        state.shown = None;
        state.files = None;
        state.terminals = None;
        let left = std::mem::take(&mut state.prompts);
        drop(state);
        for pending in &left {
            self.order_if_possible(Op::TakeBack(pending.mark.clone()));
        }
        let is_busy = self.live.is_running() || !left.is_empty();
        if is_busy && self.live.followers() == 0 {
            self.order_if_possible(Op::CancelTurn);
        }
        left.into_iter().map(|pending| pending.request).collect()
    }

    /// Why nobody answers what was asked here.
    pub(crate) fn gone(&self) -> Error {
        let alive = self.check_alive(&self.state());
        let ended = || failure::no_session(self.live.id.as_str());
        alive.err().unwrap_or_else(ended)
    }

    /// Under the lock under which what waits is given up: what comes later would never be answered.
    fn check_alive(&self, state: &State) -> Result<(), Error> {
        match state.course {
            Course::GoesOn => Ok(()),
            Course::Over => Err(failure::no_session(self.live.id.as_str())),
            Course::Deleted => Err(failure::deleted(self.live.id.as_str())),
        }
    }

    fn order(&self, op: Op) -> Result<(), Error> {
        self.orders.try_send(op).map_err(|_| {
            failure::said(
                ErrorCode::InternalError,
                "the session is too busy to take that; try again",
            )
        })
    }

    /// What is dropped here would come too late in any case.
    fn order_if_possible(&self, op: Op) {
        let _too_busy = self.order(op);
    }

    fn taken(&self, mark: &PromptMark) -> bool {
        let mut state = self.state();
        let found = state.prompts.iter_mut().find(|one| one.mark == *mark);
        let is_own = found.is_some();
        if let Some(pending) = found {
            pending.stage = Stage::AtItsTurn;
        }
        is_own
    }

    fn served(&self, mark: &PromptMark) -> Option<Served> {
        let mut state = self.state();
        let place = state.prompts.iter().position(|one| one.mark == *mark)?;
        let pending = state.prompts.remove(place);
        Some(Served {
            request: pending.request,
            stopped: pending.stopped,
            was_at_its_turn: pending.stage == Stage::AtItsTurn,
        })
    }

    /// The session has ended: nothing comes of these.
    fn never_served(&self, end: SessionEnd) -> Vec<Unserved> {
        let mut state = self.state();
        state.course = match end {
            SessionEnd::Closed => Course::Over,
            SessionEnd::Deleted => Course::Deleted,
        };
        state.modes.clear();
        state.files = None;
        state.terminals = None;
        let left = std::mem::take(&mut state.prompts);
        let unserved = |pending: Pending| Unserved {
            request: pending.request,
            fate: match pending.stopped || pending.stage == Stage::AtItsTurn {
                true => Fate::CutOff,
                false => Fate::Unheard(end),
            },
        };
        left.into_iter().map(unserved).collect()
    }

    /// The client chooses who answers, or how. What it chooses next goes by that, also before the session has heard.
    pub(crate) fn choosing(&self, choice: impl FnOnce(&mut Options)) -> Choosing<'_> {
        let mut state = self.state();
        state.choosing += 1;
        let before = state.options.clone();
        choice(&mut state.options);
        Choosing {
            attached: self,
            before: Some(before),
            after: state.options.clone(),
        }
    }

    fn not_chosen(&self, before: Options) {
        let mut state = self.state();
        state.choosing = state.choosing.saturating_sub(1);
        state.options.model = before.model;
        state.options.thinking = before.thinking;
    }

    /// Somebody has chosen. While more of the client's own choices are on their way, theirs is the newer word.
    fn model_set(&self, model: String, thinking: Thinking) -> Options {
        let mut state = self.state();
        if state.choosing <= 1 {
            state.options.model = model;
            state.options.thinking = thinking;
        }
        state.choosing = state.choosing.saturating_sub(1);
        state.options.clone()
    }

    fn mode_set(&self, mode: ApprovalMode) -> Options {
        let mut state = self.state();
        state.options.mode = mode;
        let wanted = state.modes.iter().position(|wanted| wanted.mode == mode);
        if let Some(wanted) = wanted.map(|place| state.modes.remove(place)) {
            let _given_up = wanted.done.send(Ok(()));
        }
        state.options.clone()
    }

    /// Only one thing is refused about modes.
    fn refused(&self, refusal: &Refusal) {
        let mut state = self.state();
        if *refusal == Refusal::Untrusted && !state.modes.is_empty() {
            let wanted = state.modes.remove(0);
            let _given_up = wanted.done.send(Err(refusal.clone()));
        }
    }

    /// Held for a few operations on memory, never across an await.
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

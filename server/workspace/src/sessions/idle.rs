//! Idle sessions are closed to their record and opened again on use.
//!
//! An open session costs descriptors, a thread and memory. The host keeps the few that were used last; of the others it
//! remembers only what their record does not say.

use std::collections::BTreeMap;
use std::sync::Arc;

use pollux_agent::api::{ApprovalMode, Event, Op};

use super::{LiveSession, SessionError, SessionId, SessionRequest, Sessions, Which};

/// So many sessions that nobody shows stay open without working.
pub const MOST_IDLE: usize = 24;

/// One whose feed holds more than this does not stay open without working, so that its memory returns.
const HEAVY: usize = 4 * 1024 * 1024;

/// Of so many closed sessions the host remembers more than their record says.
const MOST_REMEMBERED: usize = 10_000;

/// What the record of a closed session does not say.
#[derive(Clone)]
pub(super) struct ClosedSession {
    pub(super) request: SessionRequest,
    pub(super) mode: Option<ApprovalMode>,
    /// The cursors of its next life begin behind this.
    pub(super) last_cursor: u64,
    closed_at: u64,
}

/// The sessions that were closed because they were idle.
#[derive(Default)]
pub(super) struct ClosedSessions {
    remembered: BTreeMap<SessionId, ClosedSession>,
    /// Those that are still being written.
    closing: BTreeMap<SessionId, Arc<LiveSession>>,
    count: u64,
}

impl ClosedSessions {
    fn remember(&mut self, id: SessionId, mut session: ClosedSession) {
        self.count += 1;
        session.closed_at = self.count;
        self.remembered.insert(id, session);
        if self.remembered.len() > MOST_REMEMBERED {
            let oldest = self.remembered.iter();
            let oldest = oldest.min_by_key(|(_, session)| session.closed_at);
            if let Some(id) = oldest.map(|(id, _)| id.clone()) {
                self.remembered.remove(&id);
            }
        }
    }

    pub(super) fn get(&self, id: &str) -> Option<ClosedSession> {
        self.remembered.get(&SessionId::from(id)).cloned()
    }

    pub(super) fn closing(&self, id: &str) -> Option<Arc<LiveSession>> {
        self.closing.get(&SessionId::from(id)).cloned()
    }

    pub(super) fn forget(&mut self, id: &SessionId) {
        self.remembered.remove(id);
    }

    /// Its record is complete.
    pub(super) fn closed(&mut self, id: &SessionId) {
        self.closing.remove(id);
    }
}

impl Sessions {
    /// The session of this id, opened again if it was closed because it was idle. `None` if this host has not had it.
    pub async fn reopened(
        self: &Arc<Self>,
        id: &str,
    ) -> Option<Result<Arc<LiveSession>, SessionError>> {
        if let Some(live) = self.get(id) {
            return Some(Ok(live));
        }
        let closed = self.closed_sessions().get(id)?;
        Some(self.open(closed.request).await)
    }

    /// Waits until a session that is being closed is in its record.
    pub(super) async fn wait_for_closing(&self, id: &str) {
        let closing = self.closed_sessions().closing(id);
        if let Some(live) = closing {
            tokio::select! {
                () = live.at_rest() => {}
                () = live.stayed() => {}
            }
        }
    }

    /// Closes the sessions that were not used for longest, beyond those that stay open, and those that hold much memory.
    pub(super) fn close_surplus(self: &Arc<Self>) {
        let mut table = self.lock();
        // The table and the session's own task hold it; whoever else does may be about to use it.
        let is_idle = |live: &&Arc<LiveSession>| Arc::strong_count(live) <= 2 && live.is_idle();
        let mut idle: Vec<Arc<LiveSession>> = Vec::new();
        let candidates: Vec<SessionId> = {
            let found = table.values().filter(is_idle);
            let mut found: Vec<&Arc<LiveSession>> = found.collect();
            found.sort_by_key(|live| live.last_used());
            let surplus = found.len().saturating_sub(MOST_IDLE);
            let places = found.iter().enumerate();
            places
                .filter(|(place, live)| *place < surplus || live.feed.weight() > HEAVY)
                .map(|(_, live)| live.id.clone())
                .collect()
        };
        let mut closed = self.closed_sessions();
        for id in candidates {
            let Some(live) = table.remove(&id) else {
                continue;
            };
            closed.remember(id.clone(), live.as_closed());
            closed.closing.insert(id, Arc::clone(&live));
            idle.push(live);
        }
        drop(closed);
        drop(table);
        for live in idle {
            tokio::spawn(async move {
                // One that has ended is closed already.
                let _ended = live.handle.submit(Op::Release).await;
            });
        }
    }

    /// Something happened in a session that was to be closed: it stays open.
    pub(super) fn keep_open(&self, live: &Arc<LiveSession>) {
        let mut table = self.lock();
        let mut closed = self.closed_sessions();
        if closed.closing.remove(&live.id).is_some() {
            closed.forget(&live.id);
            table.insert(live.id.clone(), Arc::clone(live));
            live.stays();
        }
    }
}

impl LiveSession {
    fn as_closed(&self) -> ClosedSession {
        let mode = self.feed.find_last(|event| match event {
            Event::ModeChanged(mode) | Event::Opened { mode, .. } => Some(*mode),
            _ => None,
        });
        let request = self.request();
        ClosedSession {
            request: SessionRequest {
                which: Which::Again(self.id.to_string()),
                ..request
            },
            mode,
            last_cursor: self.feed.given(self.feed.end()),
            closed_at: 0,
        }
    }
}

//! The sessions that a client follows, kept so that another host goes on with them.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use crate::methods::SessionRestoreParams;
use crate::protocol::method;

/// What is followed, and how far the client has heard it.
#[derive(Default)]
pub(super) struct FollowedSessions {
    /// The cursor behind the last events that the client was sent, by session.
    cursors: BTreeMap<String, u64>,
    /// The same of events that came before the reply to the request to follow, or after the one to stop.
    early: BTreeMap<String, u64>,
    /// The folders of sessions that were opened in another folder than the first one of the room.
    folders: BTreeMap<String, String>,
}

/// A request that changes what is followed or where a session is, until its reply comes.
pub(super) enum SessionRequest {
    Open { folder: Option<String> },
    Follow { session: String, cursor: u64 },
    Unfollow { session: String },
}

#[derive(Deserialize)]
struct Named {
    session: String,
    #[serde(default)]
    cursor: u64,
}

impl SessionRequest {
    /// `None` for all other requests, and for parameters that the host refuses.
    pub(super) fn read(method: &str, params: &Value) -> Option<Self> {
        let named = || Named::deserialize(params).ok();
        Some(match method {
            method::SESSION_START | method::SESSION_RESUME => {
                let folder = params.get("folder").and_then(Value::as_str);
                Self::Open {
                    folder: folder.map(str::to_owned),
                }
            }
            method::SESSION_FOLLOW => {
                let Named { session, cursor } = named()?;
                Self::Follow { session, cursor }
            }
            method::SESSION_UNFOLLOW => Self::Unfollow {
                session: named()?.session,
            },
            _ => return None,
        })
    }

    /// Whether it can be sent to another host as it is, because doing it twice is the same as doing it once.
    pub(super) fn is_repeatable(method: &str) -> bool {
        matches!(
            method,
            method::SESSION_RESUME | method::SESSION_FOLLOW | method::SESSION_UNFOLLOW
        )
    }
}

impl FollowedSessions {
    /// Notes that the host has done what was requested. `result` is its reply.
    pub(super) fn done(&mut self, request: SessionRequest, result: &RawValue) {
        match request {
            SessionRequest::Open {
                folder: Some(folder),
            } => {
                if let Ok(Named { session, .. }) = serde_json::from_str(result.get()) {
                    self.folders.insert(session, folder);
                }
            }
            SessionRequest::Open { folder: None } => {}
            SessionRequest::Follow { session, cursor } => {
                let cursor = self.early.remove(&session).unwrap_or(cursor);
                self.cursors.entry(session).or_insert(cursor);
            }
            SessionRequest::Unfollow { session } => {
                self.cursors.remove(&session);
            }
        }
    }

    /// Notes that the client is sent events. `params` is what it is sent.
    pub(super) fn events(&mut self, params: &RawValue) {
        let Ok(Named { session, cursor }) = serde_json::from_str(params.get()) else {
            return;
        };
        match self.cursors.get_mut(&session) {
            Some(known) => *known = cursor,
            None => {
                self.early.insert(session, cursor);
            }
        }
    }

    /// What a new host is to be told.
    pub(super) fn restore(&self) -> Vec<SessionRestoreParams> {
        let followed = self.cursors.iter();
        let restored = followed.map(|(session, cursor)| SessionRestoreParams {
            session: session.clone(),
            folder: self.folders.get(session).cloned(),
            cursor: *cursor,
        });
        restored.collect()
    }
}

#[cfg(test)]
mod tests;

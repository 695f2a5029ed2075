//! Finding a session by what a person calls it, and going on with it.

use std::time::SystemTime;

use crate::conversation::Conversation;
use crate::error::SessionError;
use crate::id::{IdSource, SessionId};
use crate::list::{SessionInfo, list_sessions};
use crate::project::Project;
use crate::recorder::Recorder;

/// What `--resume` and `--delete-session` were given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SessionRef {
    /// The session that was started last.
    Latest,
    /// The place in the list, from 1.
    Index(usize),
    Id(SessionId),
}

/// A session that goes on.
pub struct Resumed {
    pub recorder: Recorder,
    pub conversation: Conversation,
}

impl SessionRef {
    /// Any text names a session; whether there is one shows when it is looked for. `02` is no number,
    /// because no list shows it.
    pub fn parse(text: &str) -> Self {
        let text = text.trim();
        if text.is_empty() || text == "latest" {
            return Self::Latest;
        }
        match text.parse::<usize>() {
            Ok(index) if index.to_string() == text => Self::Index(index),
            _ => Self::Id(SessionId::new(text)),
        }
    }

    fn text(&self) -> String {
        match self {
            Self::Latest => "latest".to_owned(),
            Self::Index(index) => index.to_string(),
            Self::Id(id) => id.as_str().to_owned(),
        }
    }
}

/// Looks a session up in the list.
pub fn find_session(
    project: &Project,
    reference: &SessionRef,
) -> Result<SessionInfo, SessionError> {
    let mut sessions = list_sessions(project, None)?.sessions;
    let found = match reference {
        SessionRef::Latest => return sessions.pop().ok_or(SessionError::NoSessions),
        SessionRef::Index(index) => sessions.into_iter().find(|session| session.index == *index),
        SessionRef::Id(id) => sessions.into_iter().find(|session| session.id == *id),
    };
    found.ok_or_else(|| SessionError::NotFound {
        reference: reference.text(),
        chats: project.chats(),
    })
}

/// Reads a session and goes on recording it, in its own file. Nothing is written before there is
/// something to record, except that a document of an older twin is copied to the newer format.
pub fn resume_session(
    project: &Project,
    reference: &SessionRef,
    now: SystemTime,
    ids: Box<dyn IdSource>,
) -> Result<Resumed, SessionError> {
    let info = find_session(project, reference)?;
    let (recorder, conversation) = Recorder::resume(&info.path, now, ids)?;
    Ok(Resumed {
        recorder,
        conversation,
    })
}

#[cfg(test)]
mod tests;

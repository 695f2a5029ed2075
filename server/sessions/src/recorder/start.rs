//! The beginnings of a recording: a new session, or one that goes on.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use pollux_settings::create_private_file;
use serde_json::{Map, Value, json};

use super::{Output, Recorder};
use crate::append::{Appender, is_recorded_to};
use crate::conversation::Conversation;
use crate::error::SessionError;
use crate::id::{IdSource, SessionId, file_segment};
use crate::project::Project;
use crate::read::{read_session, read_session_id};
use crate::record::{Line, SessionKind};
use crate::time::{file_stamp, iso, millis};

/// A session that has not been recorded yet.
#[derive(Clone, Debug)]
pub struct NewSession {
    pub id: SessionId,
    pub place: Place,
    /// Workspace folders besides the project's own.
    pub directories: Vec<PathBuf>,
    pub started: SystemTime,
}

/// Where a session lies among the others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    Main,
    /// The conversation of an agent that another session started.
    SubagentOf(SessionId),
}

impl Recorder {
    /// Begins a session. An id that is recorded already is refused.
    pub fn start(
        project: &Project,
        session: &NewSession,
        ids: Box<dyn IdSource>,
    ) -> Result<Self, SessionError> {
        let (path, kind) = match &session.place {
            Place::Main => (main_path(project, session)?, SessionKind::Main),
            Place::SubagentOf(parent) => {
                let path = project.subagent_file(parent, session.id.as_str());
                let unsuitable = || SessionError::UnsuitableId {
                    id: session.id.as_str().to_owned(),
                };
                (path.ok_or_else(unsuitable)?, SessionKind::Subagent)
            }
        };
        let exists = path.symlink_metadata().is_ok()
            || project
                .files_mentioning(&session.id)?
                .iter()
                .any(|path| read_session_id(path).is_ok_and(|id| id == session.id));
        if exists {
            return Err(SessionError::AlreadyExists {
                id: session.id.clone(),
            });
        }
        let mut held = Vec::new();
        Line::Metadata(metadata(project, session, kind))
            .write_to(&mut held)
            .map_err(SessionError::io(&path))?;
        Ok(Self {
            id: session.id.clone(),
            path,
            output: Output::Awaited,
            held,
            last: None,
            ids,
        })
    }

    /// Goes on in the file of a session that was read from it. A document of an older twin stays as it is;
    /// the session goes on in a file beside it.
    pub(crate) fn resume(
        path: &Path,
        now: SystemTime,
        ids: Box<dyn IdSource>,
    ) -> Result<(Self, Conversation), SessionError> {
        if path
            .extension()
            .is_some_and(|extension| extension == "json")
        {
            let conversation = read_session(path)?;
            let path = beside(path, &conversation, now);
            write_whole(&path, &conversation)?;
            let recorder = Self::go_on(Appender::open(&path)?, &path, &conversation, ids)?;
            return Ok((recorder, conversation));
        }
        // Locked before it is read, so that nobody adds to it in between.
        let appender = Appender::open(path)?;
        let conversation = read_session(path)?;
        let recorder = Self::go_on(appender, path, &conversation, ids)?;
        Ok((recorder, conversation))
    }

    /// Goes on with a conversation that the caller still has, after its file has vanished or become
    /// unreadable. What is left of the file is kept aside.
    pub fn restore(
        path: &Path,
        conversation: &Conversation,
        now: SystemTime,
        ids: Box<dyn IdSource>,
    ) -> Result<Self, SessionError> {
        if path.symlink_metadata().is_ok() {
            if is_recorded_to(path) {
                return Err(SessionError::InUse {
                    path: path.to_path_buf(),
                });
            }
            if read_session(path).is_err() {
                let aside = with_suffix(path, &format!(".unreadable-{}", millis(now)));
                std::fs::rename(path, aside).map_err(SessionError::io(path))?;
            }
        }
        if path.symlink_metadata().is_err() {
            write_whole(path, conversation)?;
        }
        Self::go_on(Appender::open(path)?, path, conversation, ids)
    }

    fn go_on(
        appender: Appender,
        path: &Path,
        conversation: &Conversation,
        ids: Box<dyn IdSource>,
    ) -> Result<Self, SessionError> {
        let Some(id) = conversation.metadata.session_id() else {
            return Err(SessionError::Unreadable {
                path: path.to_path_buf(),
            });
        };
        // Written with the first record: who only looks changes nothing.
        let mut held = Vec::new();
        Line::Set(Map::from_iter([("sessionId".to_owned(), json!(id))]))
            .write_to(&mut held)
            .map_err(SessionError::io(path))?;
        Ok(Self {
            id,
            path: path.to_path_buf(),
            output: Output::File(appender),
            held,
            last: conversation.messages.last().cloned(),
            ids,
        })
    }
}

fn main_path(project: &Project, session: &NewSession) -> Result<PathBuf, SessionError> {
    let short: String = segment(&session.id)?.chars().take(8).collect();
    let name = format!("session-{}-{short}.jsonl", file_stamp(session.started));
    Ok(project.chats().join(name))
}

fn segment(id: &SessionId) -> Result<String, SessionError> {
    file_segment(id.as_str()).ok_or_else(|| SessionError::UnsuitableId {
        id: id.as_str().to_owned(),
    })
}

fn metadata(project: &Project, session: &NewSession, kind: SessionKind) -> Map<String, Value> {
    let started = iso(session.started);
    let mut fields = Map::from_iter([
        ("sessionId".to_owned(), json!(session.id)),
        ("projectHash".to_owned(), Value::from(project.hash())),
        ("startTime".to_owned(), Value::from(started.clone())),
        ("lastUpdated".to_owned(), Value::from(started)),
        ("kind".to_owned(), Value::from(kind.as_str())),
    ]);
    if !session.directories.is_empty() {
        let directories = session.directories.iter();
        let texts: Vec<_> = directories.map(|path| path.to_string_lossy()).collect();
        fields.insert("directories".to_owned(), json!(texts));
    }
    fields
}

/// Beside an older document: its name with an `l`, unless a file is there that knows less than it.
fn beside(path: &Path, conversation: &Conversation, now: SystemTime) -> PathBuf {
    let sibling = with_suffix(path, "l");
    if sibling.symlink_metadata().is_err() {
        return sibling;
    }
    let id = conversation.metadata.session_id();
    let short = id.and_then(|id| id.short()).unwrap_or_default();
    path.with_file_name(format!("session-{}-{short}.jsonl", millis(now)))
}

/// All of the file or nothing of it, and never over another.
fn write_whole(path: &Path, conversation: &Conversation) -> Result<(), SessionError> {
    let mut bytes = Vec::new();
    let temporary = with_suffix(path, &format!(".tmp-{}", std::process::id()));
    // Left by a process of the same number that was killed.
    let _usually_absent = std::fs::remove_file(&temporary);
    let written = conversation
        .lines()
        .iter()
        .try_for_each(|line| line.write_to(&mut bytes))
        .and_then(|()| create_private_file(&temporary))
        .and_then(|mut file| file.write_all(&bytes))
        .and_then(|()| std::fs::rename(&temporary, path));
    if written.is_err() {
        // The first error is the one to report.
        let _best_effort = std::fs::remove_file(&temporary);
    }
    written.map_err(SessionError::io(path))
}

fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    PathBuf::from(name)
}

//! Which sessions can be resumed, in the order in which people number them.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use crate::conversation::Fold;
use crate::error::SessionError;
use crate::id::SessionId;
use crate::index::{FileSummary, Stamp};
use crate::project::{Project, file_name};
use crate::read::read_fold;
use crate::record::{Message, MessageKind, SessionKind};
use crate::text::{TITLE_LIMIT, content_text, is_ignored, is_resumable, title, without_control};
use crate::time::{TimeStyle, relative_time};

/// How much of a title a line has room for.
const LINE_TITLE: usize = 100;

/// The sessions of a project, and the files that are none.
#[derive(Debug, Default)]
pub struct Listing {
    /// Oldest first; the place in the list, from 1, is how `--resume` counts.
    pub sessions: Vec<SessionInfo>,
    pub left_out: Vec<LeftOut>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionInfo {
    pub id: SessionId,
    /// From 1.
    pub index: usize,
    pub path: PathBuf,
    /// The summary, or what the person said first.
    pub title: String,
    /// What the person said first to the model.
    pub first_prompt: Option<String>,
    pub started: SystemTime,
    pub last_updated: SystemTime,
    pub messages: usize,
    pub standing: Standing,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// The session that asks.
    Current,
    Previous,
}

/// A file that is not in the list.
#[derive(Debug)]
pub struct LeftOut {
    pub path: PathBuf,
    pub id: Option<SessionId>,
    pub reason: LeftOutReason,
}

#[derive(Debug)]
pub enum LeftOutReason {
    /// Nothing in it is a session, though it could be read.
    Corrupt,
    NothingToResume,
    Subagent,
    /// Another file has the same session, and more of it.
    Superseded,
    /// It may well be a session.
    CannotBeRead(SessionError),
}

/// Lists the main sessions. A project that was never recorded has none.
pub fn list_sessions(
    project: &Project,
    current: Option<&SessionId>,
) -> Result<Listing, SessionError> {
    let short = current.and_then(SessionId::short);
    let mut listing = Listing::default();
    let files = project.session_files()?;
    if let Some(index) = &project.index {
        index.keep(&project.chats(), &files);
    }
    for path in files {
        match info_of(project, &path) {
            Ok(mut info) => {
                let is_current = short
                    .as_deref()
                    .is_some_and(|short| file_name(&path).is_some_and(|name| name.contains(short)));
                if is_current {
                    info.standing = Standing::Current;
                }
                listing.sessions.push(info);
            }
            Err((id, reason)) => listing.left_out.push(LeftOut { path, id, reason }),
        }
    }
    listing.keep_the_newest_of_each();
    listing
        .sessions
        .sort_by(|a, b| (a.started, &a.path).cmp(&(b.started, &b.path)));
    for (place, info) in listing.sessions.iter_mut().enumerate() {
        info.index = place + 1;
    }
    Ok(listing)
}

/// What `--list-sessions` prints.
pub fn session_list_text(sessions: &[SessionInfo], now: SystemTime) -> String {
    if sessions.is_empty() {
        return "No previous sessions found for this project.\n".to_owned();
    }
    let mut text = format!(
        "\nAvailable sessions for this project ({}):\n",
        sessions.len()
    );
    for session in sessions {
        let age = relative_time(session.last_updated, now, TimeStyle::Long);
        let current = match session.standing {
            Standing::Current => ", current",
            Standing::Previous => "",
        };
        let title = shortened(&session.title);
        let (index, id) = (session.index, without_control(session.id.as_str()));
        text.push_str(&format!("  {index}. {title} ({age}{current}) [{id}]\n"));
    }
    text
}

impl Listing {
    fn keep_the_newest_of_each(&mut self) {
        let mut newest: HashMap<SessionId, SessionInfo> = HashMap::new();
        for info in std::mem::take(&mut self.sessions) {
            let older = match newest.get(&info.id) {
                // Of two that are equally new the one recorded to last comes later by name.
                Some(seen) if seen.last_updated > info.last_updated => Some(info),
                Some(_) | None => newest.insert(info.id.clone(), info),
            };
            self.left_out.extend(older.map(|older| LeftOut {
                path: older.path,
                id: Some(older.id),
                reason: LeftOutReason::Superseded,
            }));
        }
        self.sessions = newest.into_values().collect();
    }
}

/// What a list needs to know of a message.
struct Digest {
    resumable: bool,
    title: Option<String>,
    /// Whether the title is something the person said to the model.
    meant: bool,
}

fn digest(message: Message) -> Digest {
    let is_user = message.kind == MessageKind::User;
    Digest {
        resumable: is_resumable(&message),
        meant: is_user && !is_ignored(&content_text(&message.content)),
        title: is_user
            .then(|| title(&message))
            .filter(|title| !title.is_empty()),
    }
}

/// From the index, if there is one that knows the file as it is.
fn info_of(
    project: &Project,
    path: &Path,
) -> Result<SessionInfo, (Option<SessionId>, LeftOutReason)> {
    let Some(index) = &project.index else {
        return read_info(path);
    };
    // Taken before the file is read: what changes meanwhile is read again the next time.
    let Some(stamp) = Stamp::of(path, SystemTime::now()) else {
        return read_info(path);
    };
    if let Some(known) = index.get(path, &stamp) {
        return known.into_result();
    }
    let read = read_info(path);
    if let Some(summary) = FileSummary::of(&read) {
        index.put(path, stamp, summary);
    }
    read
}

fn read_info(path: &Path) -> Result<SessionInfo, (Option<SessionId>, LeftOutReason)> {
    let fold = read_fold(path, digest).map_err(|error| match error {
        SessionError::Unreadable { .. } => (None, LeftOutReason::Corrupt),
        other => (None, LeftOutReason::CannotBeRead(other)),
    })?;
    let Some(id) = fold.metadata.session_id() else {
        return Err((None, LeftOutReason::Corrupt));
    };
    if fold.metadata.kind() == SessionKind::Subagent {
        return Err((Some(id), LeftOutReason::Subagent));
    }
    if !fold.entries().any(|digest| digest.resumable) {
        return Err((Some(id), LeftOutReason::NothingToResume));
    }
    let modified = || {
        path.metadata()
            .and_then(|metadata| metadata.modified())
            .ok()
    };
    let (start, update) = (fold.metadata.start_time(), fold.metadata.last_updated());
    Ok(SessionInfo {
        index: 0,
        path: path.to_path_buf(),
        title: name(&fold),
        first_prompt: first_prompt(&fold),
        started: start.or(update).or_else(modified).unwrap_or(UNIX_EPOCH),
        last_updated: update.or(start).or_else(modified).unwrap_or(UNIX_EPOCH),
        messages: fold.entries().count(),
        standing: Standing::Previous,
        id,
    })
}

fn name(fold: &Fold<Digest>) -> String {
    let summary = fold.metadata.summary().map(without_control);
    let summary = summary.map(|summary| summary.chars().take(TITLE_LIMIT).collect::<String>());
    if let Some(summary) = summary.filter(|summary| !summary.trim().is_empty()) {
        return summary;
    }
    first_prompt(fold).unwrap_or_else(|| "Empty conversation".to_owned())
}

fn first_prompt(fold: &Fold<Digest>) -> Option<String> {
    let titles = || fold.entries().filter(|digest| digest.title.is_some());
    titles()
        .find(|digest| digest.meant)
        .or_else(|| titles().next())
        .and_then(|digest| digest.title.clone())
}

fn shortened(title: &str) -> String {
    if title.chars().count() <= LINE_TITLE {
        return title.to_owned();
    }
    let start: String = title.chars().take(LINE_TITLE - 3).collect();
    format!("{start}...")
}

#[cfg(test)]
mod tests;

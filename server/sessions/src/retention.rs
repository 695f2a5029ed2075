//! Sessions that have become old, by the rules of `general.sessionRetention`.
//!
//! Kinder than the twin in two ways: a file that holds nothing to resume, or nothing readable, is left alone
//! until it is older than the minimum, because another program may have begun it a moment ago; and nothing
//! that is recorded to right now is removed. And a clock that jumps ahead makes nothing old: see [`clock`].

mod clock;
mod rules;
mod tool_outputs;

use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

pub use rules::{Retention, RetentionOff, parse_duration};

use clock::Looks;

use crate::append::is_recorded_to;
use crate::delete::{delete_everything_of, remove_artifacts, remove_chat};
use crate::error::SessionError;
use crate::id::SessionId;
use crate::list::{LeftOutReason, Listing, SessionInfo, list_sessions};
use crate::project::{Project, file_name, mentions};
use crate::underway::unrecorded_prompts;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CleanupMode {
    /// Says what would be removed.
    Preview,
    Remove,
}

#[derive(Debug, Default)]
pub struct Cleanup {
    /// Removed, or to be removed.
    pub removed: Vec<Removed>,
    /// What could not be removed. The rest was.
    pub failed: Vec<SessionError>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Removed {
    pub path: PathBuf,
    pub reason: RemovalReason,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RemovalReason {
    /// Nothing in it can be resumed.
    Worthless,
    TooOld,
    TooMany,
}

/// Removes what the rules no longer keep. The active session is never touched, and counts as one.
pub fn cleanup(
    project: &Project,
    rules: &Retention,
    active: Option<&SessionId>,
    now: SystemTime,
    mode: CleanupMode,
) -> Result<Cleanup, SessionError> {
    let looks = Looks::read(project).after(now, project, active);
    // Where nothing tells the time, nothing is old.
    let now = looks.reference().unwrap_or(UNIX_EPOCH);
    if mode == CleanupMode::Remove {
        let _unconfirmed_then = looks.write(project);
    }
    let listing = list_sessions(project, active)?;
    let mut report = Cleanup::default();
    for (path, id, reason) in doomed(&listing, rules, active, now) {
        let removed = match (mode, id) {
            (CleanupMode::Preview, _) => Ok(()),
            (CleanupMode::Remove, Some(id)) => delete_everything_of(project, id, path).map(drop),
            (CleanupMode::Remove, None) => remove_chat(project, path).map(drop),
        };
        report.note(path.to_path_buf(), reason, removed);
    }
    for left in unrecorded_prompts(project, |id| is_listed(&listing, id) || active == Some(id))? {
        let age = now.duration_since(left.updated).unwrap_or_default();
        if rules.max_age.is_some_and(|max| age > max) {
            let removed = match mode {
                CleanupMode::Preview => Ok(()),
                CleanupMode::Remove => remove_artifacts(project, left.id.as_str()).map(drop),
            };
            let path = project.folder.join(left.id.as_str());
            report.note(path, RemovalReason::TooOld, removed);
        }
    }
    tool_outputs::cleanup(project, rules, active, now, mode, &mut report)?;
    Ok(report)
}

impl Cleanup {
    fn note(&mut self, path: PathBuf, reason: RemovalReason, removed: Result<(), SessionError>) {
        match removed {
            Ok(()) => self.removed.push(Removed { path, reason }),
            Err(error) => self.failed.push(error),
        }
    }
}

fn is_listed(listing: &Listing, id: &SessionId) -> bool {
    let sessions = listing.sessions.iter().map(|session| Some(&session.id));
    let others = listing.left_out.iter().map(|left| left.id.as_ref());
    sessions.chain(others).any(|known| known == Some(id))
}

type Doomed<'a> = (&'a Path, Option<&'a SessionId>, RemovalReason);

fn doomed<'a>(
    listing: &'a Listing,
    rules: &Retention,
    active: Option<&SessionId>,
    now: SystemTime,
) -> Vec<Doomed<'a>> {
    let mut doomed: Vec<Doomed<'a>> = listing
        .left_out
        .iter()
        .filter(|left| match left.reason {
            LeftOutReason::Corrupt | LeftOutReason::NothingToResume | LeftOutReason::Subagent => {
                true
            }
            LeftOutReason::Superseded | LeftOutReason::CannotBeRead(_) => false,
        })
        .filter(|left| !is_active(left.id.as_ref(), &left.path, active))
        .filter(|left| age_on_disk(&left.path, now) > Some(rules.min_retention))
        .map(|left| (left.path.as_path(), None, RemovalReason::Worthless))
        .collect();

    let mut sessions: Vec<&SessionInfo> = listing.sessions.iter().collect();
    sessions.sort_by_key(|session| std::cmp::Reverse((session.last_updated, session.started)));
    let is_too_old = |session: &SessionInfo| {
        let age = now.duration_since(session.last_updated).unwrap_or_default();
        rules.max_age.is_some_and(|max| age > max)
    };
    // Whether a file is recorded to is asked only where it matters: there may be thousands.
    let is_protected = |session: &SessionInfo| {
        is_active(Some(&session.id), &session.path, active)
            || (rules.max_count.is_some() || is_too_old(session)) && is_recorded_to(&session.path)
    };
    let (protected, others): (Vec<_>, Vec<_>) = sessions
        .into_iter()
        .partition(|session| is_protected(session));
    let room = rules
        .max_count
        .map(|count| count.saturating_sub(protected.len()));
    for (place, session) in others.into_iter().enumerate() {
        let reason = if is_too_old(session) {
            RemovalReason::TooOld
        } else if room.is_some_and(|room| place >= room) {
            RemovalReason::TooMany
        } else {
            continue;
        };
        doomed.push((&session.path, Some(&session.id), reason));
    }
    doomed.retain(|(path, _, _)| !is_recorded_to(path));
    doomed
}

/// A file that says nothing about its session may still be named after the active one.
fn is_active(id: Option<&SessionId>, path: &Path, active: Option<&SessionId>) -> bool {
    let Some(active) = active else {
        return false;
    };
    let named = active
        .short()
        .is_some_and(|short| file_name(path).is_some_and(|name| mentions(name, &short)));
    named || id == Some(active)
}

fn age_on_disk(path: &Path, now: SystemTime) -> Option<std::time::Duration> {
    let modified = path
        .symlink_metadata()
        .and_then(|metadata| metadata.modified());
    now.duration_since(modified.ok()?).ok()
}

#[cfg(test)]
mod tests;

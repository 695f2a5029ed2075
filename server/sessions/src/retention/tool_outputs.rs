//! Saved outputs of tools, which outlive their sessions otherwise.

use std::time::SystemTime;

use super::{Cleanup, CleanupMode, RemovalReason, Retention};
use crate::delete::{Expected, remove};
use crate::error::SessionError;
use crate::id::SessionId;
use crate::project::{Project, entries};

pub(super) const FOLDER: &str = "tool-outputs";

struct Found {
    name: String,
    modified: SystemTime,
    expected: Expected,
}

/// Loose files by age and by count; folders of sessions by age only.
pub(super) fn cleanup(
    project: &Project,
    rules: &Retention,
    active: Option<&SessionId>,
    now: SystemTime,
    mode: CleanupMode,
    report: &mut Cleanup,
) -> Result<(), SessionError> {
    let own = active
        .and_then(SessionId::file_segment)
        .map(|segment| format!("session-{segment}"));
    let mut loose = 0;
    for found in newest_first(project)? {
        let age = now.duration_since(found.modified).unwrap_or_default();
        let too_many = match found.expected {
            Expected::Folder => false,
            Expected::File => {
                loose += 1;
                rules.max_count.is_some_and(|max| loose > max)
            }
        };
        let reason = if own.as_ref() == Some(&found.name) {
            continue;
        } else if rules.max_age.is_some_and(|max| age > max) {
            RemovalReason::TooOld
        } else if too_many {
            RemovalReason::TooMany
        } else {
            continue;
        };
        let removed = match mode {
            CleanupMode::Preview => Ok(()),
            CleanupMode::Remove => {
                remove(project, &[FOLDER, &found.name], found.expected).map(drop)
            }
        };
        report.note(
            project.folder.join(FOLDER).join(found.name),
            reason,
            removed,
        );
    }
    Ok(())
}

fn newest_first(project: &Project) -> Result<Vec<Found>, SessionError> {
    let folder = project.folder.join(FOLDER);
    let mut found: Vec<Found> = entries(&folder)?
        .into_iter()
        .flatten()
        .flatten()
        .filter_map(|entry| {
            let name = entry.file_name().into_string().ok()?;
            let metadata = entry.metadata().ok()?;
            let expected = if metadata.is_file() {
                Expected::File
            } else if metadata.is_dir() && name.starts_with("session-") {
                Expected::Folder
            } else {
                return None;
            };
            Some(Found {
                name,
                modified: metadata.modified().ok()?,
                expected,
            })
        })
        .collect();
    found.sort_by_key(|found| std::cmp::Reverse(found.modified));
    Ok(found)
}

//! Which time it is, for somebody who deletes by it.
//!
//! A clock can be wrong by years for one start of the machine, and what it lets look old would be gone. So nothing goes
//! because one look at the clock calls it old: the look before, at least a day earlier, has to agree.

use std::fs;
use std::path::PathBuf;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

use crate::id::SessionId;
use crate::project::Project;
use crate::retention::{is_active, tool_outputs};

/// Beside the project's sessions.
const FILE: &str = "retention.json";

/// Two looks that are closer together count as one.
const APART: Duration = Duration::from_secs(24 * 60 * 60);

/// The looks at the clock that count, in milliseconds since 1970.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Looks {
    /// A day or more before the latest one; at first the time of the newest file that another start has left.
    earlier: Option<u64>,
    latest: Option<u64>,
}

impl Looks {
    /// Without looks nobody has cleaned up here yet.
    pub(super) fn read(project: &Project) -> Self {
        let text = fs::read(path(project)).unwrap_or_default();
        serde_json::from_slice(&text).unwrap_or_default()
    }

    /// Where they cannot be kept, nothing is confirmed by them.
    pub(super) fn write(self, project: &Project) -> std::io::Result<()> {
        if !project.folder.is_dir() {
            return Ok(());
        }
        fs::write(path(project), serde_json::to_vec(&self)?)
    }

    /// The same after another look.
    pub(super) fn after(
        self,
        now: SystemTime,
        project: &Project,
        active: Option<&SessionId>,
    ) -> Self {
        let milliseconds_now = milliseconds(now);
        // The clock has gone back: what it said before was wrong, or is wrong now.
        let past = |look: Option<u64>| look.filter(|look| *look <= milliseconds_now);
        let (earlier, latest) = (past(self.earlier), past(self.latest));
        let apart = u64::try_from(APART.as_millis()).unwrap_or(u64::MAX);
        if latest.is_some_and(|look| milliseconds_now - look >= apart) {
            return Self {
                earlier: latest,
                latest: Some(milliseconds_now),
            };
        }
        // Nobody has looked before, but somebody has written files.
        let written = || newest_file(project, active).map(|newest| milliseconds(newest.min(now)));
        Self {
            earlier: earlier.or_else(written),
            latest: latest.or(Some(milliseconds_now)),
        }
    }

    /// The time by which something has to be old; `None` if nothing tells.
    pub(super) fn reference(self) -> Option<SystemTime> {
        let earlier = self.earlier?;
        Some(UNIX_EPOCH + Duration::from_millis(earlier))
    }
}

/// When one of the files was written that another start has left.
fn newest_file(project: &Project, active: Option<&SessionId>) -> Option<SystemTime> {
    let chats = project.session_files().unwrap_or_default();
    let chats = chats
        .into_iter()
        .filter(|path| !is_active(None, path, active));
    let outputs = fs::read_dir(project.folder.join(tool_outputs::FOLDER));
    let outputs = outputs.into_iter().flatten().flatten();
    chats
        .chain(outputs.map(|entry| entry.path()))
        .filter_map(|path| path.metadata().ok()?.modified().ok())
        .max()
}

fn path(project: &Project) -> PathBuf {
    project.folder.join(FILE)
}

fn milliseconds(time: SystemTime) -> u64 {
    let time = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

//! Old sessions go, as the settings say. Nobody waits for it.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use pollux_sessions::{CleanupMode, Project, Retention, SessionId, cleanup};
use pollux_settings::Settings;

/// A process looks through the sessions of a project no more often than this: there may be thousands, and they age in days.
const PAUSE: Duration = Duration::from_secs(60 * 60);

/// When the old sessions of each project were looked for last.
#[derive(Default)]
pub(crate) struct Expiry {
    last: Mutex<HashMap<PathBuf, Instant>>,
}

impl Expiry {
    /// Starts to remove what the rules no longer keep of a project, beside the session that has just been opened.
    pub(super) fn start(&self, project: &Project, settings: &Settings, active: &str) {
        let rules = match Retention::from_settings(settings) {
            Ok(rules) => rules,
            Err(off) => {
                tracing::debug!(%off, "old sessions stay");
                return;
            }
        };
        if !self.is_due(project) {
            return;
        }
        let (project, active) = (project.clone(), active.to_owned());
        tokio::task::spawn_blocking(move || {
            let active = SessionId::new(active);
            let now = SystemTime::now();
            match cleanup(&project, &rules, Some(&active), now, CleanupMode::Remove) {
                Ok(report) => {
                    for error in &report.failed {
                        tracing::warn!(%error, "an old session stays");
                    }
                }
                Err(error) => tracing::warn!(%error, "old sessions stay"),
            }
        });
    }

    fn is_due(&self, project: &Project) -> bool {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        last.retain(|_, at| at.elapsed() < PAUSE);
        let is_due = !last.contains_key(&project.folder);
        if is_due {
            last.insert(project.folder.clone(), Instant::now());
        }
        is_due
    }
}

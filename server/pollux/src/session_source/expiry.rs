//! Old sessions go, as the settings say. Nobody waits for it.

use std::time::SystemTime;

use pollux_sessions::{CleanupMode, Project, Retention, SessionId, cleanup};
use pollux_settings::Settings;

/// Starts to remove what the rules no longer keep of a project, beside the session that has just been opened.
pub(super) fn start(project: &Project, settings: &Settings, active: &str) {
    let rules = match Retention::from_settings(settings) {
        Ok(rules) => rules,
        Err(off) => {
            tracing::debug!(%off, "old sessions stay");
            return;
        }
    };
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

//! `--list-sessions` and `--delete-session`.

use std::io::Write;
use std::path::Path;
use std::process::ExitCode;
use std::time::SystemTime;

use anyhow::Result;
use pollux_sessions::{SessionRef, delete_session, list_sessions, session_list_text};
use pollux_workspace::DoorContext;

use super::complain;
use crate::session_source::project;
use crate::terminal;

pub(crate) fn list(context: &DoorContext, folder: &Path) -> Result<ExitCode> {
    let sessions = match project(context, folder) {
        Some(project) => list_sessions(&project, None)?.sessions,
        None => Vec::new(),
    };
    let text = session_list_text(&sessions, SystemTime::now());
    terminal::stdout().write_all(text.as_bytes())?;
    Ok(ExitCode::SUCCESS)
}

/// The twin ends well even when there is nothing to remove.
pub(super) fn delete(context: &DoorContext, folder: &Path, which: &str) -> Result<ExitCode> {
    let Some(project) = project(context, folder) else {
        complain("there are no recorded sessions for this folder");
        return Ok(ExitCode::SUCCESS);
    };
    match delete_session(&project, &SessionRef::parse(which), None) {
        Ok(deleted) => {
            let text = format!("Removed session {}.\n", deleted.id.as_str());
            terminal::stdout().write_all(text.as_bytes())?;
        }
        Err(error) => complain(&error.to_string()),
    }
    Ok(ExitCode::SUCCESS)
}

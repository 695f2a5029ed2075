//! `session/list`: what is recorded, the newest first, in pages.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::{Duration, UNIX_EPOCH};

use agent_client_protocol_schema::v1::{
    Error, ListSessionsRequest, ListSessionsResponse, SessionId, SessionInfo,
};
use pollux_workspace::SessionSummary;

use super::folder;
use crate::connection::Connection;
use crate::failure::invalid;

const PAGE: usize = 50;

pub(super) async fn handle(
    connection: &Connection,
    params: ListSessionsRequest,
) -> Result<ListSessionsResponse, Error> {
    let after = params.cursor.as_deref().map(place).transpose()?;
    let _one_at_a_time = connection.listing.lock().await;
    let mut found = Vec::new();
    for folder in named_folders(connection, params.cwd).await? {
        let sessions = &connection.host.sessions;
        let recorded = sessions.list(connection.context(), folder.clone()).await;
        found.extend(recorded.into_iter().map(|line| (folder.clone(), line)));
    }
    // A place is a time and a name, so that a session which is used meanwhile moves no other.
    found.sort_by(|(_, one), (_, two)| key(two).cmp(&key(one)));
    if let Some(after) = after {
        found.retain(|(_, line)| key(line) < (after.0, after.1.as_str()));
    }
    let more = found.len() > PAGE;
    found.truncate(PAGE);
    let next = found.last().filter(|_| more);
    let next = next.map(|(_, line)| format!("{}:{}", line.updated, line.id));
    let sessions = found.into_iter().map(info).collect();
    Ok(ListSessionsResponse::new(sessions).next_cursor(next))
}

/// The folder that is asked about, or all that are known.
pub(super) async fn named_folders(
    connection: &Connection,
    cwd: Option<PathBuf>,
) -> Result<BTreeSet<PathBuf>, Error> {
    if let Some(cwd) = cwd {
        return Ok(BTreeSet::from([folder(&cwd)?]));
    }
    let context = connection.context();
    let own = context.folder.canonicalize().ok();
    let known = connection.host.sessions.folders(context).await;
    Ok(known.into_iter().chain(own).collect())
}

fn key(line: &SessionSummary) -> (u64, &str) {
    (line.updated, line.id.as_str())
}

fn place(cursor: &str) -> Result<(u64, String), Error> {
    let wrong = || invalid("the cursor is none of ours");
    let (time, id) = cursor.split_once(':').ok_or_else(wrong)?;
    let time = time.parse().map_err(|_| wrong())?;
    Ok((time, id.to_owned()))
}

fn info((folder, line): (PathBuf, SessionSummary)) -> SessionInfo {
    let updated = UNIX_EPOCH + Duration::from_millis(line.updated);
    SessionInfo::new(SessionId::new(line.id.as_str()), folder)
        .title(line.title)
        .updated_at(humantime::format_rfc3339_millis(updated).to_string())
}

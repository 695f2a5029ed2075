//! `pollux/sessionList`

use tower_lsp::jsonrpc::Result;

use super::folder;
use crate::protocol::{SessionLine, SessionListParams, SessionListResult, SessionState};
use crate::server::Server;

/// Nobody looks through more of them.
const MOST_LISTED: usize = 1_000;

pub(crate) async fn handle(
    server: &Server,
    params: SessionListParams,
) -> Result<SessionListResult> {
    let connection = &server.connection;
    let folder = folder(connection, params.folder.as_deref()).await?;
    let sessions = &connection.host.sessions;
    let _one_at_a_time = connection.listing.lock().await;
    let recorded = sessions.list(connection.context.clone(), folder).await;
    let line = |summary: pollux_workspace::SessionSummary| SessionLine {
        state: match sessions.get(summary.id.as_str()) {
            Some(live) if live.is_running() => SessionState::Running,
            Some(_) => SessionState::Idle,
            None => SessionState::Recorded,
        },
        session: summary.id.to_string(),
        title: summary.title,
        updated: summary.updated,
        messages: summary.messages as u64,
        first_prompt: summary.first_prompt,
    };
    // The newest come last.
    let surplus = recorded.len().saturating_sub(MOST_LISTED);
    Ok(SessionListResult {
        sessions: recorded.into_iter().skip(surplus).map(line).collect(),
    })
}

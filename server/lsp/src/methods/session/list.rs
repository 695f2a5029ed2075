//! `pollux/sessionList`

use tower_lsp::jsonrpc::Result;

use super::folder;
use crate::protocol::{SessionLine, SessionListParams, SessionListResult, SessionState};
use crate::server::Server;

pub(crate) async fn handle(
    server: &Server,
    params: SessionListParams,
) -> Result<SessionListResult> {
    let connection = &server.connection;
    let folder = folder(connection, params.folder.as_deref()).await?;
    let sessions = &connection.host.sessions;
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
    Ok(SessionListResult {
        sessions: recorded.into_iter().map(line).collect(),
    })
}

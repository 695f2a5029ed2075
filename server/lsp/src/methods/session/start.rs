//! `pollux/sessionStart`

use pollux_workspace::Which;
use tower_lsp::jsonrpc::Result;

use super::open;
use crate::protocol::{SessionResult, SessionStartParams};
use crate::server::Server;

pub(crate) async fn handle(server: &Server, params: SessionStartParams) -> Result<SessionResult> {
    let live = open(server, params.folder.as_deref(), Which::New, params.model).await?;
    Ok(SessionResult {
        session: live.id.to_string(),
    })
}

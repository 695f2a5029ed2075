//! `pollux/sessionResume`

use pollux_workspace::Which;
use tower_lsp::jsonrpc::Result;

use super::open;
use crate::protocol::{SessionResult, SessionResumeParams};
use crate::server::Server;

pub(crate) async fn handle(server: &Server, params: SessionResumeParams) -> Result<SessionResult> {
    let which = Which::Recorded(params.session);
    let live = open(server, params.folder.as_deref(), which, None).await?;
    Ok(SessionResult {
        session: live.id.to_string(),
    })
}

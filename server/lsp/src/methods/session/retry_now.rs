//! `pollux/retryNow`

use pollux_agent::api::Op;
use tower_lsp::jsonrpc::Result;

use super::submit;
use crate::protocol::{Done, SessionParams};
use crate::server::Server;

pub(crate) async fn handle(server: &Server, params: SessionParams) -> Result<Done> {
    submit(server, &params.session, Op::RetryNow).await
}

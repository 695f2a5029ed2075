//! `pollux/promptUnqueue`

use pollux_agent::api::{Op, QueuedId};
use tower_lsp::jsonrpc::Result;

use super::submit;
use crate::protocol::{Done, PromptUnqueueParams};
use crate::server::Server;

pub(crate) async fn handle(server: &Server, params: PromptUnqueueParams) -> Result<Done> {
    submit(server, &params.session, Op::Unqueue(QueuedId(params.id))).await
}

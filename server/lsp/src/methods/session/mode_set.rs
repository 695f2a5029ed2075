//! `pollux/modeSet`

use pollux_agent::api::Op;
use tower_lsp::jsonrpc::Result;

use super::{approval, submit};
use crate::protocol::{Done, ModeSetParams};
use crate::server::Server;

pub(crate) async fn handle(server: &Server, params: ModeSetParams) -> Result<Done> {
    let op = Op::SetMode(approval::mode(params.mode));
    submit(server, &params.session, op).await
}

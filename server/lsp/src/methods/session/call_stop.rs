//! `pollux/callStop`

use pollux_agent::api::{CallId, Op};
use tower_lsp::jsonrpc::Result;

use super::submit;
use crate::protocol::{CallStopParams, Done};
use crate::server::Server;

pub(crate) async fn handle(server: &Server, params: CallStopParams) -> Result<Done> {
    let call = CallId::new(params.call);
    submit(server, &params.session, Op::StopCall(call)).await
}

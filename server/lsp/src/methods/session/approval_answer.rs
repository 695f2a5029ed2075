//! `pollux/approvalAnswer`

use pollux_agent::api::{ApprovalId, Op};
use tower_lsp::jsonrpc::Result;

use super::{approval, submit};
use crate::protocol::{ApprovalAnswerParams, Done};
use crate::server::Server;

pub(crate) async fn handle(server: &Server, params: ApprovalAnswerParams) -> Result<Done> {
    let op = Op::Answer {
        approval: ApprovalId(params.approval),
        answer: approval::answer(params.answer),
        by: server.connection.window(),
    };
    submit(server, &params.session, op).await
}

//! `pollux/editDecide`

use pollux_agent::api::{Decision, Op, ProposalId};
use tower_lsp::jsonrpc::Result;

use super::submit;
use crate::protocol::{Done, EditDecideParams, HunkDecision};
use crate::server::Server;

pub(crate) async fn handle(server: &Server, params: EditDecideParams) -> Result<Done> {
    let decisions = params.decisions.into_iter().map(|decision| match decision {
        HunkDecision::Keep => Decision::Keep,
        HunkDecision::Reject => Decision::Reject,
    });
    let op = Op::Decide {
        proposal: ProposalId(params.proposal),
        decisions: decisions.collect(),
        by: server.connection.window(),
    };
    submit(server, &params.session, op).await
}

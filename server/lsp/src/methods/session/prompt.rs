//! `pollux/promptQueue` and `pollux/promptSteer`: the two ways to say something.

use pollux_agent::api::Op;
use tower_lsp::jsonrpc::Result;

use super::submit;
use crate::protocol::{Done, PromptParams};
use crate::server::Server;

pub(crate) async fn queue(server: &Server, params: PromptParams) -> Result<Done> {
    submit(
        server,
        &params.session,
        Op::Queue(params.text.as_str().into()),
    )
    .await
}

pub(crate) async fn steer(server: &Server, params: PromptParams) -> Result<Done> {
    submit(
        server,
        &params.session,
        Op::Steer(params.text.as_str().into()),
    )
    .await
}

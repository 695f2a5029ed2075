//! `pollux/promptQueue` and `pollux/promptSteer`: the two ways to say something.

use pollux_agent::api::Op;
use tower_lsp::jsonrpc::Result;

use super::{attachment, submit};
use crate::protocol::{Done, PromptParams};
use crate::server::Server;

pub(crate) async fn queue(server: &Server, params: PromptParams) -> Result<Done> {
    let session = params.session.clone();
    let prompt = attachment::prompt(params)?;
    submit(server, &session, Op::Queue(prompt)).await
}

pub(crate) async fn steer(server: &Server, params: PromptParams) -> Result<Done> {
    let session = params.session.clone();
    let prompt = attachment::prompt(params)?;
    submit(server, &session, Op::Steer(prompt)).await
}

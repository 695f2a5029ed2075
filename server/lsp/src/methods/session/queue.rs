//! `pollux/promptUnqueue`, `pollux/promptEdit`, `pollux/promptMove` and `pollux/queueRelease`: prompts that wait.

use pollux_agent::api::{Op, QueuedId};
use tower_lsp::jsonrpc::Result;

use super::submit;
use crate::protocol::{
    Done, PromptEditParams, PromptMoveParams, PromptUnqueueParams, SessionParams,
};
use crate::server::Server;

pub(crate) async fn remove(server: &Server, params: PromptUnqueueParams) -> Result<Done> {
    submit(server, &params.session, Op::Unqueue(QueuedId(params.id))).await
}

pub(crate) async fn edit(server: &Server, params: PromptEditParams) -> Result<Done> {
    let op = Op::EditQueued {
        id: QueuedId(params.id),
        text: params.text,
    };
    submit(server, &params.session, op).await
}

pub(crate) async fn shift(server: &Server, params: PromptMoveParams) -> Result<Done> {
    let op = Op::MoveQueued {
        id: QueuedId(params.id),
        place: params.place,
    };
    submit(server, &params.session, op).await
}

pub(crate) async fn release(server: &Server, params: SessionParams) -> Result<Done> {
    submit(server, &params.session, Op::ReleaseQueue).await
}

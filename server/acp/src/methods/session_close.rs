//! `session/close`: what runs is stopped, and the session is let go unless another door shows it.

use std::time::Duration;

use agent_client_protocol_schema::v1::{
    CloseSessionRequest, CloseSessionResponse, Error, PromptResponse, StopReason,
};
use pollux_agent::api::Op;
use tokio::time::timeout;

use crate::connection::Connection;
use crate::failure;

/// A tool that does not end at once is ended by others.
const PATIENCE: Duration = Duration::from_secs(5);

pub(super) async fn handle(
    connection: &Connection,
    params: CloseSessionRequest,
) -> Result<CloseSessionResponse, Error> {
    let id = &params.session_id.0;
    let attached = connection
        .detach(id)
        .ok_or_else(|| failure::no_session(id))?;
    if attached.has_prompts() {
        attached.stop();
    }
    for request in attached.leave() {
        let response = Ok(PromptResponse::new(StopReason::Cancelled));
        connection.client.respond(&request, response).await;
    }
    let live = &attached.live;
    if live.followers() == 0 && live.handle.submit(Op::Close).await.is_ok() {
        let _goes_on_ending = timeout(PATIENCE, live.ended()).await;
    }
    Ok(CloseSessionResponse::new())
}

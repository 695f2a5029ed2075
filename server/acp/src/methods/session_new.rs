//! `session/new`

use agent_client_protocol_schema::v1::{
    Error, NewSessionRequest, NewSessionResponse, RequestId, SessionId,
};
use pollux_workspace::{SessionRequest, Which};

use super::{Done, attach, folder, wishes, written};
use crate::attached::{Beginning, Prelude};
use crate::connection::Connection;
use crate::failure;

pub(super) async fn handle(
    connection: &Connection,
    id: &RequestId,
    params: NewSessionRequest,
) -> Result<Done, Error> {
    connection.check_logged_in()?;
    let wishes = wishes(&params.additional_directories, &params.mcp_servers)?;
    let request = SessionRequest {
        wishes: wishes.clone(),
        ..connection.request(folder(&params.cwd)?, Which::New)
    };
    let opened = connection.host.sessions.open(request).await;
    let live = opened.map_err(failure::of_session)?;
    let attached = attach(connection, live, wishes).await;
    attached.use_offers(connection, &params.cwd, &params.additional_directories);
    let options = attached.options();
    let response = NewSessionResponse::new(SessionId::new(attached.live.id.as_str()))
        .modes(options.modes())
        .config_options(options.list());
    let beginning = Beginning {
        request: id.clone(),
        response: written(&response)?,
        remark: None,
        prelude: Prelude::Nothing,
    };
    Ok(Done::Session(attached, beginning))
}

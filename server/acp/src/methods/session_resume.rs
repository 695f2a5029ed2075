//! `session/resume`: a session from here on; the client has the rest.

use agent_client_protocol_schema::v1::{
    Error, RequestId, ResumeSessionRequest, ResumeSessionResponse,
};

use super::{Done, attach, recorded, written};
use crate::attached::{Beginning, Prelude};
use crate::connection::Connection;

pub(super) async fn handle(
    connection: &Connection,
    id: &RequestId,
    params: ResumeSessionRequest,
) -> Result<Done, Error> {
    let places = &params.additional_directories;
    let live = recorded(connection, &params.session_id.0, &params.cwd, places).await?;
    let attached = attach(connection, live).await;
    let options = attached.options();
    let response = ResumeSessionResponse::new()
        .modes(options.modes())
        .config_options(options.list());
    let beginning = Beginning {
        request: id.clone(),
        response: written(&response)?,
        prelude: Prelude::Nothing,
    };
    Ok(Done::Session(attached, beginning))
}

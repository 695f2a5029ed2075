//! `session/resume`: a session from here on; the client has the rest.

use agent_client_protocol_schema::v1::{
    Error, RequestId, ResumeSessionRequest, ResumeSessionResponse,
};

use super::{Done, recorded, wishes, written};
use crate::attached::{Beginning, Prelude};
use crate::connection::Connection;

pub(super) async fn handle(
    connection: &Connection,
    id: &RequestId,
    params: ResumeSessionRequest,
) -> Result<Done, Error> {
    let wishes = wishes(&params.additional_directories, &params.mcp_servers)?;
    let id_of = &params.session_id.0;
    let attached = recorded(connection, id_of, &params.cwd, wishes).await?;
    attached.use_files(connection, &params.cwd, &params.additional_directories);
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

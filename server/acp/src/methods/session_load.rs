//! `session/load`: a session from its beginning, told again before the answer.

use agent_client_protocol_schema::v1::{Error, LoadSessionRequest, LoadSessionResponse, RequestId};

use super::{Done, recorded, shortcoming, which, wishes, written};
use crate::attached::{Beginning, Prelude};
use crate::connection::Connection;

pub(super) async fn handle(
    connection: &Connection,
    id: &RequestId,
    params: LoadSessionRequest,
) -> Result<Done, Error> {
    let wishes = wishes(&params.additional_directories, &params.mcp_servers)?;
    let which = which(&params.session_id.0, None);
    let attached = recorded(connection, which, &params.cwd, wishes.clone()).await?;
    attached.use_offers(connection, &params.cwd, &params.additional_directories);
    let options = attached.options();
    let response = LoadSessionResponse::new()
        .modes(options.modes())
        .config_options(options.list());
    let beginning = Beginning {
        request: id.clone(),
        response: written(&response)?,
        remark: shortcoming(&attached, &wishes),
        prelude: Prelude::Everything,
    };
    Ok(Done::Session(attached, beginning))
}

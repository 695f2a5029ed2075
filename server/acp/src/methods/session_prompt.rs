//! `session/prompt`: goes to the session in the order of the wire; answered when nothing more comes of it.

use agent_client_protocol_schema::v1::{Error, PromptRequest, RequestId};

use crate::connection::Connection;
use crate::prompt::prompt;

pub(super) fn handle(
    connection: &Connection,
    id: &RequestId,
    params: PromptRequest,
) -> Result<(), Error> {
    let attached = connection.attached(&params.session_id.0)?;
    let mark = connection.next_mark();
    let prompt = prompt(params.prompt, &attached.live.folder, mark)?;
    attached.send(id.clone(), prompt)
}

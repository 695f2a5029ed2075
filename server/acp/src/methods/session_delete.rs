//! `session/delete`

use agent_client_protocol_schema::v1::{DeleteSessionRequest, DeleteSessionResponse, Error};

use super::session_list::named_folders;
use crate::connection::Connection;
use crate::failure;

pub(super) async fn handle(
    connection: &Connection,
    params: DeleteSessionRequest,
) -> Result<DeleteSessionResponse, Error> {
    let id = &params.session_id.0;
    let sessions = &connection.host.sessions;
    let context = connection.context();
    let folder = match sessions.get(id) {
        Some(live) => live.folder.clone(),
        None => {
            let mut home = None;
            for folder in named_folders(connection, None).await? {
                let recorded = sessions.list(context.clone(), folder.clone()).await;
                if recorded.iter().any(|line| line.id.as_str() == &**id) {
                    home = Some(folder);
                    break;
                }
            }
            home.ok_or_else(|| failure::no_session(id))?
        }
    };
    let deleted = sessions.delete(context, folder, id.to_string()).await;
    deleted.map_err(failure::of_session)?;
    connection.detach(id);
    Ok(DeleteSessionResponse::new())
}

//! `pollux/sessionDelete`

use tower_lsp::jsonrpc::Result;

use super::{failed, folder};
use crate::protocol::{Done, SessionDeleteParams};
use crate::server::Server;

pub(crate) async fn handle(server: &Server, params: SessionDeleteParams) -> Result<Done> {
    let connection = &server.connection;
    let folder = folder(connection, params.folder.as_deref()).await?;
    let context = connection.context.clone();
    let sessions = &connection.host.sessions;
    let deleted = sessions.delete(context, folder, params.session).await;
    deleted.map_err(failed)?;
    Ok(Done {})
}

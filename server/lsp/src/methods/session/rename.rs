//! `pollux/sessionRename`

use tower_lsp::jsonrpc::{Error, Result};

use super::{failed, folder};
use crate::protocol::{Done, SessionRenameParams};
use crate::server::Server;

pub(crate) async fn handle(server: &Server, params: SessionRenameParams) -> Result<Done> {
    if params.title.trim().is_empty() {
        return Err(Error::invalid_params("a title has at least one letter"));
    }
    let connection = &server.connection;
    let folder = folder(connection, params.folder.as_deref()).await?;
    let context = connection.context.clone();
    let sessions = &connection.host.sessions;
    let renamed = sessions.rename(context, folder, params.session, params.title);
    renamed.await.map_err(failed)?;
    Ok(Done {})
}

//! `pollux/modelSet`

use pollux_workspace::Which;
use tower_lsp::jsonrpc::Result;

use super::{failed, live, request};
use crate::protocol::{Done, ModelSetParams};
use crate::server::Server;

pub(crate) async fn handle(server: &Server, params: ModelSetParams) -> Result<Done> {
    let connection = &server.connection;
    let live = live(server, &params.session).await?;
    let folder = live.folder.clone();
    let request = request(connection, folder, Which::New, Some(params.model)).await?;
    let set = connection.host.sessions.set_model(&live, request);
    set.await.map_err(failed)?;
    Ok(Done {})
}

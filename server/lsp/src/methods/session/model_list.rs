//! `pollux/modelList`

use pollux_workspace::{ModelLine, Which};
use tower_lsp::jsonrpc::Result;

use super::{folder, request};
use crate::protocol::{ModelChoice, ModelListParams, ModelListResult};
use crate::server::Server;

pub(crate) async fn handle(server: &Server, params: ModelListParams) -> Result<ModelListResult> {
    let connection = &server.connection;
    let folder = folder(connection, params.folder.as_deref()).await?;
    let request = request(connection, folder, Which::New, None).await?;
    let list = connection.host.sessions.models(request).await;
    let choice = |line: ModelLine| ModelChoice {
        id: line.id,
        label: line.label,
        description: line.description,
        context_window: line.context_window,
    };
    Ok(ModelListResult {
        models: list.models.into_iter().map(choice).collect(),
        current: list.current,
    })
}

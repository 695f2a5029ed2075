//! `pollux/baseText`

use pollux_workspace::Input;
use tokio::sync::oneshot;
use tower_lsp::jsonrpc::{Error, Result};

use crate::protocol::{BaseTextParams, BaseTextResult};
use crate::server::Server;
use crate::uri::document_key;

pub(super) async fn handle(server: &Server, params: BaseTextParams) -> Result<BaseTextResult> {
    let connection = &server.connection;
    let key = document_key(&params.uri);
    let (reply, answer) = oneshot::channel();
    connection.post(Input::BaseText {
        key: key.clone(),
        reply,
    })?;
    if let Ok(Some(base)) = answer.await {
        return Ok(BaseTextResult {
            existed: base.text.is_some(),
            text: base.text.map(|text| text.to_string()).unwrap_or_default(),
        });
    }
    // Where nothing is pending, the text is its own base.
    let snapshot = connection.snapshot(None).await?;
    let document = snapshot.documents.get(&key);
    let view = document.and_then(|document| document.seen_from(connection.door));
    let missing = || Error::invalid_params(format!("nothing is pending in {}", params.uri));
    Ok(BaseTextResult {
        text: view.ok_or_else(missing)?.text.to_string(),
        existed: true,
    })
}

//! `pollux/baseText`

use std::path::{Path, PathBuf};
use std::sync::Arc;

use pollux_workspace::{DocumentKey, Input, Location};
use tokio::sync::oneshot;
use tower_lsp::jsonrpc::Result;

use crate::connection::Connection;
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
    let text = match (view, &key) {
        (Some(view), _) => Some(view.text.to_string()),
        (None, DocumentKey::File(path)) => on_disk(connection, &snapshot.roots, path).await,
        (None, DocumentKey::Virtual(_)) => None,
    };
    Ok(BaseTextResult {
        existed: text.is_some(),
        text: text.unwrap_or_default(),
    })
}

/// A file that no editor has open, if it is one of the workspace.
async fn on_disk(connection: &Connection, roots: &[PathBuf], path: &Path) -> Option<String> {
    let root = roots.iter().find(|root| path.starts_with(root))?;
    let at = Location {
        root: root.clone(),
        path: path.to_owned(),
    };
    let rooms = Arc::clone(&connection.host.rooms);
    let read = tokio::task::spawn_blocking(move || rooms.text_on_disk(&at));
    read.await.ok().flatten()
}

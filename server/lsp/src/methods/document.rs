//! `pollux/document`

use pollux_workspace::SyncState;
use tower_lsp::jsonrpc::{Error, Result};

use crate::protocol::{DocumentParams, DocumentResult, Sync};
use crate::server::Server;
use crate::uri::document_key;

pub(super) async fn handle(server: &Server, params: DocumentParams) -> Result<DocumentResult> {
    let connection = &server.connection;
    let snapshot = connection.snapshot(None).await?;
    let view = snapshot
        .documents
        .get(&document_key(&params.uri))
        .and_then(|document| document.seen_from(connection.door))
        .ok_or_else(|| Error::invalid_params(format!("{} is not open", params.uri)))?;
    Ok(DocumentResult {
        uri: view.uri.to_string(),
        language_id: view.language.to_string(),
        version: view.version,
        sync: view.sync.into(),
        text: view.text.to_string(),
    })
}

impl From<SyncState> for Sync {
    fn from(state: SyncState) -> Self {
        match state {
            SyncState::Synced => Sync::Synced,
            SyncState::Desynced => Sync::Desynced,
        }
    }
}

//! `initialized`: the client is ready to be asked for something.

use serde_json::json;
use tower_lsp::Client;
use tower_lsp::ls_types::request::RegisterCapability;
use tower_lsp::ls_types::{Registration, RegistrationParams};
use tracing::warn;

use crate::connection::Connection;
use crate::outbound;

pub(crate) async fn handle(connection: &Connection, client: &Client) {
    connection.ready.cancel();
    let watches_files = connection
        .entered
        .get()
        .is_some_and(|entered| entered.client.watches_files);
    if !watches_files {
        return;
    }
    let watchers =
        json!({ "watchers": [{ "globPattern": "**/.gemini/**" }, { "globPattern": "**/.env" }] });
    let registration = Registration {
        id: "pollux-settings".to_owned(),
        method: "workspace/didChangeWatchedFiles".to_owned(),
        register_options: Some(watchers),
    };
    let params = RegistrationParams {
        registrations: vec![registration],
    };
    if let Err(error) = outbound::request::<RegisterCapability>(connection, client, params).await {
        warn!(%error, "the client does not watch the settings files");
    }
}

//! `pollux/companion`: tells a client where agents in its terminals find the room.

use pollux_workspace::CompanionAddress;
use tower_lsp::Client;
use tower_lsp::ls_types::notification::Notification;

use crate::connection::Connection;
use crate::protocol::{Companion, CompanionParams, method};

struct CompanionMoved;

impl Notification for CompanionMoved {
    type Params = CompanionParams;
    const METHOD: &'static str = method::COMPANION;
}

/// Tells until the connection ends. What the room says before the client is ready would be lost.
pub(crate) async fn run(connection: &Connection, client: Client) {
    connection.ready.cancelled().await;
    if !connection.traits().has_terminals {
        return std::future::pending().await;
    }
    let mut news = connection.companion.subscribe();
    loop {
        let said = news.borrow_and_update().clone();
        if let Some(address) = said {
            let companion = address.map(told);
            let params = CompanionParams { companion };
            client.send_notification::<CompanionMoved>(params).await;
        }
        if news.changed().await.is_err() {
            return;
        }
    }
}

fn told(address: CompanionAddress) -> Companion {
    Companion {
        port: address.port,
        workspace_path: address.workspace_path,
        auth_token: address.token,
    }
}

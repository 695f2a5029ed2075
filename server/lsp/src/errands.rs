//! Pages and questions that belong to no session: `window/showDocument` and `window/showMessageRequest`.

use std::sync::Arc;

use pollux_workspace::{Deed, Done, Errand};
use serde_json::{Value, json};
use tokio::task::JoinSet;
use tower::Service;
use tower_lsp::Client;
use tower_lsp::jsonrpc::Request;
use tracing::debug;

use crate::asking::CancelRequest;
use crate::connection::Connection;
use crate::outbound::{self, ShowDocument};

/// Runs errands until the connection ends.
pub(crate) async fn run(connection: &Arc<Connection>, client: Client) {
    connection.ready.cancelled().await;
    let mut errands = connection.host.rooms.errands().attend();
    let mut running = JoinSet::new();
    while let Some(errand) = errands.next().await {
        while running.try_join_next().is_some() {}
        running.spawn(serve(Arc::clone(connection), client.clone(), errand));
    }
    std::future::pending().await
}

async fn serve(connection: Arc<Connection>, client: Client, errand: Errand) {
    let Errand { folder, deed, done } = errand;
    let is_mine = match connection.snapshot(None).await {
        Ok(snapshot) => snapshot.roots.contains(&folder),
        Err(_room_has_ended) => false,
    };
    let answer = match deed {
        _ if !is_mine => Done::NotHere,
        Deed::Open { url } => open(&connection, &client, &url).await,
        Deed::Ask { message, yes, no } => {
            let mut done = done;
            let id = connection.next_request_id();
            let answer = tokio::select! {
                answer = ask(client.clone(), &id, &message, [&yes, &no]) => answer,
                () = done.closed() => {
                    let params = json!({ "id": id });
                    return client.send_notification::<CancelRequest>(params).await;
                }
            };
            // Whoever has waited may have gone meanwhile.
            let _gone = done.send(answer);
            return;
        }
    };
    let _gone = done.send(answer);
}

async fn open(connection: &Arc<Connection>, client: &Client, url: &str) -> Done {
    if !connection.traits().shows_documents {
        return Done::NotHere;
    }
    let params = json!({ "uri": url, "external": true, "takeFocus": true });
    match outbound::request::<ShowDocument>(connection, client, params).await {
        Ok(shown) if shown.get("success").and_then(Value::as_bool) == Some(true) => Done::Yes,
        Ok(_) => Done::NotHere,
        Err(error) => {
            debug!(%error, "the client did not open a page");
            Done::NotHere
        }
    }
}

/// Whoever closes the message has not said no.
async fn ask(mut client: Client, id: &str, message: &str, [yes, no]: [&str; 2]) -> Done {
    let request = Request::build("window/showMessageRequest")
        .id(id.to_owned())
        // Type 3 is "information"; nothing has gone wrong.
        .params(json!({ "type": 3, "message": message, "actions": [{ "title": yes }, { "title": no }] }))
        .finish();
    let Ok(Some(reply)) = client.call(request).await else {
        return Done::NotHere;
    };
    let (_, result) = reply.into_parts();
    let chosen = result.unwrap_or_default();
    match chosen.get("title").and_then(Value::as_str) {
        Some(title) if title == yes => Done::Yes,
        Some(title) if title == no => Done::No,
        Some(_) | None => Done::NotHere,
    }
}

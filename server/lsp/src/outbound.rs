//! What the server says to the client on its own account.
//!
//! No handler waits for the client; this task does, and with a deadline. A client that does not
//! take a message in that time has stopped reading, and its connection ends.

use std::sync::Arc;
use std::time::Duration;

use pollux_workspace::{Outbound, Severity};
use serde_json::Value;
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;
use tower::Service;
use tower_lsp::Client;
use tower_lsp::jsonrpc::{Error, ErrorCode, Request};
use tower_lsp::ls_types::MessageType;
use tower_lsp::ls_types::notification::Notification;
use tower_lsp::ls_types::request::Request as RequestType;

use crate::applying::{self, ApplyEdit};
use crate::connection::Connection;
use crate::protocol::{ResyncParams, method};
use crate::querying;

/// How long a client may take to read one message.
const SEND_DEADLINE: Duration = Duration::from_secs(20);

/// How long a client may take to answer a request that no person is asked about.
const REPLY_DEADLINE: Duration = Duration::from_secs(20);

struct Resync;

impl Notification for Resync {
    type Params = ResyncParams;
    const METHOD: &'static str = method::RESYNC;
}

/// With parameters of our own: the library's refuse URIs that editors do use.
pub(crate) struct ShowDocument;

impl RequestType for ShowDocument {
    type Params = Value;
    type Result = Value;
    const METHOD: &'static str = "window/showDocument";
}

/// Passes on what the room says until the connection ends.
pub(crate) async fn run(
    connection: &Arc<Connection>,
    client: Client,
    mut messages: mpsc::Receiver<Outbound>,
    stalled: &CancellationToken,
) {
    // Whatever waits for an answer of the client ends with the connection.
    let mut waiting = JoinSet::new();
    while let Some(message) = messages.recv().await {
        while waiting.try_join_next().is_some() {}
        if timeout(
            SEND_DEADLINE,
            send(connection, &client, &mut waiting, message),
        )
        .await
        .is_err()
        {
            stalled.cancel();
        }
    }
}

async fn send(
    connection: &Arc<Connection>,
    client: &Client,
    waiting: &mut JoinSet<()>,
    message: Outbound,
) {
    match message {
        Outbound::Resync { uris } => {
            let resyncs = connection
                .entered
                .get()
                .is_some_and(|entered| entered.client.resyncs);
            if resyncs {
                for uri in uris {
                    client
                        .send_notification::<Resync>(ResyncParams { uri })
                        .await;
                }
            } else {
                // A plain client heals the text when it saves or reopens the file.
                let text = match uris.as_slice() {
                    [uri] => format!(
                        "A change to {uri} did not fit; save the file to bring it back in step."
                    ),
                    several => format!(
                        "A message was lost; save the {} open files to bring them back in step.",
                        several.len()
                    ),
                };
                client.log_message(MessageType::WARNING, text).await;
            }
        }
        Outbound::Message { severity, text } => {
            let kind = match severity {
                Severity::Error => MessageType::ERROR,
                Severity::Warning => MessageType::WARNING,
                Severity::Information => MessageType::INFO,
            };
            client.show_message(kind, text).await;
        }
        Outbound::ApplyEdit {
            op,
            uri,
            version,
            edits,
            label,
        } => {
            let edit = ApplyEdit {
                op,
                uri,
                version,
                edits,
                label,
            };
            waiting.spawn(applying::apply(
                Arc::clone(connection),
                client.clone(),
                edit,
            ));
        }
        Outbound::Companion(address) => {
            connection.companion.send_replace(Some(address));
        }
        Outbound::Save { uris } => {
            waiting.spawn(applying::save(Arc::clone(connection), client.clone(), uris));
        }
        Outbound::Query { id, uri, query } => {
            let connection = Arc::clone(connection);
            waiting.spawn(querying::ask(connection, client.clone(), id, uri, query));
        }
    }
}

/// Sends a request and waits for its reply, for a bounded time.
pub(crate) async fn request<R>(
    connection: &Connection,
    client: &Client,
    params: R::Params,
) -> Result<R::Result, Error>
where
    R: RequestType,
{
    let params = serde_json::to_value(params).map_err(|_| Error::internal_error())?;
    let request = Request::build(R::METHOD)
        .id(connection.next_request_id())
        .params(params)
        .finish();
    let reply = timeout(REPLY_DEADLINE, client.clone().call(request))
        .await
        .map_err(|_| no_answer(R::METHOD))?
        .map_err(|_| Error::internal_error())?
        .ok_or_else(Error::internal_error)?;
    let (_, result) = reply.into_parts();
    serde_json::from_value(result?).map_err(|error| Error::invalid_params(error.to_string()))
}

fn no_answer(method: &str) -> Error {
    Error {
        code: ErrorCode::RequestCancelled,
        message: format!("the client did not answer `{method}` in time").into(),
        data: None,
    }
}

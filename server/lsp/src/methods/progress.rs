//! `window/workDoneProgress`: a person sees that something goes on, and can stop it.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use pollux_workspace::Input;
use serde::Deserialize;
use serde_json::Value;
use tokio_util::sync::CancellationToken;
use tower_lsp::Client;
use tower_lsp::ls_types::notification::Progress as ProgressNotification;
use tower_lsp::ls_types::request::WorkDoneProgressCreate;
use tower_lsp::ls_types::{
    ProgressParams, ProgressParamsValue, ProgressToken, WorkDoneProgress, WorkDoneProgressBegin,
    WorkDoneProgressCreateParams, WorkDoneProgressEnd,
};

use super::parse;
use crate::connection::Connection;
use crate::outbound;
use crate::server::Server;

/// What a client may cancel, by the token it shows it under.
#[derive(Default)]
pub(crate) struct Progress {
    running: Mutex<HashMap<ProgressToken, CancellationToken>>,
}

/// One piece of work on show. Ends on the client's screen with `finish`, or when it is dropped
/// because its request was cancelled.
pub(super) struct Shown<'server> {
    server: &'server Server,
    token: Option<ProgressToken>,
    pub(super) cancelled: CancellationToken,
}

#[derive(Deserialize)]
struct CancelParams {
    token: ProgressToken,
}

pub(super) fn read_cancel(
    connection: &Connection,
    params: Value,
) -> Result<Option<Input>, serde_json::Error> {
    let token = parse::<CancelParams>(params)?.token;
    if let Some(cancelled) = connection.progress.lock().get(&token) {
        cancelled.cancel();
    }
    Ok(None)
}

/// Shows work under the client's own token, or else under one of ours where the client can.
pub(super) async fn begin<'server>(
    server: &'server Server,
    token: Option<ProgressToken>,
    title: &str,
) -> Shown<'server> {
    let connection = &server.connection;
    let token = match token {
        Some(token) => Some(token),
        None => create(server).await,
    };
    let shown = Shown {
        server,
        token,
        cancelled: CancellationToken::new(),
    };
    if let Some(token) = &shown.token {
        connection
            .progress
            .lock()
            .insert(token.clone(), shown.cancelled.clone());
        let begin = WorkDoneProgressBegin {
            title: title.to_owned(),
            cancellable: Some(true),
            ..WorkDoneProgressBegin::default()
        };
        notify(&server.client, token, WorkDoneProgress::Begin(begin)).await;
    }
    shown
}

impl Shown<'_> {
    pub(super) async fn finish(mut self) {
        if let Some(token) = self.token.take() {
            end(&self.server.connection, &self.server.client, token).await;
        }
    }
}

impl Drop for Shown<'_> {
    fn drop(&mut self) {
        if let Some(token) = self.token.take() {
            let (connection, client) = (
                Arc::clone(&self.server.connection),
                self.server.client.clone(),
            );
            tokio::spawn(async move { end(&connection, &client, token).await });
        }
    }
}

async fn end(connection: &Connection, client: &Client, token: ProgressToken) {
    connection.progress.lock().remove(&token);
    let end = WorkDoneProgressEnd::default();
    notify(client, &token, WorkDoneProgress::End(end)).await;
}

impl Progress {
    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<ProgressToken, CancellationToken>> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

async fn create(server: &Server) -> Option<ProgressToken> {
    let connection = &server.connection;
    if !connection.entered.get()?.client.shows_progress {
        return None;
    }
    let token = ProgressToken::String(connection.next_request_id());
    let params = WorkDoneProgressCreateParams {
        token: token.clone(),
    };
    let created =
        outbound::request::<WorkDoneProgressCreate>(connection, &server.client, params).await;
    created.ok().map(|()| token)
}

async fn notify(client: &Client, token: &ProgressToken, value: WorkDoneProgress) {
    client
        .send_notification::<ProgressNotification>(ProgressParams {
            token: token.clone(),
            value: ProgressParamsValue::WorkDone(value),
        })
        .await;
}

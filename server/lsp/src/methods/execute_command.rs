//! `workspace/executeCommand`

use std::sync::Arc;

use serde_json::{Value, json};
use tower_lsp::jsonrpc::{Error, Result};
use tower_lsp::ls_types::ExecuteCommandParams;

use super::{progress, review};
use crate::server::Server;

/// Writes what `pollux doctor` writes, for this workspace.
const DOCTOR: &str = "pollux.doctor";

/// Panics, so that a test can show that a panic ends nothing. Not in a release build.
const PANIC: &str = "pollux.debug.panic";

pub(super) fn names() -> Vec<String> {
    let mut names = vec![DOCTOR.to_owned()];
    names.extend(review::NAMES.iter().map(|name| (*name).to_owned()));
    if cfg!(debug_assertions) {
        names.push(PANIC.to_owned());
    }
    names
}

pub(crate) async fn handle(server: &Server, params: ExecuteCommandParams) -> Result<Option<Value>> {
    match params.command.as_str() {
        DOCTOR => doctor(server, params).await,
        #[cfg(debug_assertions)]
        #[expect(clippy::panic, reason = "what the command is for")]
        PANIC => panic!("asked to"),
        _ => of_review(server, params).await,
    }
}

async fn of_review(server: &Server, params: ExecuteCommandParams) -> Result<Option<Value>> {
    let name = params.command;
    // Every command takes one object; clients that have nothing to say leave it out or send `null`.
    let argument = params.arguments.into_iter().next();
    let argument = argument.filter(|argument| !argument.is_null());
    let argument = argument.unwrap_or_else(|| json!({}));
    let Some(result) = review::run(server, &name, argument).await else {
        return Err(Error::invalid_params(format!(
            "there is no command `{name}`"
        )));
    };
    let result = serde_json::to_value(result?).map_err(|_| Error::internal_error())?;
    Ok(Some(result))
}

async fn doctor(server: &Server, params: ExecuteCommandParams) -> Result<Option<Value>> {
    let token = params.work_done_progress_params.work_done_token;
    let shown = progress::begin(server, token, "Pollux: checking the set-up").await;
    let write = Arc::clone(&server.connection.host.doctor);
    let context = server.connection.context.clone();
    // Asked of the room: folders come and go while a window is open.
    let roots = server.connection.snapshot(None).await?.roots.clone();
    let report = tokio::task::spawn_blocking(move || write(&context, &roots));
    let result = tokio::select! {
        report = report => match report {
            Ok(report) => Ok(Some(Value::from(report))),
            Err(_) => Err(Error::internal_error()),
        },
        () = shown.cancelled.cancelled() => Err(Error::request_cancelled()),
    };
    shown.finish().await;
    result
}

//! `pollux.file.keep` and `pollux.file.reject`

use pollux_workspace::{ReviewCommand, Scope};
use serde_json::Value;
use tower_lsp::jsonrpc::Result;

use super::{arguments, carry_out_in};
use crate::protocol::{CommandResult, FileArguments};
use crate::server::Server;
use crate::uri::document_key;

pub(super) async fn keep(server: &Server, argument: Value) -> Result<CommandResult> {
    decide(server, argument, ReviewCommand::Keep).await
}

pub(super) async fn reject(server: &Server, argument: Value) -> Result<CommandResult> {
    decide(server, argument, ReviewCommand::Reject).await
}

async fn decide(
    server: &Server,
    argument: Value,
    decision: fn(Scope) -> ReviewCommand,
) -> Result<CommandResult> {
    let FileArguments { uri } = arguments(argument)?;
    let key = document_key(&uri);
    carry_out_in(server, key.clone(), decision(Scope::File(key))).await
}

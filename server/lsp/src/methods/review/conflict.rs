//! `pollux.conflict.mine` and `pollux.conflict.theirs`

use pollux_workspace::{HunkName, ReviewCommand, Side};
use serde_json::Value;
use tower_lsp::jsonrpc::Result;

use super::{arguments, carry_out_in};
use crate::protocol::{CommandResult, HunkArguments};
use crate::server::Server;
use crate::uri::document_key;

pub(super) async fn mine(server: &Server, argument: Value) -> Result<CommandResult> {
    settle(server, argument, Side::Mine).await
}

pub(super) async fn theirs(server: &Server, argument: Value) -> Result<CommandResult> {
    settle(server, argument, Side::Theirs).await
}

async fn settle(server: &Server, argument: Value, side: Side) -> Result<CommandResult> {
    let hunk: HunkArguments = arguments(argument)?;
    let key = document_key(&hunk.uri);
    let command = ReviewCommand::Settle {
        key: key.clone(),
        name: HunkName::from(&hunk),
        side,
    };
    carry_out_in(server, key, command).await
}

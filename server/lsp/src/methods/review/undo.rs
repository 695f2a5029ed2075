//! `pollux.review.undo` and `pollux.review.redo`: the last decision.

use pollux_workspace::ReviewCommand;
use tower_lsp::jsonrpc::Result;

use super::carry_out;
use crate::protocol::CommandResult;
use crate::server::Server;

pub(super) async fn undo(server: &Server) -> Result<CommandResult> {
    carry_out(server, ReviewCommand::Undo).await
}

pub(super) async fn redo(server: &Server) -> Result<CommandResult> {
    carry_out(server, ReviewCommand::Redo).await
}

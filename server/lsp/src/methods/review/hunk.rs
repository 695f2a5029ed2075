//! `pollux.hunk.keep`, `pollux.hunk.reject` and `pollux.hunk.reapply`

use pollux_workspace::{HunkName, RejectedId, ReviewCommand, Scope};
use serde_json::Value;
use tower_lsp::jsonrpc::Result;

use super::{arguments, carry_out, carry_out_in};
use crate::protocol::{CommandResult, HunkArguments, ReapplyArguments};
use crate::server::Server;
use crate::uri::document_key;

pub(super) async fn keep(server: &Server, argument: Value) -> Result<CommandResult> {
    decide(server, argument, ReviewCommand::Keep).await
}

pub(super) async fn reject(server: &Server, argument: Value) -> Result<CommandResult> {
    decide(server, argument, ReviewCommand::Reject).await
}

pub(super) async fn reapply(server: &Server, argument: Value) -> Result<CommandResult> {
    let ReapplyArguments { id } = arguments(argument)?;
    carry_out(server, ReviewCommand::Reapply(RejectedId(id))).await
}

async fn decide(
    server: &Server,
    argument: Value,
    decision: fn(Scope) -> ReviewCommand,
) -> Result<CommandResult> {
    let hunk: HunkArguments = arguments(argument)?;
    let key = document_key(&hunk.uri);
    let scope = Scope::Hunk {
        key: key.clone(),
        name: HunkName::from(&hunk),
    };
    carry_out_in(server, key, decision(scope)).await
}

impl From<&HunkArguments> for HunkName {
    fn from(hunk: &HunkArguments) -> Self {
        Self {
            revision: hunk.revision,
            index: hunk.index,
        }
    }
}

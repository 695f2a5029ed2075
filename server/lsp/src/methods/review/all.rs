//! `pollux.all.keep` and `pollux.all.reject`: everything, or what one turn left.

use pollux_agent::api::TurnId;
use pollux_workspace::{Origin, ReviewCommand, Scope, SessionId};
use serde_json::Value;
use tower_lsp::jsonrpc::{Error, Result};

use super::{arguments, carry_out};
use crate::protocol::{AllArguments, CommandResult};
use crate::server::Server;

pub(super) async fn keep(server: &Server, argument: Value) -> Result<CommandResult> {
    carry_out(server, ReviewCommand::Keep(scope(argument)?)).await
}

pub(super) async fn reject(server: &Server, argument: Value) -> Result<CommandResult> {
    carry_out(server, ReviewCommand::Reject(scope(argument)?)).await
}

fn scope(argument: Value) -> Result<Scope> {
    match arguments(argument)? {
        AllArguments {
            session: None,
            turn: None,
        } => Ok(Scope::Everything),
        AllArguments {
            session: Some(session),
            turn: Some(turn),
        } => Ok(Scope::Turn(Origin {
            session: SessionId::from(session.as_str()),
            turn: TurnId(turn),
        })),
        // Half a name must not decide about everything.
        AllArguments { .. } => Err(Error::invalid_params(
            "A turn is named by `session` and `turn` together.",
        )),
    }
}

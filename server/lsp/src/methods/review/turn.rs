//! `pollux.turn.undo`, `pollux.turn.redo` and `pollux.rewind`: what a whole turn did.

use pollux_agent::api::{Event, Op, TurnId};
use pollux_workspace::{Cursor, LiveSession, Origin, ReviewCommand, ReviewError, SessionId};
use serde_json::Value;
use tower_lsp::jsonrpc::{Error, Result};

use super::{REQUEST_FAILED, arguments, carry_out, failed, post, refusal, said};
use crate::methods::session;
use crate::protocol::{CommandResult, TurnArguments};
use crate::server::Server;

pub(super) async fn undo(server: &Server, argument: Value) -> Result<CommandResult> {
    carry_out(
        server,
        ReviewCommand::UndoTurn(origin(&arguments(argument)?)),
    )
    .await
}

pub(super) async fn redo(server: &Server, argument: Value) -> Result<CommandResult> {
    carry_out(
        server,
        ReviewCommand::RedoTurn(origin(&arguments(argument)?)),
    )
    .await
}

/// Files and chat go back to where they were before the prompt, which comes back to whoever wants to say it better.
pub(super) async fn rewind(server: &Server, argument: Value) -> Result<CommandResult> {
    let turn: TurnArguments = arguments(argument)?;
    let origin = origin(&turn);
    let live = session::live(server, &turn.session).await?;
    let prompt = prompt_of(&live, origin.turn)
        .ok_or_else(|| Error::invalid_params(format!("The session has no turn {}.", turn.turn)))?;
    // The chat stays as it is while a turn runs, and files must not go back without it.
    if live.is_running() {
        return Err(failed(REQUEST_FAILED, "a turn is running; stop it first"));
    }
    let rewind = Op::Rewind { turn: origin.turn };
    let message = match post(server, ReviewCommand::RewindTo(origin)).await? {
        Ok(done) => done.message,
        Err(ReviewError::NothingToUndo) => "No file was changed since that prompt.".to_owned(),
        Err(error) => return Err(refusal(&error)),
    };
    let ended = |_| {
        failed(
            REQUEST_FAILED,
            "the session has ended; only files went back",
        )
    };
    live.handle.submit(rewind).await.map_err(ended)?;
    Ok(CommandResult {
        prompt: Some(prompt),
        ..said(&message)
    })
}

fn origin(turn: &TurnArguments) -> Origin {
    Origin {
        session: SessionId::from(turn.session.as_str()),
        turn: TurnId(turn.turn),
    }
}

/// What was said to start a turn.
fn prompt_of(live: &LiveSession, wanted: TurnId) -> Option<String> {
    let mut from = Cursor::default();
    loop {
        let batch = live.feed.read(from);
        let prompt = batch.events.into_iter().find_map(|event| match event {
            Event::TurnStarted { turn, prompt, .. } if turn == wanted => Some(prompt),
            _ => None,
        });
        if prompt.is_some() || batch.next == from {
            return prompt;
        }
        from = batch.next;
    }
}

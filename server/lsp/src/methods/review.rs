//! The commands of the review, and `pollux/review`: one file per group.

mod all;
mod comment;
mod conflict;
mod file;
mod go;
mod hunk;
pub(super) mod list;
mod turn;
mod undo;

use pollux_workspace::{CommandDone, DocumentKey, Input, ReviewCommand, ReviewError};
use serde::de::DeserializeOwned;
use serde_json::Value;
use tower_lsp::jsonrpc::{Error, ErrorCode, Result};

use crate::protocol::{CommandResult, command_name};
use crate::reviewing::sentence;
use crate::server::Server;

/// `ContentModified` of the language server protocol: what was asked about is not there any more.
const CONTENT_MODIFIED: i64 = -32801;

/// `RequestFailed` of the language server protocol: well-formed, and still not to be done.
const REQUEST_FAILED: i64 = -32803;

/// Every command, for `initialize`.
pub(super) const NAMES: &[&str] = &[
    command_name::HUNK_KEEP,
    command_name::HUNK_REJECT,
    command_name::HUNK_REAPPLY,
    command_name::HUNK_NEXT,
    command_name::HUNK_PREVIOUS,
    command_name::CONFLICT_MINE,
    command_name::CONFLICT_THEIRS,
    command_name::FILE_KEEP,
    command_name::FILE_REJECT,
    command_name::ALL_KEEP,
    command_name::ALL_REJECT,
    command_name::REVIEW_UNDO,
    command_name::REVIEW_REDO,
    command_name::COMMENT_ADD,
    command_name::COMMENT_REMOVE,
    command_name::COMMENTS_SEND,
    command_name::TURN_UNDO,
    command_name::TURN_REDO,
    command_name::REWIND,
];

/// Runs a command; nothing when it is none of the review.
pub(super) async fn run(
    server: &Server,
    name: &str,
    argument: Value,
) -> Option<Result<CommandResult>> {
    use command_name as command;
    let result = match name {
        command::HUNK_KEEP => hunk::keep(server, argument).await,
        command::HUNK_REJECT => hunk::reject(server, argument).await,
        command::HUNK_REAPPLY => hunk::reapply(server, argument).await,
        command::HUNK_NEXT => go::next(server, argument).await,
        command::HUNK_PREVIOUS => go::previous(server, argument).await,
        command::CONFLICT_MINE => conflict::mine(server, argument).await,
        command::CONFLICT_THEIRS => conflict::theirs(server, argument).await,
        command::FILE_KEEP => file::keep(server, argument).await,
        command::FILE_REJECT => file::reject(server, argument).await,
        command::ALL_KEEP => all::keep(server, argument).await,
        command::ALL_REJECT => all::reject(server, argument).await,
        command::REVIEW_UNDO => undo::undo(server).await,
        command::REVIEW_REDO => undo::redo(server).await,
        command::COMMENT_ADD => comment::add(server, argument).await,
        command::COMMENT_REMOVE => comment::remove(server, argument).await,
        command::COMMENTS_SEND => comment::send(server, argument).await,
        command::TURN_UNDO => turn::undo(server, argument).await,
        command::TURN_REDO => turn::redo(server, argument).await,
        command::REWIND => turn::rewind(server, argument).await,
        _ => return None,
    };
    Some(result)
}

/// Reads the one argument of a command.
fn arguments<T: DeserializeOwned>(argument: Value) -> Result<T> {
    serde_json::from_value(argument)
        .map_err(|error| Error::invalid_params(sentence(&error.to_string())))
}

/// Has the room carry out a command, and answers with its sentence.
async fn carry_out(server: &Server, command: ReviewCommand) -> Result<CommandResult> {
    let done = ask(server, command).await?;
    Ok(said(&done.message))
}

/// Has the room carry out a command about one file. A client that named a hunk which is not there is shown that file anew.
async fn carry_out_in(
    server: &Server,
    key: DocumentKey,
    command: ReviewCommand,
) -> Result<CommandResult> {
    match post(server, command).await? {
        Ok(done) => Ok(said(&done.message)),
        Err(error) => {
            if error == ReviewError::Stale {
                server.connection.reviewing.show_again(key);
            }
            Err(refusal(&error))
        }
    }
}

async fn ask(server: &Server, command: ReviewCommand) -> Result<CommandDone> {
    post(server, command)
        .await?
        .map_err(|error| refusal(&error))
}

async fn post(
    server: &Server,
    command: ReviewCommand,
) -> Result<std::result::Result<CommandDone, ReviewError>> {
    let connection = &server.connection;
    let (reply, answer) = tokio::sync::oneshot::channel();
    connection.post(Input::Review { command, reply })?;
    let answer = answer.await.map_err(|_| Error::request_cancelled())?;
    connection.reviewing.hurry();
    Ok(answer)
}

fn said(message: &str) -> CommandResult {
    CommandResult {
        message: sentence(message),
        ..CommandResult::default()
    }
}

fn refusal(error: &ReviewError) -> Error {
    let code = match error {
        ReviewError::Stale => CONTENT_MODIFIED,
        _ => REQUEST_FAILED,
    };
    failed(code, &error.to_string())
}

fn failed(code: i64, words: &str) -> Error {
    Error {
        code: ErrorCode::from(code),
        message: sentence(words).into(),
        data: None,
    }
}

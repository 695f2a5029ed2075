//! `pollux.comment.add`, `pollux.comment.remove` and `pollux.comments.send`

use pollux_agent::api::{IfUnheard, Op, Prompt};
use pollux_workspace::{CommentId, ReviewCommand, ReviewError};
use serde_json::Value;
use tower_lsp::jsonrpc::{Error, Result};

use super::{REQUEST_FAILED, arguments, ask, carry_out, carry_out_in, failed, refusal, said};
use crate::methods::session;
use crate::protocol::{
    CommandResult, CommentAddArguments, CommentRemoveArguments, CommentsSendArguments,
};
use crate::server::Server;
use crate::uri::document_key;

pub(super) async fn add(server: &Server, argument: Value) -> Result<CommandResult> {
    let CommentAddArguments { uri, line, text } = arguments(argument)?;
    if text.trim().is_empty() {
        return Err(Error::invalid_params("A comment needs some text."));
    }
    let key = document_key(&uri);
    let command = ReviewCommand::AddComment {
        key: key.clone(),
        line,
        text,
    };
    carry_out_in(server, key, command).await
}

pub(super) async fn remove(server: &Server, argument: Value) -> Result<CommandResult> {
    let CommentRemoveArguments { id } = arguments(argument)?;
    carry_out(server, ReviewCommand::RemoveComment(CommentId(id))).await
}

/// The session is found first: comments that were handed out count as sent.
pub(super) async fn send(server: &Server, argument: Value) -> Result<CommandResult> {
    let CommentsSendArguments { session } = arguments(argument)?;
    let id = match session {
        Some(session) => session,
        None => newest(server).await?,
    };
    let live = session::live(server, &id).await?;
    let done = ask(server, ReviewCommand::TakeComments).await?;
    let message = done
        .comments
        .ok_or_else(|| refusal(&ReviewError::NoComments))?;
    live.handle
        .submit(Op::Queue(Prompt {
            text: message,
            if_unheard: IfUnheard::ToldLater,
            ..Prompt::default()
        }))
        .await
        .map_err(|_| failed(REQUEST_FAILED, &format!("the session {id} has ended")))?;
    Ok(said(&done.message))
}

async fn newest(server: &Server) -> Result<String> {
    let connection = &server.connection;
    let folder = session::folder(connection, None).await?;
    let sessions = &connection.host.sessions;
    let recorded = sessions.list(connection.context.clone(), folder).await;
    let newest = recorded.iter().max_by_key(|summary| summary.updated);
    newest.map(|summary| summary.id.to_string()).ok_or_else(|| {
        failed(
            REQUEST_FAILED,
            "there is no session to send the comments to",
        )
    })
}

//! The methods about sessions, one file each.

mod approval;
pub(super) mod approval_answer;
mod attachment;
pub(super) mod call_stop;
pub(super) mod command_list;
mod context;
pub(super) mod context_show;
pub(super) mod delete;
pub(super) mod edit_decide;
mod event;
pub(super) mod follow;
pub(super) mod list;
pub(super) mod mention_search;
pub(super) mod mode_set;
pub(super) mod model_list;
pub(super) mod model_set;
pub(super) mod prompt;
pub(super) mod prompt_attachments;
pub(super) mod queue;
pub(super) mod rename;
pub(super) mod restore;
pub(super) mod resume;
pub(super) mod retry_now;
pub(super) mod start;
mod tool;
pub(super) mod tool_output;
pub(super) mod turn_cancel;

use std::path::PathBuf;
use std::sync::Arc;

use pollux_agent::api::Op;
use pollux_workspace::{LiveSession, SessionError, SessionRequest, SessionWishes, Which};
use tower_lsp::jsonrpc::{Error, ErrorCode, Result};

use crate::connection::Connection;
use crate::methods::initialize;
use crate::protocol::Done;
use crate::server::Server;

pub(crate) use follow::Following;
pub(crate) use restore::{METHOD as SESSION_RESTORE, SessionRestoreParams};

/// `RequestFailed` of the language server protocol: well-formed, and still not to be done.
pub(super) const REQUEST_FAILED: i64 = -32803;

/// The folder a request is about: the one it names, or the first of the room.
pub(super) async fn folder(connection: &Connection, uri: Option<&str>) -> Result<PathBuf> {
    if let Some(uri) = uri {
        return initialize::root(uri)
            .ok_or_else(|| Error::invalid_params(format!("{uri} is no folder of this machine")));
    }
    let snapshot = connection.snapshot(None).await?;
    let first = snapshot.roots.first().cloned();
    first.ok_or_else(|| Error::invalid_params("there is no workspace folder"))
}

async fn open(
    server: &Server,
    uri: Option<&str>,
    which: Which,
    model: Option<String>,
) -> Result<Arc<LiveSession>> {
    let connection = &server.connection;
    let folder = folder(connection, uri).await?;
    let request = request(connection, folder, which, model).await?;
    connection.host.sessions.open(request).await.map_err(failed)
}

/// What this door wants of a session in a folder.
async fn request(
    connection: &Connection,
    folder: PathBuf,
    which: Which,
    model: Option<String>,
) -> Result<SessionRequest> {
    let snapshot = connection.snapshot(None).await?;
    let editor = snapshot.editors.get(&connection.door);
    Ok(SessionRequest {
        folder,
        context: connection.context.clone(),
        trusted: editor.and_then(|editor| editor.trusted),
        which,
        model,
        wishes: SessionWishes::default(),
    })
}

/// The session of this id. One that only its record is left of, because a host has died, is opened
/// again: whoever talks to it need not know.
pub(super) async fn live(server: &Server, session: &str) -> Result<Arc<LiveSession>> {
    if let Some(live) = server.connection.host.sessions.reopened(session).await {
        return live.map_err(failed);
    }
    open(server, None, Which::Recorded(session.to_owned()), None).await
}

async fn submit(server: &Server, session: &str, op: Op) -> Result<Done> {
    let ended = |_| Error::invalid_params(format!("the session {session} has ended"));
    let live = live(server, session).await?;
    let checked = match &op {
        Op::Queue(prompt) | Op::Steer(prompt) => live.check_prompt(&prompt.text),
        Op::EditQueued { text, .. } => live.check_text(text),
        _ => Ok(()),
    };
    checked.map_err(Error::invalid_params)?;
    live.handle.submit(op).await.map_err(ended)?;
    Ok(Done {})
}

fn failed(error: SessionError) -> Error {
    Error {
        code: match error {
            SessionError::NotFound(_) => ErrorCode::InvalidParams,
            SessionError::NotPossible(_)
            | SessionError::Misconfigured(_)
            | SessionError::KeyMissing(_)
            | SessionError::ModelRefused(_)
            | SessionError::Storage { .. } => ErrorCode::ServerError(REQUEST_FAILED),
        },
        message: error.to_string().into(),
        data: None,
    }
}

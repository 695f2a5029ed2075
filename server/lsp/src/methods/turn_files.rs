//! `pollux/turnFiles`

use pollux_agent::api::TurnId;
use pollux_text::{Buffer, hunks};
use pollux_workspace::{DocumentKey, Input, Origin, SessionId, TurnFile as Changed};
use tokio::sync::oneshot;
use tower_lsp::jsonrpc::{Error, Result};

use crate::connection::Connection;
use crate::protocol::{TurnFile, TurnFilesResult, TurnParams};
use crate::server::Server;
use crate::uri;

pub(super) async fn handle(server: &Server, params: TurnParams) -> Result<TurnFilesResult> {
    let files = files(&server.connection, &params.session, params.turn).await?;
    // Comparing long texts takes its time, and others wait for this thread.
    let compared = tokio::task::spawn_blocking(move || files.iter().map(line).collect());
    Ok(TurnFilesResult {
        files: compared.await.map_err(|_| Error::internal_error())?,
    })
}

/// What a turn did to files, as the room remembers it.
pub(super) async fn files(
    connection: &Connection,
    session: &str,
    turn: u64,
) -> Result<Vec<Changed>> {
    let (reply, answer) = oneshot::channel();
    connection.post(Input::TurnFiles {
        turn: Origin {
            session: SessionId::from(session),
            turn: TurnId(turn),
        },
        reply,
    })?;
    Ok(answer.await.unwrap_or_default())
}

pub(super) fn uri_of(key: &DocumentKey) -> String {
    match key {
        DocumentKey::File(path) => uri::from_path(path),
        DocumentKey::Virtual(uri) => uri.to_string(),
    }
}

fn line(file: &Changed) -> TurnFile {
    let text = |side: &Option<Buffer>| side.as_ref().map(Buffer::to_string).unwrap_or_default();
    let (before, after) = (text(&file.before), text(&file.after));
    let (mut added, mut removed) = (0, 0);
    for hunk in hunks(&before, &after) {
        added += hunk.current_lines().len();
        removed += hunk.base_lines().len();
    }
    TurnFile {
        uri: uri_of(&file.key),
        path: crate::reviewing::shown_path(&file.path),
        existed_before: file.before.is_some(),
        exists_after: file.after.is_some(),
        added: added as u64,
        removed: removed as u64,
    }
}

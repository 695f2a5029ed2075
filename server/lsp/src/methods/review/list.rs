//! `pollux/review`

use pollux_workspace::{RejectedHunk, Snapshot};
use tower_lsp::jsonrpc::Result;

use crate::connection::Connection;
use crate::protocol::{self, ReviewParams, ReviewResult};
use crate::reviewing::{Opened, capitalised, is_pending, reviewed_file, shown_path};
use crate::server::Server;

pub(crate) async fn handle(server: &Server, _: ReviewParams) -> Result<ReviewResult> {
    let connection = &server.connection;
    let snapshot = connection.review_snapshot().await?;
    let reviews = &snapshot.reviews;
    let files = reviews.files.iter().filter(|(_, file)| is_pending(file));
    Ok(ReviewResult {
        files: files
            .map(|(key, file)| {
                let opened = Opened::of(&snapshot, connection.door, key);
                reviewed_file(opened.uri, file)
            })
            .collect(),
        rejected: reviews
            .rejected
            .iter()
            .map(|hunk| rejected(connection, &snapshot, hunk))
            .collect(),
        undo: reviews.undo.as_deref().map(capitalised),
        redo: reviews.redo.as_deref().map(capitalised),
    })
}

fn rejected(
    connection: &Connection,
    snapshot: &Snapshot,
    hunk: &RejectedHunk,
) -> protocol::RejectedHunk {
    protocol::RejectedHunk {
        id: hunk.id.0,
        uri: Opened::of(snapshot, connection.door, &hunk.key).uri,
        path: shown_path(&hunk.path),
        line: hunk.line,
        removed: hunk.removed.to_string(),
        added: hunk.added.to_string(),
    }
}

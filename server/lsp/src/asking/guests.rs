//! Edits of agents outside, which are decided in the file like any other.

use pollux_workspace::{Asked, OpenQuestion};
use serde_json::json;
use tower_lsp::Client;
use tracing::debug;

use crate::connection::Connection;
use crate::outbound::{self, ShowDocument};
use crate::reviewing::whole_lines;
use crate::uri;

/// Takes the person, who has asked for that, to the first hunk.
pub(super) async fn show_edit(connection: &Connection, client: &Client, question: &OpenQuestion) {
    let Asked::Edit(proposal) = &question.asked else {
        return;
    };
    let path = question.folder.join(proposal.path.as_path());
    let first = proposal.hunks.first();
    let line = first.map_or(0, |hunk| hunk.base_lines().start);
    let params = json!({
        "uri": uri::from_path(&path),
        "takeFocus": true,
        "selection": whole_lines(&(line..line)),
    });
    if let Err(error) = outbound::request::<ShowDocument>(connection, client, params).await {
        debug!(%error, "the client did not show a file");
    }
}

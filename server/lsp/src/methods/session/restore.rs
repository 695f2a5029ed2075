//! `$/pollux/sessionRestore`: the door tells a new host that its client followed a session.
//!
//! Only between door and host; an editor never sends it. The host opens the session from its record and sends the
//! events that the client has not seen, or all of them if the client's cursor is of an earlier life of the session.

use pollux_workspace::Which;
use serde::{Deserialize, Serialize};
use tower_lsp::jsonrpc::{Error, Result};

use super::{follow, open};
use crate::protocol::Done;
use crate::server::Server;

pub(crate) const METHOD: &str = "$/pollux/sessionRestore";

#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct SessionRestoreParams {
    pub(crate) session: String,
    pub(crate) folder: Option<String>,
    pub(crate) cursor: u64,
}

pub(crate) async fn handle(server: &Server, params: SessionRestoreParams) -> Result<Done> {
    let SessionRestoreParams {
        session,
        folder,
        cursor,
    } = params;
    // An id of ours, and none of the other names of a session such as a number or `latest`.
    let is_id = |part: char| part.is_ascii_alphanumeric() || part == '-';
    if !session.contains('-') || !session.chars().all(is_id) {
        return Err(Error::invalid_params("this is no id of a session"));
    }
    let live = open(server, folder.as_deref(), Which::Again(session), None).await?;
    follow::begin(server, live, cursor);
    Ok(Done {})
}

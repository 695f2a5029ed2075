//! `pollux/turnText`

use tower_lsp::jsonrpc::{Error, Result};

use super::turn_files;
use crate::protocol::{TextResult, TurnSide, TurnTextParams};
use crate::server::Server;
use crate::uri::document_key;

pub(super) async fn handle(server: &Server, params: TurnTextParams) -> Result<TextResult> {
    let files = turn_files::files(&server.connection, &params.session, params.turn).await?;
    let key = document_key(&params.uri);
    let found = files.into_iter().find(|file| file.key == key);
    let missing = || {
        Error::invalid_params(format!(
            "turn {} has not changed {}",
            params.turn, params.uri
        ))
    };
    let file = found.ok_or_else(missing)?;
    let text = match params.side {
        TurnSide::Before => file.before,
        TurnSide::After => file.after,
    };
    Ok(TextResult {
        text: text.map(|text| text.to_string()).unwrap_or_default(),
    })
}

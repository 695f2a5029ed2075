//! `pollux/contextShow`

use pollux_agent::api::{Event, TurnId};
use tower_lsp::jsonrpc::{Error, Result};

use super::live;
use crate::protocol::{TextResult, TurnParams};
use crate::server::Server;

pub(crate) async fn handle(server: &Server, params: TurnParams) -> Result<TextResult> {
    let live = live(server, &params.session).await?;
    let wanted = TurnId(params.turn);
    let text = live.feed.find_last(|event| match event {
        Event::ContextSent(sent) if sent.turn == wanted => Some(sent.text.clone()),
        // Nothing went with it.
        Event::TurnStarted { turn, .. } if *turn == wanted => Some(String::new()),
        _ => None,
    });
    let missing = || Error::invalid_params(format!("the session has no turn {}", params.turn));
    Ok(TextResult {
        text: text.ok_or_else(missing)?,
    })
}

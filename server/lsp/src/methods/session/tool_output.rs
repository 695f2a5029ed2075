//! `pollux/toolOutput`

use pollux_agent::api::Event;
use tower_lsp::jsonrpc::{Error, Result};

use super::live;
use crate::protocol::{TextResult, ToolOutputParams};
use crate::server::Server;

pub(crate) async fn handle(server: &Server, params: ToolOutputParams) -> Result<TextResult> {
    let live = live(server, &params.session).await?;
    // Models use the same id again at times; the newest call of that name is the one that is looked at.
    let text = live.feed.find_last(|event| match event {
        Event::ToolEnded { call, report, .. } if call.as_str() == params.call => {
            Some(report.output.clone())
        }
        _ => None,
    });
    let missing = || Error::invalid_params(format!("the call {} has not ended", params.call));
    Ok(TextResult {
        text: text.ok_or_else(missing)?,
    })
}

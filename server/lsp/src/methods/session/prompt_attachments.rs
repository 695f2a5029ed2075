//! `pollux/promptAttachments`

use pollux_agent::api::{Event, QueuedId, TurnId};
use tower_lsp::jsonrpc::{Error, Result};

use super::{attachment, live};
use crate::protocol::{PromptAttachmentsParams, PromptAttachmentsResult, PromptName};
use crate::server::Server;

pub(crate) async fn handle(
    server: &Server,
    params: PromptAttachmentsParams,
) -> Result<PromptAttachmentsResult> {
    let live = live(server, &params.session).await?;
    let found = live.feed.find_last(|event| match (event, params.prompt) {
        (
            Event::TurnStarted {
                turn, attachments, ..
            },
            PromptName::Turn { turn: wanted },
        ) if *turn == TurnId(wanted) => Some(attachments.clone()),
        (
            Event::PromptQueued {
                id, attachments, ..
            },
            PromptName::Queued { id: wanted },
        ) if *id == QueuedId(wanted) => Some(attachments.clone()),
        _ => None,
    });
    let missing = || Error::invalid_params("the session has no such prompt".to_owned());
    let found = found.ok_or_else(missing)?;
    Ok(PromptAttachmentsResult {
        attachments: found.iter().filter_map(attachment::given_back).collect(),
    })
}

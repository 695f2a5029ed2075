//! `pollux/mentionSearch`

use pollux_workspace::{MentionKind, MentionQuery, Which};
use tokio_util::sync::CancellationToken;
use tower_lsp::jsonrpc::Result;

use super::{folder, request};
use crate::protocol::{MentionItem, MentionItemKind, MentionSearchParams, MentionSearchResult};
use crate::server::Server;
use crate::uri;

const USUAL: u32 = 50;
const MOST: u32 = 200;

pub(crate) async fn handle(
    server: &Server,
    params: MentionSearchParams,
) -> Result<MentionSearchResult> {
    let connection = &server.connection;
    let folder = folder(connection, params.folder.as_deref()).await?;
    let snapshot = connection.snapshot(None).await?;
    let limit = params.limit.unwrap_or(USUAL).min(MOST);
    let query = MentionQuery {
        request: request(connection, folder.clone(), Which::New, None).await?,
        letters: params.query,
        open: snapshot.open_files(),
        limit: usize::try_from(limit).unwrap_or_default(),
        cancel: CancellationToken::new(),
    };
    let found = connection.host.sessions.mentions(query).await;
    let items = found.into_iter().map(|mention| MentionItem {
        kind: match mention.kind {
            MentionKind::File => MentionItemKind::File,
            MentionKind::Folder => MentionItemKind::Folder,
        },
        uri: uri::from_path(&folder.join(&mention.path)),
        path: mention.path,
    });
    Ok(MentionSearchResult {
        items: items.collect(),
    })
}

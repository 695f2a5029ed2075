//! `pollux/commandList`

use pollux_agent::{CommandLine, CommandSource};
use pollux_workspace::Which;
use tower_lsp::jsonrpc::Result;

use super::{folder, live, request};
use crate::protocol::{CommandItem, CommandListParams, CommandListResult, CommandOrigin};
use crate::server::Server;

pub(crate) async fn handle(
    server: &Server,
    params: CommandListParams,
) -> Result<CommandListResult> {
    let connection = &server.connection;
    let folder = match params.session {
        Some(session) => live(server, &session).await?.folder.clone(),
        None => folder(connection, None).await?,
    };
    let request = request(connection, folder, Which::New, None).await?;
    let found = connection.host.sessions.commands(request).await;
    Ok(CommandListResult {
        commands: found.into_iter().map(item).collect(),
    })
}

fn item(line: CommandLine) -> CommandItem {
    CommandItem {
        name: line.name,
        description: line.description,
        arguments: line.arguments,
        source: match line.source {
            CommandSource::BuiltIn => CommandOrigin::Builtin,
            // Whoever has configured a server wants its prompts.
            CommandSource::User | CommandSource::Server => CommandOrigin::User,
            CommandSource::Workspace => CommandOrigin::Workspace,
        },
    }
}

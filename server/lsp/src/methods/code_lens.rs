//! `textDocument/codeLens`: two words above each hunk, where a client shows such things.

use pollux_workspace::{FileReview, HunkState, ShownHunk};
use serde_json::{Value, json};
use tower_lsp::jsonrpc::Result;
use tower_lsp::ls_types::{CodeLens, CodeLensParams, Command, Position, Range};

use crate::protocol::command_name as command;
use crate::server::Server;
use crate::uri::document_key;

#[cfg(test)]
mod tests;

pub(crate) async fn handle(
    server: &Server,
    params: CodeLensParams,
) -> Result<Option<Vec<CodeLens>>> {
    let connection = &server.connection;
    let uri = params.text_document.uri.as_str();
    let snapshot = connection.snapshot(None).await?;
    let file = snapshot.reviews.files.get(&document_key(uri));
    // A client with a plugin shows its own.
    let shows = !connection.traits().hunks;
    Ok(file.filter(|_| shows).map(|file| lenses(uri, file)))
}

fn lenses(uri: &str, file: &FileReview) -> Vec<CodeLens> {
    let of_hunk = |(index, hunk): (usize, &ShownHunk)| {
        let argument = json!({ "uri": uri, "revision": file.revision, "index": index });
        let choices = match hunk.state {
            HunkState::Conflict => [
                ("Mine", command::CONFLICT_MINE),
                ("Theirs", command::CONFLICT_THEIRS),
            ],
            HunkState::Pending | HunkState::Edited | HunkState::Proposed => [
                ("Keep", command::HUNK_KEEP),
                ("Reject", command::HUNK_REJECT),
            ],
        };
        let line = u32::try_from(hunk.lines.start).unwrap_or(u32::MAX);
        choices.map(|(title, name)| lens(line, title, name, argument.clone()))
    };
    file.hunks.iter().enumerate().flat_map(of_hunk).collect()
}

fn lens(line: u32, title: &str, name: &str, argument: Value) -> CodeLens {
    let place = Position { line, character: 0 };
    CodeLens {
        range: Range {
            start: place,
            end: place,
        },
        command: Some(Command {
            title: title.to_owned(),
            command: name.to_owned(),
            arguments: Some(vec![argument]),
        }),
        data: None,
    }
}

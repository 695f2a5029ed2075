//! `pollux/editorQuery`: asks the client what its other language servers know.

use std::sync::Arc;

use pollux_text::Edit;
use pollux_workspace::{EditorAnswer, EditorQuery, FileEdits, FoundPlace, Input, QueryId, Wanted};
use tower_lsp::Client;
use tower_lsp::ls_types::request::Request;

use crate::connection::Connection;
use crate::outbound;
use crate::protocol::{self, EditedFile, EditorQueryParams, PlaceInFile, Query, TextEdit, method};
use crate::uri::{self, document_key};

#[cfg(test)]
mod tests;

/// Asks, and tells the room what the client says. An answer that is to come later comes by its own way.
pub(crate) async fn ask(
    connection: Arc<Connection>,
    client: Client,
    id: QueryId,
    uri: Option<String>,
    query: EditorQuery,
) {
    connection.ready.cancelled().await;
    let params = EditorQueryParams {
        id: id.0,
        uri: uri.unwrap_or_else(|| uri::from_path(&query.file)),
        position: query.at.into(),
        query: match query.wanted {
            Wanted::Definition => Query::Definition,
            Wanted::References => Query::References,
            Wanted::Rename { new_name } => Query::Rename { new_name },
        },
    };
    let said = outbound::request::<Ask>(&connection, &client, params).await;
    let answer = match said {
        Ok(said) => answer(said),
        Err(error) => Some(EditorAnswer::Refused(error.message.into_owned())),
    };
    if let Some(answer) = answer {
        let answered = Input::QueryAnswered {
            door: connection.door,
            query: id,
            answer,
        };
        // A room that is gone waits for nothing.
        let _gone = connection.post(answered);
    }
}

/// What the room is told; nothing of what comes later.
pub(crate) fn answer(said: protocol::EditorAnswer) -> Option<EditorAnswer> {
    Some(match said {
        protocol::EditorAnswer::Places { places } => {
            EditorAnswer::Places(places.into_iter().map(place).collect())
        }
        protocol::EditorAnswer::Edits { files } => {
            EditorAnswer::Edits(files.into_iter().map(edits).collect())
        }
        protocol::EditorAnswer::Refused { reason } => EditorAnswer::Refused(reason),
        protocol::EditorAnswer::Later => return None,
    })
}

fn place(place: PlaceInFile) -> FoundPlace {
    FoundPlace {
        key: document_key(&place.uri),
        range: place.range.into(),
    }
}

fn edits(file: EditedFile) -> FileEdits {
    let edit = |edit: TextEdit| Edit::Splice {
        range: edit.range.into(),
        text: edit.new_text,
    };
    FileEdits {
        key: document_key(&file.uri),
        version: file.version,
        edits: file.edits.into_iter().map(edit).collect(),
    }
}

struct Ask;

impl Request for Ask {
    type Params = EditorQueryParams;
    type Result = protocol::EditorAnswer;
    const METHOD: &'static str = method::EDITOR_QUERY;
}

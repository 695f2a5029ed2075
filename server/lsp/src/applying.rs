//! `workspace/applyEdit` and `pollux/save`: what the room wants done to open files.
//!
//! Each waits for its own answer, in a task of its own, so that an editor that thinks about one keeps nothing else
//! waiting. The room goes by the text that comes back; the answer only tells it when to look.

use std::sync::Arc;

use pollux_text::{Edit, Position};
use pollux_workspace::{EditId, EditOutcome, Input};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tower_lsp::Client;
use tower_lsp::jsonrpc::ErrorCode;
use tower_lsp::ls_types::request::Request;
use tracing::debug;

use crate::connection::{ClientTraits, Connection};
use crate::outbound;
use crate::protocol::{Range, SaveParams, Saved, method};

#[cfg(test)]
mod tests;

/// Beyond the last line of any text; clients take it for the end.
const END: u32 = i32::MAX as u32;

/// An edit for one open file.
pub(crate) struct ApplyEdit {
    pub(crate) op: EditId,
    pub(crate) uri: String,
    pub(crate) version: i32,
    pub(crate) edits: Vec<Edit>,
    pub(crate) label: String,
}

/// Has the client make an edit, and tells the room what it said.
pub(crate) async fn apply(connection: Arc<Connection>, client: Client, edit: ApplyEdit) {
    let traits = connection.traits();
    let op = edit.op;
    let outcome = match traits.applies_edits {
        true => ask(&connection, &client, traits, edit).await,
        // It never said that it could.
        false => EditOutcome::Refused,
    };
    let answered = Input::EditAnswered {
        door: connection.door,
        op,
        outcome,
    };
    // A room that is gone waits for nothing.
    let _gone = connection.post(answered);
}

async fn ask(
    connection: &Connection,
    client: &Client,
    traits: ClientTraits,
    edit: ApplyEdit,
) -> EditOutcome {
    let params = params(traits, edit);
    match outbound::request::<WorkspaceApplyEdit>(connection, client, params).await {
        Ok(answer) if answer.applied => EditOutcome::Accepted,
        Ok(answer) => {
            debug!(reason = ?answer.failure_reason, "the client refused an edit");
            EditOutcome::Refused
        }
        Err(error) if error.code == ErrorCode::RequestCancelled => EditOutcome::NoAnswer,
        Err(error) => {
            debug!(%error, "the client refused an edit");
            EditOutcome::Refused
        }
    }
}

fn params(traits: ClientTraits, edit: ApplyEdit) -> Value {
    let edits: Vec<TextEdit> = edit.edits.into_iter().map(TextEdit::from).collect();
    let changes = match traits.versions_edits {
        true => json!({ "documentChanges": [{
            "textDocument": { "uri": edit.uri, "version": edit.version },
            "edits": edits,
        }]}),
        false => json!({ "changes": { edit.uri: edits } }),
    };
    json!({ "label": edit.label, "edit": changes })
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct TextEdit {
    range: Range,
    new_text: String,
}

impl From<Edit> for TextEdit {
    fn from(edit: Edit) -> Self {
        match edit {
            Edit::Splice { range, text } => Self {
                range: range.into(),
                new_text: text,
            },
            Edit::Replace(text) => Self {
                range: Range {
                    start: Position::default().into(),
                    end: Position {
                        line: END,
                        character: 0,
                    }
                    .into(),
                },
                new_text: text,
            },
        }
    }
}

/// With parameters of our own: the library's refuse URIs that editors do use.
struct WorkspaceApplyEdit;

impl Request for WorkspaceApplyEdit {
    type Params = Value;
    type Result = Applied;
    const METHOD: &'static str = "workspace/applyEdit";
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Applied {
    #[serde(default)]
    applied: bool,
    failure_reason: Option<String>,
}

/// Has the client write files that were clean before an edit. Where it cannot, they stay unsaved.
pub(crate) async fn save(connection: Arc<Connection>, client: Client, uris: Vec<String>) {
    if !connection.traits().saves {
        return;
    }
    let params = SaveParams { uris };
    if let Err(error) = outbound::request::<Save>(&connection, &client, params).await {
        debug!(%error, "the client did not save");
    }
}

struct Save;

impl Request for Save {
    type Params = SaveParams;
    type Result = Option<Saved>;
    const METHOD: &'static str = method::SAVE;
}

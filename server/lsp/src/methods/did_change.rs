//! `textDocument/didChange`

use pollux_text::Edit;
use pollux_workspace::Input;
use serde::Deserialize;
use serde_json::Value;

use super::parse;
use crate::connection::Connection;
use crate::protocol::Range;
use crate::uri::document_key;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Params {
    text_document: Identifier,
    content_changes: Vec<Change>,
}

#[derive(Deserialize)]
struct Identifier {
    uri: String,
    /// Some clients leave it out or send `null`.
    version: Option<i32>,
}

#[derive(Deserialize)]
pub(crate) struct Change {
    range: Option<Range>,
    text: String,
}

impl From<Change> for Edit {
    fn from(Change { range, text }: Change) -> Self {
        match range {
            Some(range) => Edit::Splice {
                range: range.into(),
                text,
            },
            None => Edit::Replace(text),
        }
    }
}

pub(super) fn read(
    connection: &Connection,
    params: Value,
) -> Result<Option<Input>, serde_json::Error> {
    let Params {
        text_document,
        content_changes,
    } = parse(params)?;
    Ok(Some(Input::Changed {
        door: connection.door,
        key: document_key(&text_document.uri),
        version: text_document.version.unwrap_or_default(),
        edits: content_changes.into_iter().map(Edit::from).collect(),
    }))
}

//! `textDocument/didClose`

use pollux_workspace::Input;
use serde::Deserialize;
use serde_json::Value;

use super::parse;
use crate::connection::Connection;
use crate::uri::document_key;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Params {
    text_document: Identifier,
}

#[derive(Deserialize)]
struct Identifier {
    uri: String,
}

pub(super) fn read(
    connection: &Connection,
    params: Value,
) -> Result<Option<Input>, serde_json::Error> {
    let uri = parse::<Params>(params)?.text_document.uri;
    Ok(Some(Input::Closed {
        door: connection.door,
        key: document_key(&uri),
    }))
}

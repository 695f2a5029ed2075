//! `textDocument/didSave`

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
    text: Option<String>,
}

#[derive(Deserialize)]
struct Identifier {
    uri: String,
}

pub(super) fn read(
    connection: &Connection,
    params: Value,
) -> Result<Option<Input>, serde_json::Error> {
    let Params {
        text_document,
        text,
    } = parse(params)?;
    Ok(Some(Input::Saved {
        door: connection.door,
        key: document_key(&text_document.uri),
        text,
    }))
}

//! `textDocument/didOpen`

use pollux_workspace::Input;
use serde::Deserialize;
use serde_json::Value;

use super::parse;
use crate::connection::Connection;
use crate::uri::document_key;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Params {
    text_document: Item,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Item {
    uri: String,
    #[serde(default)]
    language_id: String,
    version: i32,
    text: String,
}

pub(super) fn read(
    connection: &Connection,
    params: Value,
) -> Result<Option<Input>, serde_json::Error> {
    let Item {
        uri,
        language_id,
        version,
        text,
    } = parse::<Params>(params)?.text_document;
    Ok(Some(Input::Opened {
        door: connection.door,
        key: document_key(&uri),
        uri,
        language: language_id,
        version,
        text,
    }))
}

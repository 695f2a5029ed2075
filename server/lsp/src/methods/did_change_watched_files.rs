//! `workspace/didChangeWatchedFiles`
//!
//! What is watched is asked for in `initialized`: settings files. Which of them changed does not
//! matter, they are read together.

use pollux_workspace::Input;
use serde::Deserialize;
use serde_json::Value;

use super::parse;
use crate::connection::Connection;

#[derive(Deserialize)]
struct Params {
    changes: Vec<Value>,
}

pub(super) fn read(
    connection: &Connection,
    params: Value,
) -> Result<Option<Input>, serde_json::Error> {
    let changes = parse::<Params>(params)?.changes;
    Ok((!changes.is_empty()).then_some(Input::WatchedFilesChanged(connection.door)))
}

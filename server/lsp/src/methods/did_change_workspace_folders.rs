//! `workspace/didChangeWorkspaceFolders`

use std::path::PathBuf;

use pollux_workspace::Input;
use serde::Deserialize;
use serde_json::Value;

use super::{initialize, parse};
use crate::connection::Connection;

#[derive(Deserialize)]
struct Params {
    event: Event,
}

#[derive(Deserialize)]
struct Event {
    added: Vec<Folder>,
    removed: Vec<Folder>,
}

#[derive(Deserialize)]
struct Folder {
    uri: String,
}

pub(super) fn read(
    connection: &Connection,
    params: Value,
) -> Result<Option<Input>, serde_json::Error> {
    let Event { added, removed } = parse::<Params>(params)?.event;
    // The table of rooms tells the room: the change may make two rooms one.
    connection
        .host
        .rooms
        .change_roots(connection.door, paths(&added), &paths(&removed));
    Ok(None)
}

fn paths(folders: &[Folder]) -> Vec<PathBuf> {
    folders
        .iter()
        .filter_map(|folder| initialize::root(&folder.uri))
        .collect()
}

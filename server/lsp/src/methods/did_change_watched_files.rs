//! `workspace/didChangeWatchedFiles`
//!
//! Settings files are read together, so which of them changed does not matter. Any other file may be one that is under
//! review and not open.

use std::path::{Path, PathBuf};

use pollux_workspace::Input;
use serde::Deserialize;
use serde_json::Value;

use super::parse;
use crate::connection::Connection;
use crate::uri::file_path;

#[cfg(test)]
mod tests;

#[derive(Deserialize)]
struct Params {
    changes: Vec<Change>,
}

#[derive(Deserialize)]
struct Change {
    uri: String,
}

pub(super) fn read(
    connection: &Connection,
    params: Value,
) -> Result<Option<Input>, serde_json::Error> {
    let changes = parse::<Params>(params)?.changes;
    let paths = changes.iter().filter_map(|change| file_path(&change.uri));
    let (settings, files): (Vec<PathBuf>, Vec<PathBuf>) = paths.partition(|path| is_settings(path));
    let settings = (!settings.is_empty()).then_some(Input::WatchedFilesChanged(connection.door));
    let files = (!files.is_empty()).then_some(Input::FilesChanged(files));
    match (settings, files) {
        (Some(settings), Some(files)) => {
            // There is no order between the two.
            let _gone = connection.post(settings);
            Ok(Some(files))
        }
        (settings, files) => Ok(settings.or(files)),
    }
}

/// Whether a file is one of those that `initialized` asks to be watched for the settings.
fn is_settings(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name == ".env") || path.iter().any(|part| part == ".gemini")
}

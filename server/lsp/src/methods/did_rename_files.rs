//! `workspace/didRenameFiles`

use pollux_workspace::Input;
use serde::Deserialize;
use serde_json::Value;
use tower_lsp::ls_types::{
    FileOperationFilter, FileOperationPattern, FileOperationRegistrationOptions,
    WorkspaceFileOperationsServerCapabilities,
};

use super::parse;
use crate::connection::Connection;
use crate::uri::file_path;

#[cfg(test)]
mod tests;

#[derive(Deserialize)]
struct Params {
    files: Vec<Renamed>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Renamed {
    old_uri: String,
    new_uri: String,
}

/// Files and folders alike: a review goes where its file goes.
pub(super) fn wanted() -> WorkspaceFileOperationsServerCapabilities {
    let filter = FileOperationFilter {
        scheme: Some("file".to_owned()),
        pattern: FileOperationPattern {
            glob: "**/*".to_owned(),
            matches: None,
            options: None,
        },
    };
    WorkspaceFileOperationsServerCapabilities {
        did_rename: Some(FileOperationRegistrationOptions {
            filters: vec![filter],
        }),
        ..WorkspaceFileOperationsServerCapabilities::default()
    }
}

pub(super) fn read(_: &Connection, params: Value) -> Result<Option<Input>, serde_json::Error> {
    renamed(params)
}

fn renamed(params: Value) -> Result<Option<Input>, serde_json::Error> {
    let files = parse::<Params>(params)?.files;
    let names = files.iter().filter_map(|renamed| {
        let from = file_path(&renamed.old_uri)?;
        Some((from, file_path(&renamed.new_uri)?))
    });
    let names: Vec<_> = names.collect();
    Ok((!names.is_empty()).then_some(Input::FilesRenamed(names)))
}

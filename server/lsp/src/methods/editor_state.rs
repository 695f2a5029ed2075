//! `pollux/editorState`

use pollux_workspace::{ActiveFile, DiagnosticCounts, EditorUpdate, Input};
use serde_json::Value;

use super::parse;
use crate::connection::Connection;
use crate::protocol::{self, EditorStateParams};
use crate::uri::document_key;

pub(super) fn read(
    connection: &Connection,
    params: Value,
) -> Result<Option<Input>, serde_json::Error> {
    let EditorStateParams {
        active_file,
        trusted,
        diagnostics,
    } = parse(params)?;
    let update = EditorUpdate {
        active_file: active_file.map(|file| file.map(active)),
        trusted,
        diagnostics: diagnostics.map(|counts| counts.into_iter().map(problem_counts).collect()),
    };
    Ok(Some(Input::EditorChanged {
        door: connection.door,
        update,
    }))
}

fn active(file: protocol::ActiveFile) -> ActiveFile {
    ActiveFile {
        key: document_key(&file.uri),
        uri: file.uri,
        cursor: file.cursor.into(),
        selections: file.selections.into_iter().map(Into::into).collect(),
        visible_ranges: file.visible_ranges.into_iter().map(Into::into).collect(),
    }
}

fn problem_counts(counts: protocol::DiagnosticCounts) -> DiagnosticCounts {
    DiagnosticCounts {
        uri: counts.uri,
        errors: counts.errors,
        warnings: counts.warnings,
        information: counts.information,
        hints: counts.hints,
    }
}

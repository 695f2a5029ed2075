//! `pollux/snapshot`

use pollux_workspace::{ActiveFile, DiagnosticCounts, Snapshot, View};
use tower_lsp::jsonrpc::Result;

use crate::protocol::{self, DocumentSummary, RoomSummary, SnapshotParams, SnapshotResult};
use crate::server::Server;
use crate::uri;

pub(super) async fn handle(server: &Server, params: SnapshotParams) -> Result<SnapshotResult> {
    let connection = &server.connection;
    let snapshot = connection.snapshot(params.after_revision).await?;
    let editor = snapshot.editors.get(&connection.door);
    let documents = snapshot
        .documents
        .values()
        .filter_map(|document| document.seen_from(connection.door));
    Ok(SnapshotResult {
        revision: snapshot.revision.0,
        room: room(&snapshot),
        documents: documents.map(summary).collect(),
        active_file: editor.and_then(|editor| editor.active_file.as_ref().map(active)),
        trusted: editor.and_then(|editor| editor.trusted),
        diagnostics: editor
            .map(|editor| editor.diagnostics.iter().map(problem_counts).collect())
            .unwrap_or_default(),
    })
}

fn room(snapshot: &Snapshot) -> RoomSummary {
    RoomSummary {
        roots: snapshot
            .roots
            .iter()
            .map(|root| uri::from_path(root))
            .collect(),
        doors: snapshot.editors.len(),
    }
}

fn summary(view: &View) -> DocumentSummary {
    DocumentSummary {
        uri: view.uri.to_string(),
        language_id: view.language.to_string(),
        version: view.version,
        bytes: view.text.len_bytes(),
        sync: view.sync.into(),
    }
}

fn active(file: &ActiveFile) -> protocol::ActiveFile {
    protocol::ActiveFile {
        uri: file.uri.clone(),
        cursor: file.cursor.into(),
        selections: file.selections.iter().copied().map(Into::into).collect(),
        visible_ranges: file
            .visible_ranges
            .iter()
            .copied()
            .map(Into::into)
            .collect(),
    }
}

fn problem_counts(counts: &DiagnosticCounts) -> protocol::DiagnosticCounts {
    protocol::DiagnosticCounts {
        uri: counts.uri.clone(),
        errors: counts.errors,
        warnings: counts.warnings,
        information: counts.information,
        hints: counts.hints,
    }
}

//! `pollux/editorState`

use pollux_agent::prompt::{MAX_PROBLEMS, Problem, ProblemSeverity};
use pollux_workspace::{ActiveFile, DiagnosticCounts, EditorUpdate, Input};
use serde_json::Value;

use super::parse;
use crate::connection::Connection;
use crate::protocol::{self, EditorStateParams};
use crate::uri::{document_key, file_path};

/// Of one problem; what is longer is cut before it is kept.
const LONGEST_MESSAGE: usize = 2_000;

/// Nobody has more tabs than this in mind.
const MOST_OPEN_FILES: usize = 1_000;

pub(super) fn read(
    connection: &Connection,
    params: Value,
) -> Result<Option<Input>, serde_json::Error> {
    let EditorStateParams {
        active_file,
        open_files,
        trusted,
        diagnostics,
        problems,
    } = parse(params)?;
    let update = EditorUpdate {
        active_file: active_file.map(|file| file.map(active)),
        open_files: open_files.map(|files| {
            let bounded = files.iter().take(MOST_OPEN_FILES);
            bounded.filter_map(|uri| file_path(uri)).collect()
        }),
        trusted,
        diagnostics: diagnostics.map(|counts| counts.into_iter().map(problem_counts).collect()),
        problems: problems.map(|problems| {
            let bounded = problems.into_iter().take(MAX_PROBLEMS);
            bounded.filter_map(problem).collect()
        }),
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

/// Nothing for a problem in what is no file.
fn problem(problem: protocol::EditorProblem) -> Option<Problem> {
    let mut message = problem.message;
    message.truncate(message.floor_char_boundary(LONGEST_MESSAGE));
    Some(Problem {
        path: file_path(&problem.uri)?,
        // People count from one.
        line: problem.line.saturating_add(1),
        severity: match problem.severity {
            protocol::ProblemSeverity::Error => ProblemSeverity::Error,
            protocol::ProblemSeverity::Warning => ProblemSeverity::Warning,
        },
        message,
    })
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

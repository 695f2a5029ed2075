use std::path::PathBuf;
use std::sync::Arc;

use expect_test::{Expect, expect};
use pollux_workspace::{FileKind, ShownHunk};
use tower_lsp::ls_types::Position;

use super::*;

fn hunk(state: HunkState, lines: std::ops::Range<usize>) -> ShownHunk {
    ShownHunk {
        state,
        lines,
        removed: "a\n".into(),
        added: "b\n".into(),
        origin: None,
        comments: Vec::new(),
    }
}

/// Hunks in the lines 3 and 4, removed lines before line 10, a conflict in line 20.
fn reviews() -> Reviews {
    let file = FileReview {
        path: PathBuf::from("a.rs"),
        kind: FileKind::Changed,
        revision: 7,
        comments: Vec::new(),
        hunks: vec![
            hunk(HunkState::Pending, 3..5),
            hunk(HunkState::Pending, 10..10),
            hunk(HunkState::Conflict, 20..21),
        ],
    };
    Reviews {
        files: [(document_key("file:///p/a.rs"), Arc::new(file))].into(),
        undo: Some("keep a hunk of a.rs".into()),
        ..Reviews::default()
    }
}

fn lines(first: u32, last: u32) -> Range {
    let at = |line, character| Position { line, character };
    Range {
        start: at(first, 2),
        end: at(last, 2),
    }
}

fn titles(uri: &str, range: Range, only: &[&str]) -> Vec<String> {
    let kinds = only
        .iter()
        .map(|kind| CodeActionKind::from((*kind).to_owned()));
    let context = CodeActionContext {
        only: (!only.is_empty()).then(|| kinds.collect()),
        ..CodeActionContext::default()
    };
    let asked = Asked {
        uri,
        key: document_key(uri),
        range,
        context: &context,
    };
    let actions = offered(&reviews(), &asked);
    actions.into_iter().map(|action| action.title).collect()
}

fn check(range: Range, only: &[&str], expected: Expect) {
    expected.assert_eq(&titles("file:///p/a.rs", range, only).join("\n"));
}

#[test]
fn a_hunk_under_the_cursor_is_decided_first_and_everything_else_can_be_too() {
    check(
        lines(4, 4),
        &[],
        expect![[r#"
            Pollux: Keep this hunk
            Pollux: Reject this hunk
            Pollux: Keep all in this file
            Pollux: Reject all in this file
            Pollux: Keep everything
            Pollux: Reject everything
            Pollux: Next pending hunk
            Pollux: Previous pending hunk
            Pollux: Undo the last decision"#]],
    );
}

#[test]
fn only_hunks_under_the_range_are_offered() {
    let only = ["quickfix"];
    check(lines(0, 2), &only, expect![""]);
    check(lines(5, 8), &only, expect![""]);
    check(
        lines(9, 9),
        &only,
        expect![[r#"
            Pollux: Keep this hunk
            Pollux: Reject this hunk"#]],
    );
    check(
        lines(20, 20),
        &only,
        expect![[r#"
            Pollux: Keep my version of this hunk
            Pollux: Take Pollux's version of this hunk"#]],
    );
    check(
        lines(0, 10),
        &only,
        expect![[r#"
            Pollux: Keep the hunk in line 4
            Pollux: Reject the hunk in line 4
            Pollux: Keep the hunk in line 11
            Pollux: Reject the hunk in line 11"#]],
    );
}

#[test]
fn a_selection_of_whole_lines_does_not_reach_into_the_next() {
    let mut range = lines(0, 3);
    range.end.character = 0;
    check(range, &["quickfix"], expect![""]);
}

#[test]
fn a_file_without_hunks_gets_nothing_unless_it_is_asked_for() {
    let other = "file:///p/other.rs";
    assert_eq!(titles(other, lines(0, 0), &[]), [""; 0]);
    assert_eq!(titles(other, lines(0, 0), &["source"]), [""; 0]);
    assert_eq!(
        titles(other, lines(0, 0), &["source.pollux.undo"]),
        ["Pollux: Undo the last decision"]
    );
    assert_eq!(titles(other, lines(0, 0), &["source.pollux"]).len(), 5);
    // Another server's kind that only begins like ours.
    assert_eq!(titles(other, lines(0, 0), &["source.polluxes"]), [""; 0]);
}

#[test]
fn an_action_names_its_hunk_and_the_diagnostic_it_belongs_to() {
    let mine = Diagnostic {
        range: lines(3, 4),
        source: Some("pollux".to_owned()),
        ..Diagnostic::default()
    };
    let other = Diagnostic {
        source: Some("rustc".to_owned()),
        ..mine.clone()
    };
    let context = CodeActionContext {
        diagnostics: vec![other, mine.clone()],
        ..CodeActionContext::default()
    };
    let uri = "file:///p/a.rs";
    let asked = Asked {
        uri,
        key: document_key(uri),
        range: lines(3, 3),
        context: &context,
    };
    let actions = offered(&reviews(), &asked);
    let keep = &actions[0];
    assert_eq!(keep.diagnostics, Some(vec![mine]));
    let command = keep.command.as_ref().unwrap();
    assert_eq!(command.command, "pollux.hunk.keep");
    let argument = json!({ "uri": uri, "revision": 7, "index": 0 });
    assert_eq!(command.arguments, Some(vec![argument]));
}

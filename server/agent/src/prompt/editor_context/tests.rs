use std::collections::BTreeSet;

use expect_test::{Expect, expect};
use proptest::prelude::*;

use super::*;

fn context(active: Option<(&str, u32, &str)>, others: &[&str]) -> EditorContext {
    EditorContext {
        active: active.map(|(path, line, selected)| ActiveEditor {
            path: PathBuf::from(path),
            cursor: Cursor { line, character: 1 },
            selected_text: Some(selected.to_owned()),
            selected: None,
        }),
        others: others.iter().map(PathBuf::from).collect(),
    }
}

/// What is told when the editor went from one context to the other.
fn check(last: EditorContext, now: EditorContext, expected: Expect) {
    let mut told = EditorTold::default();
    told.tell(last, HistoryEnd::Complete);
    let text = told.tell(now, HistoryEnd::Complete);
    expected.assert_eq(&text.unwrap_or_else(|| "nothing".to_owned()));
}

#[test]
fn the_first_time_everything_is_told() {
    let mut told = EditorTold::default();
    let now = context(Some(("/p/a", 3, "let x\n```")), &["/p/b", "/p/a", "/p/b"]);
    expect![[r#"
        What the person's editor shows, for your information only:
        ```json
        {"activeFile":{"path":"/p/a","cursor":{"line":3,"character":1},"selectedText":"let x\n```"},"otherOpenFiles":["/p/b"]}
        ```"#]]
    .assert_eq(&told.tell(now.clone(), HistoryEnd::Complete).unwrap());
    assert_eq!(told.tell(now, HistoryEnd::Complete), None);
}

#[test]
fn an_editor_that_shows_nothing_is_not_mentioned() {
    let mut told = EditorTold::default();
    assert_eq!(
        told.tell(EditorContext::default(), HistoryEnd::Complete),
        None
    );
    let text = told
        .tell(context(None, &["/p/b"]), HistoryEnd::Complete)
        .unwrap();
    assert!(
        text.contains(r#"{"changes":{"filesOpened":["/p/b"]}}"#),
        "{text}"
    );
}

#[test]
fn a_moved_cursor_is_all_that_is_told() {
    check(
        context(Some(("/p/a", 1, "")), &["/p/b"]),
        context(Some(("/p/a", 2, "")), &["/p/b"]),
        expect![[r#"
            What changed in the person's editor, for your information only:
            ```json
            {"changes":{"cursorMoved":{"path":"/p/a","cursor":{"line":2,"character":1}}}}
            ```"#]],
    );
}

#[test]
fn a_selection_that_ends_is_told_as_empty() {
    check(
        context(Some(("/p/a", 1, "x")), &[]),
        context(Some(("/p/a", 1, "")), &[]),
        expect![[r#"
            What changed in the person's editor, for your information only:
            ```json
            {"changes":{"selectionChanged":{"path":"/p/a","selectedText":""}}}
            ```"#]],
    );
}

#[test]
fn another_file_comes_with_its_cursor_and_selection() {
    check(
        context(Some(("/p/a", 1, "x")), &["/p/c"]),
        context(Some(("/p/b", 7, "y")), &["/p/a"]),
        expect![[r#"
            What changed in the person's editor, for your information only:
            ```json
            {"changes":{"filesOpened":["/p/b"],"filesClosed":["/p/c"],"activeFileChanged":{"path":"/p/b","cursor":{"line":7,"character":1},"selectedText":"y"}}}
            ```"#]],
    );
}

#[test]
fn leaving_every_file_names_the_last_one() {
    check(
        context(Some(("/p/a", 1, "")), &[]),
        context(None, &["/p/a"]),
        expect![[r#"
            What changed in the person's editor, for your information only:
            ```json
            {"changes":{"activeFileChanged":{"path":null,"previousPath":"/p/a"}}}
            ```"#]],
    );
}

#[test]
fn after_a_reset_everything_is_told_again() {
    let mut told = EditorTold::default();
    let now = context(Some(("/p/a", 1, "")), &[]);
    let first = told.tell(now.clone(), HistoryEnd::Complete);
    told.reset();
    assert_eq!(told.tell(now, HistoryEnd::Complete), first);
}

#[test]
fn nothing_comes_between_a_call_and_its_response_and_nothing_is_lost() {
    let mut told = EditorTold::default();
    let now = context(Some(("/p/a", 1, "")), &[]);
    assert_eq!(told.tell(now.clone(), HistoryEnd::PendingCall), None);
    assert!(
        told.tell(now, HistoryEnd::Complete)
            .unwrap()
            .contains("activeFile")
    );
}

/// The oracle: what a model that keeps books believes after a delta.
fn apply(last: &EditorContext, delta: Option<&Value>) -> EditorContext {
    let strings = |value: &Value| -> Vec<PathBuf> {
        let values = value.as_array().into_iter().flatten();
        values
            .map(|path| PathBuf::from(path.as_str().unwrap()))
            .collect()
    };
    let cursor = |value: &Value| Cursor {
        line: value["line"].as_u64().unwrap() as u32,
        character: value["character"].as_u64().unwrap() as u32,
    };
    let selected = |value: &Value| {
        value
            .as_str()
            .filter(|text| !text.is_empty())
            .map(str::to_owned)
    };
    let mut open: BTreeSet<PathBuf> = last.others.iter().cloned().collect();
    open.extend(last.active.iter().map(|active| active.path.clone()));
    let mut active = last.active.clone();
    if let Some(changes) = delta.map(|delta| &delta["changes"]) {
        for path in strings(&changes["filesClosed"]) {
            assert!(open.remove(&path));
        }
        open.extend(strings(&changes["filesOpened"]));
        let changed = &changes["activeFileChanged"];
        if changed.is_object() {
            active = changed["path"].as_str().map(|path| ActiveEditor {
                path: PathBuf::from(path),
                cursor: cursor(&changed["cursor"]),
                selected_text: selected(&changed["selectedText"]),
                selected: None,
            });
        }
        if changes["cursorMoved"].is_object() {
            active.as_mut().unwrap().cursor = cursor(&changes["cursorMoved"]["cursor"]);
        }
        if changes["selectionChanged"].is_object() {
            let text = selected(&changes["selectionChanged"]["selectedText"]);
            active.as_mut().unwrap().selected_text = text;
        }
    }
    if let Some(active) = &active {
        open.remove(&active.path);
    }
    EditorContext {
        active,
        others: open.into_iter().collect(),
    }
}

fn contexts() -> impl Strategy<Value = EditorContext> {
    let path = || "/[a-e]".prop_map(PathBuf::from);
    let active = (path(), 0_u32..3, 0_u32..3, prop::option::of("[ab\n`]{0,2}"));
    let active = active.prop_map(|(path, line, character, selected_text)| ActiveEditor {
        path,
        cursor: Cursor { line, character },
        selected_text,
        selected: None,
    });
    (
        prop::option::of(active),
        prop::collection::vec(path(), 0..5),
    )
        .prop_map(|(active, others)| EditorContext { active, others })
}

proptest! {
    #[test]
    fn a_delta_applied_to_the_old_context_gives_the_new_one(last in contexts(), now in contexts()) {
        let (last, mut now) = (last.normalised(), now.normalised());
        let delta = delta::delta(&last, &now);
        now.others.sort();
        prop_assert_eq!(apply(&last, delta.as_ref()), now);
    }

    #[test]
    fn the_editor_context_keeps_its_caps(
        paths in prop::collection::vec("/\\PC{1,50}", 0..40),
        long in 0_usize..40_000,
        selected in "\\PC{0,8}",
    ) {
        let selected = selected.repeat(long / 4);
        let active = paths.first().map(|path| ActiveEditor {
            path: PathBuf::from(path),
            cursor: Cursor { line: 1, character: 1 },
            selected_text: Some(selected),
            selected: None,
        });
        let others = paths.iter().map(PathBuf::from).collect();
        let normal = EditorContext { active, others }.normalised();
        prop_assert!(normal.others.len() + usize::from(normal.active.is_some()) <= MAX_OPEN_FILES);
        let text = normal.active.and_then(|active| active.selected_text).unwrap_or_default();
        prop_assert!(text.len() <= MAX_SELECTION_BYTES + CUT.len());
    }
}

use proptest::prelude::*;
use serde_json::json;

use super::*;

const CONTEXT: &str =
    "<session_context>\nFacts.\nWorkspace folders:\n- /w/app\n- /w/lib\n</session_context>";

fn told(json: &Value) -> Content {
    Content::prompt(format!("What the editor shows:\n```json\n{json}\n```"))
}

fn editor(jsons: &[Value]) -> Editor {
    let mut contents = vec![Content::prompt(CONTEXT)];
    contents.extend(jsons.iter().map(told));
    Editor::of(&contents)
}

fn active(path: &str, line: usize, selected: &str) -> Value {
    json!({ "path": path, "cursor": { "line": line, "character": 1 }, "selectedText": selected })
}

fn selection(text: &str, place: &str, line: usize) -> Option<Selection> {
    Some(Selection {
        text: text.to_owned(),
        place: place.to_owned(),
        cursor: Some(line),
    })
}

#[test]
fn the_active_file_is_named_as_the_tools_take_it() {
    let seen = editor(&[
        json!({ "activeFile": active("/w/app/src/a.rs", 3, "let x;\r\n"), "otherOpenFiles": ["/w/b"] }),
    ]);
    assert_eq!(seen.file.as_deref(), Some("src/a.rs"));
    assert_eq!(seen.selection, selection("let x;\n", "src/a.rs", 3));
}

#[test]
fn a_file_outside_of_the_workspace_is_not_for_the_tools() {
    for path in [
        "/etc/hosts",
        "/w/lib/a.rs",
        "/w/app",
        "/w/app/../x",
        "a.rs",
        "",
    ] {
        let seen = editor(&[json!({ "activeFile": active(path, 1, "x") })]);
        assert_eq!(seen.file, None, "{path}");
        assert_eq!(seen.selection, selection("x", path, 1));
    }
    let without_context = Editor::of(&[told(
        &json!({ "activeFile": active("/w/app/a.rs", 1, "x") }),
    )]);
    assert_eq!(without_context.file, None);
}

#[test]
fn later_changes_count() {
    let first = json!({ "activeFile": active("/w/app/a.rs", 3, "old") });
    let moved = json!({ "changes": {
        "cursorMoved": { "path": "/w/app/a.rs", "cursor": { "line": 9, "character": 1 } },
        "selectionChanged": { "path": "/w/app/a.rs", "selectedText": "new" },
    } });
    let dropped =
        json!({ "changes": { "selectionChanged": { "path": "/w/app/a.rs", "selectedText": "" } } });
    let other = json!({ "changes": { "activeFileChanged": { "path": "/w/app/b.rs" } } });
    let gone = json!({ "changes": { "activeFileChanged": { "path": null, "previousPath": "/w/app/b.rs" } } });
    let none = json!({ "otherOpenFiles": ["/w/app/a.rs"] });

    let seen = editor(&[first.clone(), moved.clone()]);
    assert_eq!(seen.selection, selection("new", "a.rs", 9));
    let seen = editor(&[first.clone(), moved.clone(), dropped]);
    assert_eq!((seen.file.as_deref(), seen.selection), (Some("a.rs"), None));
    let seen = editor(&[first.clone(), other.clone()]);
    assert_eq!((seen.file.as_deref(), seen.selection), (Some("b.rs"), None));
    // What is said about another file than the active one is of no interest.
    let seen = editor(&[first.clone(), other.clone(), moved]);
    assert_eq!((seen.file.as_deref(), seen.selection), (Some("b.rs"), None));
    assert_eq!(editor(&[first.clone(), other, gone]), Editor::default());
    assert_eq!(editor(&[first, none]), Editor::default());
}

#[test]
fn what_is_not_understood_is_left_out() {
    let good = json!({ "activeFile": active("/w/app/a.rs", 3, "x") });
    for strange in [
        json!(7),
        json!([]),
        json!({ "changes": [] }),
        json!({ "changes": { "cursorMoved": null, "selectionChanged": 1 } }),
    ] {
        let seen = editor(&[good.clone(), strange]);
        assert_eq!(seen.selection, selection("x", "a.rs", 3));
    }
    let cut_off = Content::prompt("```json\n{\"activeFile\":");
    assert_eq!(Editor::of(&[cut_off]), Editor::default());
}

#[test]
fn facts_are_told_from_words_of_the_person() {
    for context in [
        CONTEXT,
        "```json\n{\"changes\":{}}\n```",
        "x\n```json\n{\"activeFile\":null}",
    ] {
        assert!(is_context(context), "{context}");
    }
    for said in [
        "What is a <session_context>?",
        "why {\"changes\":{}}",
        "```json\n{}\n```",
        "",
    ] {
        assert!(!is_context(said), "{said}");
    }
}

#[test]
fn words_of_the_model_are_no_word_about_the_editor() {
    let mut content = told(&json!({ "activeFile": active("/w/app/a.rs", 3, "x") }));
    content.role = Role::Model;
    assert_eq!(Editor::of(&[content]), Editor::default());
}

proptest! {
    #[test]
    fn any_text_can_be_looked_through(
        texts in prop::collection::vec("(```json\n|\\{\"(activeFile|changes|path)\":|[{}\"]|null|<session_context>|\n- /|ä)*", 0..4),
    ) {
        let contents: Vec<Content> = texts.into_iter().map(Content::prompt).collect();
        let seen = Editor::of(&contents);
        prop_assert!(seen.file.is_none_or(|file| !file.starts_with('/')));
    }
}

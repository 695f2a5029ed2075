use serde_json::{Value, json};

use super::*;

fn note(shown: &mut Shown, method: &str, params: &Value) {
    let raw = |value: &Value| RawValue::from_string(value.to_string()).unwrap();
    shown.note(&raw(&json!(method)), &raw(params));
}

#[test]
fn only_what_is_still_marked_is_taken_back_and_only_once() {
    let mut shown = Shown::default();
    let hunks = |uri: &str, hunks: Value| json!({ "uri": uri, "path": "a.rs", "version": 3, "revision": 7, "hunks": hunks });
    note(
        &mut shown,
        method::HUNKS,
        &hunks("file:///a", json!([{ "index": 0 }])),
    );
    note(
        &mut shown,
        method::HUNKS,
        &hunks("file:///b", json!([{ "index": 0 }])),
    );
    note(&mut shown, method::HUNKS, &hunks("file:///b", json!([])));
    let diagnostics = json!({ "uri": "file:///c", "diagnostics": [{ "message": "m" }] });
    note(&mut shown, DIAGNOSTICS, &diagnostics);
    note(
        &mut shown,
        "window/showMessage",
        &json!({ "uri": "file:///d", "hunks": [1] }),
    );

    let taken: Vec<Value> = shown
        .take_back()
        .iter()
        .map(|message| serde_json::from_slice(message).unwrap())
        .collect();
    assert_eq!(
        taken,
        [
            json!({ "jsonrpc": "2.0", "method": "pollux/hunks", "params": {
                "uri": "file:///a", "path": "a.rs", "version": null, "revision": 0, "hunks": [],
            }}),
            json!({ "jsonrpc": "2.0", "method": "textDocument/publishDiagnostics", "params": {
                "uri": "file:///c", "diagnostics": [],
            }}),
        ]
    );
    assert!(shown.take_back().is_empty());
}

#[test]
fn a_comment_that_no_hunk_is_left_for_is_a_mark_too() {
    let mut shown = Shown::default();
    let comments = json!([{ "id": 1, "line": 0, "text": "why?", "sent": false }]);
    let message = json!({ "uri": "file:///a", "path": "a.rs", "hunks": [], "comments": comments });
    note(&mut shown, method::HUNKS, &message);
    assert_eq!(shown.take_back().len(), 1);
}

#[test]
fn what_is_not_what_it_should_be_is_passed_over() {
    let mut shown = Shown::default();
    for params in [
        json!(null),
        json!([]),
        json!({ "uri": 7, "hunks": [1] }),
        json!({ "hunks": [1] }),
    ] {
        note(&mut shown, method::HUNKS, &params);
    }
    assert!(shown.take_back().is_empty());
}

#[test]
fn open_questions_are_cancelled_and_progress_is_ended() {
    let mut shown = Shown::default();
    let raw = |value: &Value| RawValue::from_string(value.to_string()).unwrap();
    for id in ["pollux-1-1-0", "pollux-1-1-1"] {
        shown.note_request(&raw(&json!("window/showMessageRequest")), &raw(&json!(id)));
    }
    shown.note_request(&raw(&json!("workspace/applyEdit")), &raw(&json!(7)));
    shown.note_reply(r#""pollux-1-1-0""#);
    let progress = |token: Value, kind: &str| json!({ "token": token, "value": { "kind": kind, "title": "t" } });
    note(&mut shown, "$/progress", &progress(json!(1), "begin"));
    note(&mut shown, "$/progress", &progress(json!("a"), "begin"));
    note(&mut shown, "$/progress", &progress(json!("a"), "report"));
    note(&mut shown, "$/progress", &progress(json!(1), "end"));
    let taken: Vec<Value> = shown
        .take_back()
        .iter()
        .map(|message| serde_json::from_slice(message).unwrap())
        .collect();
    assert_eq!(
        taken,
        [
            json!({ "jsonrpc": "2.0", "method": "$/progress", "params": {
                "token": "a", "value": { "kind": "end" },
            }}),
            json!({ "jsonrpc": "2.0", "method": "$/cancelRequest", "params": { "id": "pollux-1-1-1" } }),
            json!({ "jsonrpc": "2.0", "method": "window/showMessage", "params": {
                "type": 2, "message": QUESTION_ENDED,
            }}),
        ]
    );
    assert!(shown.take_back().is_empty());
}

//! The room's text is the editor's text, whatever else goes on.

use pollux_testkit::fake_editor::{FakeEditor, InitializeOptions, settled_encoding};
use pollux_testkit::mirror_buffer::{MirrorBuffer, PositionEncoding, SplitMix64};
use serde_json::json;

use crate::support::{Server, Way, in_root, never, text};

const URI: &str = "file:///w/a.txt";

/// Sends random edits, several to a message at times, and compares.
async fn random_edits(editor: &FakeEditor, encoding: PositionEncoding, seed: u64, count: i32) {
    let mut random = SplitMix64::new(seed);
    let mut mirror = MirrorBuffer::new(random.text(40), encoding);
    editor.open(URI, "plaintext", mirror.text()).await;
    for version in 0..count {
        let mut changes = Vec::new();
        for _ in 0..=random.below(3) {
            let change = mirror.random_edit(&mut random);
            mirror.apply(&change);
            changes.push(change);
        }
        editor.change(URI, version + 2, &changes).await;
    }
    assert_eq!(text(editor, URI).await, mirror.text(), "seed {seed}");
}

async fn edits_end_in_equal_text(way: Way) {
    for (seed, encoding) in [
        (1, PositionEncoding::Utf8),
        (2, PositionEncoding::Utf16),
        (3, PositionEncoding::Utf32),
    ] {
        let (editor, server) = Server::start(way);
        let options = InitializeOptions {
            position_encodings: vec![encoding],
            ..in_root("/w")
        };
        let result = editor.initialize(options).await;
        assert_eq!(settled_encoding(&result), encoding);
        random_edits(&editor, encoding, seed, 2_000).await;
        server.finish(editor).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn two_thousand_random_edits_end_in_equal_text_in_memory() {
    edits_end_in_equal_text(Way::Memory).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn two_thousand_random_edits_end_in_equal_text_over_stdio() {
    edits_end_in_equal_text(Way::Shared).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn two_thousand_random_edits_end_in_equal_text_without_a_host() {
    edits_end_in_equal_text(Way::Alone).await;
}

async fn stuck_requests_stop_nothing(way: Way) {
    let (editor, server) = Server::start(way);
    editor.initialize(in_root("/w")).await;
    let mut stuck = Vec::new();
    for _ in 0..80 {
        stuck.push(editor.start_request("pollux/snapshot", never()).await);
    }
    random_edits(&editor, PositionEncoding::Utf16, 4, 300).await;

    let stopped = stuck.pop().unwrap();
    stopped.cancel().await;
    let cancelled = stopped.result().await.unwrap_err();
    assert_eq!(cancelled.code, -32800, "{cancelled}");
    assert!(stuck.iter().all(|request| !request.is_answered()));

    for request in stuck {
        request.abandon();
    }
    server.finish(editor).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn eighty_stuck_requests_stop_neither_edits_nor_stop_in_memory() {
    stuck_requests_stop_nothing(Way::Memory).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn eighty_stuck_requests_stop_neither_edits_nor_stop_over_stdio() {
    stuck_requests_stop_nothing(Way::Shared).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn requests_without_end_are_refused_and_the_edits_behind_them_are_read() {
    let (editor, server) = Server::start(Way::Shared);
    editor.initialize(in_root("/w")).await;
    let mut stuck = Vec::new();
    for _ in 0..1_500 {
        stuck.push(editor.start_request("pollux/snapshot", never()).await);
    }
    editor.open(URI, "plaintext", "still read").await;
    let last = stuck.pop().unwrap();
    let refused = last.result().await.unwrap_err();
    assert_eq!(refused.code, -32802, "{refused}");
    // A free place is a place again.
    for request in stuck.drain(..600) {
        request.cancel().await;
        request.result().await.unwrap_err();
    }
    assert_eq!(text(&editor, URI).await, "still read");
    for request in stuck {
        request.abandon();
    }
    server.finish(editor).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_change_that_does_not_fit_asks_for_the_whole_text() {
    let (editor, server) = Server::start(Way::Shared);
    let resyncs = InitializeOptions {
        capabilities: json!({ "experimental": { "pollux": { "resync": true } } }),
        ..in_root("/w")
    };
    editor.initialize(resyncs).await;
    editor.open(URI, "plaintext", "short").await;
    let far = json!({ "line": 9, "character": 0 });
    let change = json!({
        "textDocument": { "uri": URI, "version": 2 },
        "contentChanges": [{ "range": { "start": far, "end": far }, "text": "x" }],
    });
    editor.notify("textDocument/didChange", change).await;
    let asked = editor.expect_notification("pollux/resync").await;
    assert_eq!(asked, json!({ "uri": URI }));
    let document = json!({ "uri": URI });
    let held = editor
        .request("pollux/document", document.clone())
        .await
        .unwrap();
    assert_eq!(held["sync"], "desynced");

    let whole = json!({
        "textDocument": { "uri": URI, "version": 3 },
        "contentChanges": [{ "text": "the whole text" }],
    });
    editor.notify("textDocument/didChange", whole).await;
    let healed = editor.request("pollux/document", document).await.unwrap();
    assert_eq!(
        (&healed["sync"], &healed["text"]),
        (&json!("synced"), &json!("the whole text"))
    );
    server.finish(editor).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_plain_client_heals_a_text_by_saving_it() {
    let (editor, server) = Server::start(Way::Memory);
    editor.initialize(in_root("/w")).await;
    editor.open(URI, "plaintext", "short").await;
    let far = json!({ "line": 9, "character": 0 });
    let change = json!({
        "textDocument": { "uri": URI, "version": 2 },
        "contentChanges": [{ "range": { "start": far, "end": far }, "text": "x" }],
    });
    editor.notify("textDocument/didChange", change).await;
    let told = editor.expect_notification("window/logMessage").await;
    assert!(
        told["message"].as_str().unwrap().contains("save the file"),
        "{told}"
    );
    let saved = json!({ "textDocument": { "uri": URI }, "text": "as saved" });
    editor.notify("textDocument/didSave", saved).await;
    assert_eq!(text(&editor, URI).await, "as saved");
    server.finish(editor).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_the_editor_shows_reaches_the_room() {
    let (editor, server) = Server::start(Way::Shared);
    editor.initialize(in_root("/w")).await;
    let place = json!({ "line": 1, "character": 2 });
    let active = json!({
        "uri": URI,
        "cursor": place,
        "selections": [{ "start": place, "end": { "line": 3, "character": 0 } }],
        "visibleRanges": [{ "start": { "line": 0, "character": 0 }, "end": { "line": 40, "character": 0 } }],
    });
    let problems =
        json!([{ "uri": URI, "errors": 2, "warnings": 1, "information": 0, "hints": 0 }]);
    let state = json!({ "activeFile": active, "trusted": true, "diagnostics": problems });
    editor.notify("pollux/editorState", state).await;
    let seen = crate::support::snapshot(&editor).await;
    assert_eq!(
        (&seen["activeFile"], &seen["trusted"], &seen["diagnostics"]),
        (&active, &json!(true), &problems)
    );
    // What is left out stays; `null` says that no file has the focus.
    editor
        .notify("pollux/editorState", json!({ "activeFile": null }))
        .await;
    let seen = crate::support::snapshot(&editor).await;
    assert_eq!(
        (
            seen.get("activeFile"),
            &seen["trusted"],
            &seen["diagnostics"]
        ),
        (None, &json!(true), &problems)
    );
    server.finish(editor).await;
}

//! What becomes of the edits that clients propose.

use std::fs;

use pollux_testkit::TextChange;
use serde_json::{Value, json};

use super::client::{Notice, answered};
use super::{finish, window_and_client};
use crate::companion::{decide, hunks, write};
use crate::support::{World, snapshot};

const BASE: &str = "a\nb\nc\nd\ne\n";
const PROPOSED: &str = "a\nB\nc\nd\nE\n";

const KEEP: &str = "pollux.hunk.keep";
const REJECT: &str = "pollux.hunk.reject";

fn progress(notice: &Notice) -> bool {
    matches!(notice, Notice::Progress { .. })
}

#[tokio::test]
async fn an_edit_is_decided_hunk_by_hunk_and_what_is_kept_gets_into_the_file() {
    let world = World::new();
    let path = write(&world, "x.txt", BASE);
    let (editor, door, mut client) = window_and_client(&world).await;
    let edit = json!({ "path": "x.txt", "text": PROPOSED });
    let proposed = client.call("propose_edit", edit).await;
    assert_eq!(
        (&proposed["path"], &proposed["hunks"]),
        (&json!("x.txt"), &json!(2))
    );
    let id = json!({ "id": proposed["id"] });
    let shown = hunks(&editor, 2).await;
    assert_eq!(shown["hunks"][0]["state"], "proposed");
    // Nothing is written before somebody says so, and a client sees what waits.
    assert_eq!(fs::read_to_string(&path).unwrap(), BASE);
    let pending = client
        .call("pending_hunks", json!({ "path": "x.txt" }))
        .await;
    assert_eq!(pending["files"][0]["hunks"][0]["state"], "proposed");
    assert_eq!(pending["files"][0]["hunks"][0]["added"], "B\n");
    let waiting = client.begin("wait_for_decision", id.clone()).await;
    let first = client.notice(progress).await;
    assert_eq!(
        first,
        Notice::Progress {
            progress: 0.0,
            total: 2.0
        }
    );
    // Whoever waits keeps nobody else from being answered.
    client.call("open_files", json!({})).await;
    let at_once = json!({ "id": proposed["id"], "timeout_seconds": 0 });
    let state = client.call("wait_for_decision", at_once).await;
    assert_eq!(
        (&state["state"], &state["open"]),
        (&json!("waiting"), &json!(2))
    );
    decide(&editor, KEEP, &shown, 0).await;
    let is_one =
        |notice: &Notice| matches!(notice, Notice::Progress { progress, .. } if *progress >= 1.0);
    client.notice(is_one).await;
    let shown = hunks(&editor, 1).await;
    decide(&editor, REJECT, &shown, 0).await;
    let outcome =
        json!({ "state": "kept_in_part", "kept": 1, "rejected": 1, "open": 0, "note": null });
    assert_eq!(answered(waiting).await, outcome);
    assert_eq!(fs::read_to_string(&path).unwrap(), "a\nB\nc\nd\ne\n");
    // It is remembered for who asks again.
    assert_eq!(client.call("wait_for_decision", id).await, outcome);
    finish(&world, editor, door, client).await;
}

#[tokio::test]
async fn an_edit_of_an_open_file_goes_through_the_editor() {
    let world = World::new();
    write(&world, "x.txt", "on disk\n");
    let (editor, door, client) = window_and_client(&world).await;
    let uri = world.uri("x.txt");
    editor.open(&uri, "text", BASE).await;
    snapshot(&editor).await;
    let parts = json!([{ "old": "b\n", "new": "B\n" }, { "old": "e\n", "new": "E\n" }]);
    let edit = json!({ "path": "x.txt", "replacements": parts });
    let proposed = client.call("propose_edit", edit).await;
    hunks(&editor, 2).await;
    let waiting = client
        .begin("wait_for_decision", json!({ "id": proposed["id"] }))
        .await;
    let keep = json!({ "command": "pollux.file.keep", "arguments": [{ "uri": uri }] });
    editor
        .request("workspace/executeCommand", keep)
        .await
        .unwrap();
    let (request, _) = editor.expect_request("workspace/applyEdit").await;
    editor.change(&uri, 2, &[TextChange::full(PROPOSED)]).await;
    editor.respond(&request, json!({ "applied": true })).await;
    let outcome = answered(waiting).await;
    assert_eq!(
        (&outcome["state"], &outcome["kept"]),
        (&json!("kept"), &json!(2))
    );
    // The disk is the editor's to write.
    assert_eq!(
        fs::read_to_string(world.work().join("x.txt")).unwrap(),
        "on disk\n"
    );
    finish(&world, editor, door, client).await;
}

#[tokio::test]
async fn a_rejected_edit_leaves_no_trace_and_a_new_file_is_made_only_when_it_is_kept() {
    let world = World::new();
    let (editor, door, client) = window_and_client(&world).await;
    let path = world.work().join("new.txt");
    for (command, state) in [(REJECT, "rejected"), (KEEP, "kept")] {
        let edit = json!({ "path": "new.txt", "text": "new\n" });
        let proposed = client.call("propose_edit", edit).await;
        let shown = hunks(&editor, 1).await;
        assert!(!path.exists());
        decide(&editor, command, &shown, 0).await;
        let outcome = client
            .call("wait_for_decision", json!({ "id": proposed["id"] }))
            .await;
        assert_eq!(outcome["state"], state);
        hunks(&editor, 0).await;
        assert_eq!(path.exists(), state == "kept");
    }
    finish(&world, editor, door, client).await;
}

#[tokio::test]
async fn a_wait_can_be_cancelled_and_the_edit_stays() {
    let world = World::new();
    write(&world, "x.txt", BASE);
    let (editor, door, mut client) = window_and_client(&world).await;
    let edit = json!({ "path": "x.txt", "text": PROPOSED });
    let proposed = client.call("propose_edit", edit).await;
    let shown = hunks(&editor, 2).await;
    // More than may wait at the same time: each gives its place up when it is cancelled.
    for _ in 0..70 {
        let id = json!({ "id": proposed["id"] });
        let waiting = client.begin("wait_for_decision", id).await;
        client.notice(progress).await;
        waiting.cancel(None).await.unwrap();
    }
    decide(&editor, KEEP, &shown, 0).await;
    let shown = hunks(&editor, 1).await;
    decide(&editor, KEEP, &shown, 0).await;
    let outcome = client
        .call("wait_for_decision", json!({ "id": proposed["id"] }))
        .await;
    assert_eq!(outcome["state"], "kept");
    finish(&world, editor, door, client).await;
}

#[tokio::test]
async fn what_cannot_be_proposed_is_refused_with_a_reason() {
    let world = World::new();
    write(&world, "x.txt", BASE);
    let (editor, door, client) = window_and_client(&world).await;
    let cases: [(Value, &str); 6] = [
        (
            json!({ "path": "x.txt", "text": BASE }),
            "the same as before",
        ),
        (json!({ "path": "x.txt" }), "either"),
        (
            json!({ "path": "x.txt", "text": "", "replacements": [] }),
            "either",
        ),
        (
            json!({ "path": "x.txt", "replacements": [{ "old": "z", "new": "" }] }),
            "not in the file",
        ),
        (
            json!({ "path": "x.txt", "replacements": [{ "old": "\n", "new": "" }] }),
            "more than once",
        ),
        (
            json!({ "path": "y.txt", "replacements": [{ "old": "a", "new": "" }] }),
            "no such file",
        ),
    ];
    for (edit, reason) in cases {
        let words = client.refused("propose_edit", edit).await;
        assert!(words.contains(reason), "{words}");
    }
    let words = client
        .refused("wait_for_decision", json!({ "id": "x" }))
        .await;
    assert!(words.contains("no edit by that id"), "{words}");
    for number in 0..32 {
        let edit = json!({ "path": format!("{number}.txt"), "text": "new\n" });
        client.call("propose_edit", edit).await;
    }
    let words = client
        .refused("propose_edit", json!({ "path": "x.txt", "text": "new\n" }))
        .await;
    assert!(words.contains("wait for a decision already"), "{words}");
    finish(&world, editor, door, client).await;
}

#[tokio::test]
async fn crlf_stays_where_a_model_writes_lf() {
    let world = World::new();
    let path = write(&world, "x.txt", "a\r\nb\r\n");
    let (editor, door, client) = window_and_client(&world).await;
    let edit = json!({ "path": "x.txt", "text": "a\nB\n" });
    let proposed = client.call("propose_edit", edit).await;
    let shown = hunks(&editor, 1).await;
    decide(&editor, KEEP, &shown, 0).await;
    client
        .call("wait_for_decision", json!({ "id": proposed["id"] }))
        .await;
    assert_eq!(fs::read_to_string(path).unwrap(), "a\r\nB\r\n");
    finish(&world, editor, door, client).await;
}

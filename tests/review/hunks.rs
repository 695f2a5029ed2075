//! Editors with a plugin: `pollux/hunks` and nothing twice.

use pollux_testkit::fake_editor::{FakeEditor, InitializeOptions};
use serde_json::{Value, json};

use super::{CHANGED, FILES, Scene, on_disk, text};
use crate::support::in_root;
use crate::support::plain::review;
use crate::support::world::kill;

fn plugin_in(root: &str) -> InitializeOptions {
    InitializeOptions {
        capabilities: json!({
            "experimental": { "pollux": { "approvals": true, "hunks": true } },
        }),
        ..in_root(root)
    }
}

/// The next hunks of a file with so many of them.
async fn hunks(editor: &FakeEditor, path: &str, count: usize) -> Value {
    loop {
        let hunks = editor.expect_notification("pollux/hunks").await;
        if hunks["path"] == path && hunks["hunks"].as_array().unwrap().len() == count {
            return hunks;
        }
    }
}

fn command(name: &str, hunks: &Value, index: usize) -> Value {
    let argument = json!({ "uri": hunks["uri"], "revision": hunks["revision"], "index": index });
    json!({ "command": name, "arguments": [argument] })
}

#[tokio::test(flavor = "multi_thread")]
async fn hunks_are_sent_when_they_move_and_a_stale_name_brings_fresh_ones() {
    let scene = Scene::play(plugin_in).await;
    let editor = &scene.talk.editor;
    let before = hunks(editor, "a.txt", 3).await;
    assert_eq!(before["version"], Value::Null);
    assert_eq!(before["uri"], scene.world.uri("a.txt"));
    let first = &before["hunks"][0];
    assert_eq!(first["state"], "pending");
    assert_eq!(first["removed"], "a.txt old 2\n");
    assert_eq!(first["added"], "a.txt new 2\n");
    assert_eq!(first["session"], scene.talk.session.as_str());

    let reject = command("pollux.hunk.reject", &before, 0);
    editor
        .request("workspace/executeCommand", reject.clone())
        .await
        .unwrap();
    let after = hunks(editor, "a.txt", 2).await;
    assert_ne!(after["revision"], before["revision"]);
    let error = editor
        .request("workspace/executeCommand", reject)
        .await
        .unwrap_err();
    assert_eq!(error.code, -32801, "{error}");
    assert_eq!(hunks(editor, "a.txt", 2).await, after);
    assert_eq!(on_disk(&scene.world, "a.txt"), text("a.txt", &[10, 20]));
    // Diagnostics would have gone unread, which fails the test.
    scene.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_new_host_sends_the_hunks_of_the_one_that_died() {
    let scene = Scene::play(plugin_in).await;
    let editor = &scene.talk.editor;
    for name in FILES {
        hunks(editor, name, 3).await;
    }
    let waiting = editor
        .start_request("pollux/snapshot", crate::support::never())
        .await;
    crate::support::snapshot(editor).await;
    kill(scene.world.host());
    waiting.result().await.unwrap_err();
    // What the dead one showed is taken back, and what holds is shown again.
    for name in FILES {
        hunks(editor, name, 0).await;
    }
    for name in FILES {
        hunks(editor, name, 3).await;
    }
    let listed = review(editor).await;
    assert_eq!(listed["files"].as_array().unwrap().len(), 3);
    let again = hunks_of(&listed, "b.txt");
    let reject = command("pollux.hunk.reject", again, 1);
    editor
        .request("workspace/executeCommand", reject)
        .await
        .unwrap();
    assert_eq!(
        on_disk(&scene.world, "b.txt"),
        text("b.txt", &[CHANGED[0], CHANGED[2]])
    );
    scene.end().await;
}

fn hunks_of<'a>(review: &'a Value, path: &str) -> &'a Value {
    let files = review["files"].as_array().unwrap();
    files.iter().find(|file| file["path"] == path).unwrap()
}

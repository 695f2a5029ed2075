//! Editors with a plugin: `pollux/hunks` and nothing twice.

use std::collections::BTreeMap;
use std::fs;

use pollux_testkit::fake_editor::{FakeEditor, InitializeOptions};
use serde_json::{Value, json};

use super::{CHANGED, FILES, Scene, on_disk, text};
use crate::support::in_root;
use crate::support::plain::OpenFile;
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
async fn whoever_comes_late_is_sent_what_is_pending() {
    let scene = Scene::play(plugin_in).await;
    let (late, mut late_door) = scene.world.door(&["lsp"]);
    late.initialize(plugin_in(scene.world.work().to_str().unwrap()))
        .await;
    for name in FILES {
        hunks(&late, name, 3).await;
    }
    late.finish().await;
    assert!(late_door.ended().await.success());
    scene.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_marks_of_a_host_that_died_are_taken_back() {
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
    for name in FILES {
        hunks(editor, name, 0).await;
    }
    // The next host knows the same folder, and has the files as they were.
    crate::support::snapshot(editor).await;
    for name in FILES {
        assert_eq!(on_disk(&scene.world, name), text(name, &CHANGED));
    }
    scene.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_next_host_sends_hunks_anew_and_takes_decisions_about_them() {
    let scene = Scene::play(plugin_in).await;
    let editor = &scene.talk.editor;
    let mut old = Vec::new();
    for name in FILES {
        old.push(hunks(editor, name, 3).await);
    }
    let waiting = editor
        .start_request("pollux/snapshot", crate::support::never())
        .await;
    crate::support::snapshot(editor).await;
    kill(scene.world.host());
    waiting.result().await.unwrap_err();
    crate::support::snapshot(editor).await;
    // They come in any order, and first of all as gone.
    let mut anew = BTreeMap::new();
    while anew.len() < FILES.len() {
        let shown = editor.expect_notification("pollux/hunks").await;
        let path = shown["path"].as_str().unwrap().to_owned();
        match shown["hunks"].as_array().unwrap().len() {
            0 => anew.remove(&path),
            count => {
                assert_eq!(count, 3, "{shown:#}");
                anew.insert(path, shown)
            }
        };
    }
    let run = |command| editor.request("workspace/executeCommand", command);
    // A name of before the crash means nothing any more.
    let stale = run(command("pollux.hunk.reject", &old[0], 0)).await;
    assert_eq!(stale.unwrap_err().code, -32801);
    run(command("pollux.hunk.reject", &anew["a.txt"], 0))
        .await
        .unwrap();
    hunks(editor, "a.txt", 2).await;
    assert_eq!(on_disk(&scene.world, "a.txt"), text("a.txt", &[10, 20]));
    scene.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_that_was_saved_is_saved_again_by_a_client_that_can() {
    let saving = |root: &str| {
        let mut options = plugin_in(root);
        options.capabilities["experimental"]["pollux"]["save"] = json!(true);
        options.capabilities["workspace"] =
            json!({ "applyEdit": true, "workspaceEdit": { "documentChanges": true } });
        options
    };
    let mut scene = Scene::prepare(saving).await;
    let uri = scene.world.uri("a.txt");
    let mut file = OpenFile::open(&scene.talk.editor, &uri, &text("a.txt", &[])).await;
    scene.talk.say("change them").await;
    file.obey(&scene.talk.editor).await;
    let editor = &scene.talk.editor;
    let (id, asked) = editor.expect_request("pollux/save").await;
    assert_eq!(asked, json!({ "uris": [uri] }));
    fs::write(scene.world.work().join("a.txt"), file.buffer.text()).unwrap();
    editor.save(&uri).await;
    editor.respond(&id, Value::Null).await;
    let shown = hunks(editor, "a.txt", 3).await;
    assert_eq!(shown["version"], 2);
    scene.talk.rest_unasked().await;
    assert_eq!(on_disk(&scene.world, "a.txt"), text("a.txt", &CHANGED));
    scene.end().await;
}

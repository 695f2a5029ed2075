//! What is left when a client, an editor or the host goes.

use std::fs;

use rustix::process::Pid;
use serde_json::json;

use super::client::{Client, Notice, answered};
use super::following::follow;
use super::{finish, window_and_client};
use crate::companion::{decide, hunks, write};
use crate::support::plain::pending_in;
use crate::support::scripted_editor::{changed, rewrites};
use crate::support::talk::{Talk, model, says};
use crate::support::world::{kill, kill_host};
use crate::support::{World, snapshot};

#[tokio::test]
async fn a_client_that_dies_takes_its_door_along_but_not_its_edits() {
    let world = World::new();
    let path = write(&world, "x.txt", "old\n");
    let (editor, mut door, client) = window_and_client(&world).await;
    let edit = json!({ "path": "x.txt", "text": "new\n" });
    let proposed = client.call("propose_edit", edit).await;
    let shown = hunks(&editor, 1).await;
    client.die().await;
    // The same when it is the door that is killed.
    let client = Client::start(&world, &["mcp"]).await;
    let pid = Pid::from_raw(client.pid().try_into().unwrap()).unwrap();
    kill(pid);
    client.die().await;
    // The person decides in their own time, and who comes later can ask.
    decide(&editor, "pollux.hunk.keep", &shown, 0).await;
    hunks(&editor, 0).await;
    let client = Client::start(&world, &["mcp"]).await;
    let id = json!({ "id": proposed["id"] });
    let outcome = client.call("wait_for_decision", id).await;
    assert_eq!(outcome["state"], "kept");
    assert_eq!(fs::read_to_string(path).unwrap(), "new\n");
    client.finish().await;
    editor.finish().await;
    assert!(door.ended().await.success());
    world.expect_no_process_left().await;
}

#[tokio::test]
async fn a_folder_that_is_not_there_is_said_at_once() {
    let world = World::new();
    for arguments in [
        ["mcp", "--folder", "nowhere"],
        ["mcp", "--http", "--folder=nowhere"],
    ] {
        let output = world.pollux(&arguments).output().await.unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{said}");
        let wanted = format!(
            "pollux: {} is no folder\n",
            world.work().join("nowhere").display()
        );
        assert_eq!(said, wanted);
    }
    world.expect_no_process_left().await;
}

#[tokio::test]
async fn when_the_last_editor_goes_an_open_edit_is_withdrawn() {
    let world = World::new();
    write(&world, "x.txt", "old\n");
    let (editor, mut door, client) = window_and_client(&world).await;
    let edit = json!({ "path": "x.txt", "text": "new\n" });
    let proposed = client.call("propose_edit", edit).await;
    hunks(&editor, 1).await;
    let waiting = client
        .begin("wait_for_decision", json!({ "id": proposed["id"] }))
        .await;
    editor.finish().await;
    assert!(door.ended().await.success());
    assert_eq!(answered(waiting).await["state"], "withdrawn");
    client.refused("open_files", json!({})).await;
    client.finish().await;
    world.expect_no_process_left().await;
}

#[tokio::test]
async fn a_host_that_is_killed_is_replaced_and_what_is_followed_is_followed_again() {
    let world = World::new();
    write(&world, "a.txt", "one\n");
    let (editor, door, mut client) = window_and_client(&world).await;
    editor.open(&world.uri("a.txt"), "text", "one\n").await;
    snapshot(&editor).await;
    let uri = "pollux://file/a.txt";
    follow(&client, uri).await;
    let edit = json!({ "path": "a.txt", "text": "new\n" });
    let proposed = client.call("propose_edit", edit).await;
    let call = client
        .begin("wait_for_decision", json!({ "id": proposed["id"] }))
        .await;
    client.call("pending_hunks", json!({})).await;
    kill_host(&world).await;
    // What was asked is not answered any more, and that is said.
    let error = call.await_response().await.unwrap_err().to_string();
    assert!(error.contains("the host ended"), "{error}");
    let updated = |notice: &Notice| *notice == Notice::Updated(uri.to_owned());
    client.notice(updated).await;
    // The editor comes back by itself too.
    while client.call_raw("open_files", json!({})).await.is_error == Some(true) {
        editor.request("pollux/snapshot", json!({})).await.ok();
    }
    assert_eq!(client.read(uri).await.unwrap(), "one\n");
    let two = [pollux_testkit::TextChange::full("two\n")];
    editor.change(&world.uri("a.txt"), 2, &two).await;
    client.notice(updated).await;
    while client.read(uri).await.unwrap() != "two\n" {
        client.notice(updated).await;
    }
    editor.ignore("pollux/hunks");
    finish(&world, editor, door, client).await;
}

#[tokio::test]
async fn an_edit_that_waits_for_its_person_ends_with_its_host_and_its_file_stays() {
    let world = World::new();
    let path = write(&world, "x.txt", "old\n");
    let (editor, door, client) = window_and_client(&world).await;
    for _ in 0..2 {
        let edit = json!({ "path": "x.txt", "text": "new\n" });
        let proposed = client.call("propose_edit", edit).await;
        hunks(&editor, 1).await;
        let id = json!({ "id": proposed["id"] });
        let call = client.begin("wait_for_decision", id.clone()).await;
        client.call("pending_hunks", json!({})).await;
        kill_host(&world).await;
        let error = call.await_response().await.unwrap_err().to_string();
        assert!(error.contains("the host ended"), "{error}");
        // The editor does not show it any more, and the next host knows nothing of it.
        hunks(&editor, 0).await;
        let refused = client.refused("wait_for_decision", id).await;
        assert!(refused.contains("there is no edit by that id"), "{refused}");
        assert_eq!(fs::read_to_string(&path).unwrap(), "old\n");
        // The editor comes back by itself.
        while client.call_raw("open_files", json!({})).await.is_error == Some(true) {
            editor.request("pollux/snapshot", json!({})).await.ok();
        }
    }
    // Nothing of what was before is in the way of the next edit.
    let edit = json!({ "path": "x.txt", "text": "newer\n" });
    let proposed = client.call("propose_edit", edit).await;
    let shown = hunks(&editor, 1).await;
    decide(&editor, "pollux.hunk.keep", &shown, 0).await;
    let outcome = client.call("wait_for_decision", json!({ "id": proposed["id"] }));
    assert_eq!(outcome.await["state"], "kept");
    assert_eq!(fs::read_to_string(&path).unwrap(), "newer\n");
    finish(&world, editor, door, client).await;
}

#[tokio::test]
async fn hunks_that_wait_are_told_by_the_next_host_too() {
    let world = World::new();
    fs::write(world.work().join("a.txt"), changed("a.txt", &[])).unwrap();
    let server = model([rewrites("a.txt"), says("Done.")]).await;
    let mut talk = Talk::start(&world, &server).await;
    talk.ask("pollux/modeSet", json!({ "mode": "autoEdit" }))
        .await;
    talk.say("edit it").await;
    talk.rest_unasked().await;
    let client = Client::start(&world, &["mcp"]).await;
    let before = client.call("pending_hunks", json!({})).await;
    assert_eq!(before["files"][0]["hunks"].as_array().unwrap().len(), 3);
    for _ in 0..2 {
        kill_host(&world).await;
        pending_in(&talk.editor, "a.txt", 3).await;
        assert_eq!(client.call("pending_hunks", json!({})).await, before);
    }
    let text = fs::read_to_string(world.work().join("a.txt")).unwrap();
    assert_eq!(text, changed("a.txt", &[2, 10, 20]));
    client.finish().await;
    talk.close().await;
    world.expect_no_process_left().await;
}

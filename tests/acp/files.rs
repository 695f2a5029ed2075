//! Files that the client holds: read with what is not saved, and written by the client.

use std::fs;

use agent_client_protocol::Error;
use agent_client_protocol::v1::schema::{SetSessionModeRequest, StopReason, ToolCallStatus};
use pollux_testkit::scripted_model::{Reply, ScriptedModel};
use serde_json::json;
use tokio::time::timeout;

use super::client::{Client, PATIENCE};
use super::desk::{Desk, Ways, Writes};
use crate::companion::{finish, hunks, window};
use crate::support::World;
use crate::support::talk::{calls, model, returned, says};

fn reads(name: &str) -> Reply {
    calls("read_file", json!({ "file_path": name }))
}

fn writes(name: &str, text: &str) -> Reply {
    calls("write_file", json!({ "file_path": name, "content": text }))
}

/// A client with files, and a session in which nobody is asked.
async fn at_work(world: &World, server: &ScriptedModel, ways: Ways) -> (Client, String) {
    let client = Client::start_at(world, server, Desk::new(ways).0).await;
    let session = client.session(world).await;
    let mode = SetSessionModeRequest::new(session.clone(), "yolo".to_owned());
    client.call(mode).await.unwrap();
    (client, session)
}

#[tokio::test(flavor = "multi_thread")]
async fn what_the_client_has_not_saved_is_what_tools_read() {
    let world = World::new();
    let path = world.work().join("a.txt");
    fs::write(&path, "on the disk\n").unwrap();
    let search = calls("grep_search", json!({ "pattern": "not saved" }));
    let server = model([reads("a.txt"), says("read"), search, says("found")]).await;
    let (client, session) = at_work(&world, &server, Ways::default()).await;
    client.desk.types(&path, "not saved\n");
    client.say(&session, "read").reason().await;
    let read = returned(&server);
    assert!(
        read.contains("not saved") && !read.contains("on the disk"),
        "{read}"
    );
    client.say(&session, "search").reason().await;
    let found = returned(&server);
    assert!(found.contains("a.txt"), "{found}");
    client.finish().await;
    world.expect_no_process_left().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_edit_is_written_by_the_client_and_by_nobody_else() {
    let world = World::new();
    let path = world.work().join("a.txt");
    fs::write(&path, "one\ntwo\n").unwrap();
    let edit = json!({ "file_path": "a.txt", "instruction": "x", "old_string": "one", "new_string": "ONE" });
    let server = model([
        calls("replace", edit),
        says("done"),
        reads("a.txt"),
        says("read"),
    ])
    .await;
    let ways = Ways {
        writes: Writes::ToBuffer,
        ..Ways::default()
    };
    let (mut client, session) = at_work(&world, &server, ways).await;
    // The edit is made of what the person has typed, and takes none of it away.
    client.desk.types(&path, "one\ntwo\ntyped\n");
    client.say(&session, "edit").reason().await;
    assert_eq!(
        client.call_ended().await.status,
        Some(ToolCallStatus::Completed)
    );
    let written = vec![(path.clone(), "ONE\ntwo\ntyped\n".to_owned())];
    assert_eq!(client.desk.written(), written);
    assert_eq!(fs::read_to_string(&path).unwrap(), "one\ntwo\n");
    client.say(&session, "read").reason().await;
    let read = returned(&server);
    assert!(read.contains("ONE\ntwo\ntyped"), "{read}");
    client.finish().await;
    world.expect_no_process_left().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_formatter_makes_of_an_edit_is_what_follows_go_by() {
    let world = World::new();
    let path = world.work().join("a.txt");
    fs::write(&path, "one;\n").unwrap();
    let edit = json!({ "file_path": "a.txt", "instruction": "x", "old_string": "two;", "new_string": "three" });
    let script = [
        writes("a.txt", "one\ntwo\n"),
        calls("replace", edit),
        reads("a.txt"),
        says("done"),
    ];
    let server = model(script).await;
    let ways = Ways {
        format: semicolons,
        ..Ways::default()
    };
    let (client, session) = at_work(&world, &server, ways).await;
    assert_eq!(
        client.say(&session, "edit").reason().await,
        StopReason::EndTurn
    );
    let texts: Vec<String> = client
        .desk
        .written()
        .into_iter()
        .map(|(_, text)| text)
        .collect();
    assert_eq!(texts, ["one\ntwo\n", "one;\nthree\n"]);
    assert_eq!(fs::read_to_string(&path).unwrap(), "one;\nthree;\n");
    let read = returned(&server);
    assert!(read.contains("one;\nthree;"), "{read}");
    client.finish().await;
    world.expect_no_process_left().await;
}

/// A formatter that ends every line with a semicolon.
fn semicolons(text: String) -> String {
    let lines = text.lines().map(|line| line.trim_end_matches(';'));
    lines.map(|line| format!("{line};\n")).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn the_review_shows_what_a_formatter_has_made_of_an_edit_and_no_more() {
    let world = World::new();
    fs::write(world.work().join("a.txt"), "one;\n").unwrap();
    let server = model([writes("a.txt", "one\ntwo\n"), says("done")]).await;
    let (editor, door) = window(&world).await;
    let ways = Ways {
        format: semicolons,
        ..Ways::default()
    };
    let (client, session) = at_work(&world, &server, ways).await;
    let mode = SetSessionModeRequest::new(session.clone(), "autoEdit".to_owned());
    client.call(mode).await.unwrap();
    client.say(&session, "edit").reason().await;
    let shown = hunks(&editor, 1).await;
    // The first line is what it was, though the model had written it otherwise.
    let hunk = &shown["hunks"][0];
    assert_eq!(
        (&hunk["removed"], &hunk["added"]),
        (&json!(""), &json!("two;\n"))
    );
    client.finish().await;
    editor.ignore("pollux/hunks");
    finish(&world, editor, door).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_new_file_is_made_however_the_client_says_that_there_is_none() {
    let by_code: fn() -> Error = || Error::new(-32002, "Resource not found: new/a.txt");
    let by_words: fn() -> Error = || {
        let words = "ENOENT: no such file or directory, open 'new/a.txt'";
        Error::new(-32603, words)
    };
    for missing in [by_code, by_words] {
        let world = World::new();
        let path = world.work().join("new/a.txt");
        let server = model([writes("new/a.txt", "text\n"), says("done")]).await;
        let ways = Ways {
            missing,
            ..Ways::default()
        };
        let (mut client, session) = at_work(&world, &server, ways).await;
        client.say(&session, "write").reason().await;
        assert_eq!(
            client.call_ended().await.status,
            Some(ToolCallStatus::Completed)
        );
        assert_eq!(client.desk.written(), [(path.clone(), "text\n".to_owned())]);
        assert_eq!(fs::read_to_string(&path).unwrap(), "text\n");
        client.finish().await;
        world.expect_no_process_left().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_that_never_writes_does_not_keep_a_turn_from_being_stopped() {
    let world = World::new();
    let path = world.work().join("a.txt");
    fs::write(&path, "one\n").unwrap();
    let server = model([writes("a.txt", "two\n")]).await;
    let (desk, mut ignored) = Desk::new(Ways {
        writes: Writes::Not,
        ..Ways::default()
    });
    let client = Client::start_at(&world, &server, desk).await;
    let session = client.session(&world).await;
    let mode = SetSessionModeRequest::new(session.clone(), "yolo".to_owned());
    client.call(mode).await.unwrap();
    let prompting = client.say(&session, "write");
    let request = timeout(PATIENCE, ignored.recv()).await.unwrap().unwrap();
    client.cancel(&session);
    assert_eq!(prompting.reason().await, StopReason::Cancelled);
    request.cancellation().cancelled().await;
    assert_eq!(fs::read_to_string(&path).unwrap(), "one\n");
    client.finish().await;
    world.expect_no_process_left().await;
}

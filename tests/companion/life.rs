//! When there is a companion, and what is left of it.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use pollux_testkit::fake_editor::InitializeOptions;
use serde_json::json;

use super::agent::{Agent, address, found, found_where, read};
use super::{decide, enter, finish, hunks, rich, window, window_and_agent, write};
use crate::support::World;
use crate::support::world::kill;

#[tokio::test]
async fn it_is_found_by_a_file_that_only_the_user_can_read() {
    let world = World::new();
    let (editor, door) = window(&world).await;
    let found = found_where(&world, |found| found.len() == 1).await;
    let name = found[0].file_name().unwrap().to_str().unwrap();
    let address = read(&found[0]);
    let host = world.host().as_raw_nonzero();
    assert_eq!(
        name,
        format!("gemini-ide-server-{host}-{}.json", address.port)
    );
    assert_eq!(
        address.file["workspacePath"],
        world.work().to_str().unwrap()
    );
    assert_eq!(
        address.file["ideInfo"],
        json!({ "name": "fake-editor", "displayName": "Fake Editor" })
    );
    assert_eq!(
        fs::metadata(&found[0]).unwrap().permissions().mode() & 0o777,
        0o600
    );
    for folder in ["gemini", "gemini/ide"] {
        let mode = fs::metadata(world.tmp().join(folder))
            .unwrap()
            .permissions()
            .mode();
        assert_eq!(mode & 0o777, 0o700);
    }
    // The log of the host does not open it.
    assert!(!world.log().contains(&address.token));
    finish(&world, editor, door).await;
}

#[tokio::test]
async fn terminals_are_told_of_it_and_of_its_folders() {
    let world = World::new();
    let (editor, door) = world.door(&["lsp"]);
    editor.initialize(rich(&world)).await;
    let told = editor.expect_notification("pollux/companion").await;
    let address = address(&world).await;
    assert_eq!(
        told["companion"],
        json!({
            "port": address.port,
            "workspacePath": world.work().to_str().unwrap(),
            "authToken": address.token,
        })
    );
    // Another folder of the same window: the same companion, which now has two.
    let more = world.work().join("more");
    fs::create_dir(&more).unwrap();
    let added = json!({ "event": { "added": [{ "uri": world.uri("more"), "name": "more" }], "removed": [] } });
    editor
        .notify("workspace/didChangeWorkspaceFolders", added)
        .await;
    let told = editor.expect_notification("pollux/companion").await;
    let both = format!("{}:{}", world.work().display(), more.display());
    assert_eq!(told["companion"]["workspacePath"], both);
    assert_eq!(told["companion"]["port"], address.port);
    let written = found_where(&world, |found| {
        found.len() == 1 && read(&found[0]).file["workspacePath"] == both.as_str()
    });
    assert_eq!(read(&written.await[0]).token, address.token);
    // A second window on it is told the same.
    let (other, mut other_door) = world.door(&["lsp"]);
    other.initialize(rich(&world)).await;
    let told = other.expect_notification("pollux/companion").await;
    assert_eq!(told["companion"]["port"], address.port);
    other.finish().await;
    assert!(other_door.ended().await.success());
    finish(&world, editor, door).await;
}

#[tokio::test]
async fn rooms_that_become_one_keep_one_companion() {
    let world = World::new();
    let folders = ["one", "two"].map(|name| {
        let folder = world.work().join(name);
        fs::create_dir(&folder).unwrap();
        folder
    });
    let options = |root: &std::path::Path| InitializeOptions {
        roots: vec![format!("file://{}", root.display())],
        ..rich(&world)
    };
    let (one, mut one_door) = world.door(&["lsp"]);
    one.initialize(options(&folders[0])).await;
    let first = one.expect_notification("pollux/companion").await["companion"]["port"].clone();
    let (two, mut two_door) = world.door(&["lsp"]);
    two.initialize(options(&folders[1])).await;
    let second = two.expect_notification("pollux/companion").await["companion"]["port"].clone();
    assert_ne!(first, second);
    found_where(&world, |found| found.len() == 2).await;
    let added = json!({ "event": { "added": [{ "uri": world.uri("two"), "name": "two" }], "removed": [] } });
    one.notify("workspace/didChangeWorkspaceFolders", added)
        .await;
    let left = found_where(&world, |found| found.len() == 1).await;
    let left = read(&left[0]);
    // Whichever is left, both windows end up with it.
    for editor in [&one, &two] {
        loop {
            let told = editor.expect_notification("pollux/companion").await;
            if told["companion"]["port"] == left.file["port"] {
                break;
            }
        }
    }
    for (editor, door) in [(one, &mut one_door), (two, &mut two_door)] {
        editor.ignore("pollux/companion");
        editor.finish().await;
        assert!(door.ended().await.success());
    }
    world.expect_no_process_left().await;
}

#[tokio::test]
async fn a_person_can_switch_it_off() {
    let world = World::new();
    let (editor, door) = world.door(&["lsp"]);
    let options = InitializeOptions {
        initialization_options: Some(json!({ "companion": { "enabled": false } })),
        ..rich(&world)
    };
    editor.initialize(options).await;
    // Another window of the same room wants it, so by then it would be there.
    let (other, mut other_door) = world.door(&["lsp"]);
    enter(&other, rich(&world)).await;
    let there = address(&world).await;
    other.finish().await;
    assert!(other_door.ended().await.success());
    found_where(&world, <[_]>::is_empty).await;
    assert!(
        tokio::net::TcpStream::connect(("127.0.0.1", there.port))
            .await
            .is_err()
    );
    // The one that does not want it has heard nothing: an unread message would fail this.
    finish(&world, editor, door).await;
}

#[tokio::test]
async fn an_open_edit_is_rejected_when_the_last_window_goes_and_the_stream_ends_politely() {
    let world = World::new();
    let path = write(&world, "x.txt", "a\n");
    let (editor, mut door, mut agent) = window_and_agent(&world).await;
    agent.open_diff(&path, "b\n").await;
    hunks(&editor, 1).await;
    editor.ignore("pollux/hunks");
    editor.finish().await;
    assert!(door.ended().await.success());
    let outcome = agent.outcome().await;
    assert_eq!(
        outcome,
        ("ide/diffRejected".to_owned(), json!({ "filePath": path }))
    );
    assert_eq!(agent.hear().await, None);
    found_where(&world, <[_]>::is_empty).await;
    world.expect_no_process_left().await;
}

#[tokio::test]
async fn an_agent_that_says_goodbye_takes_its_edit_along() {
    let world = World::new();
    let path = write(&world, "x.txt", "a\n");
    let (editor, door, mut agent) = window_and_agent(&world).await;
    agent.open_diff(&path, "b\n").await;
    hunks(&editor, 1).await;
    let gone = agent.address.send("DELETE", &agent.headers(), b"").await;
    assert_eq!(gone.status, 200);
    hunks(&editor, 0).await;
    let again = agent.address.send("DELETE", &agent.headers(), b"").await;
    assert_eq!(again.status, 404);
    finish(&world, editor, door).await;
}

#[tokio::test]
async fn what_hosts_that_were_killed_left_is_removed_and_what_others_left_is_not() {
    let world = World::new();
    let (editor, door) = window(&world).await;
    let left = found_where(&world, |found| found.len() == 1).await;
    kill(world.host());
    drop(door);
    editor.abandon();
    world.expect_no_process_left().await;
    assert_eq!(found(&world), left);
    // Another program's file, of a process that is not there any more either.
    let folder = world.tmp().join("gemini/ide");
    let theirs = folder.join("gemini-ide-server-4194303-1.json");
    fs::write(
        &theirs,
        r#"{"port":1,"workspacePath":"/x","authToken":"y"}"#,
    )
    .unwrap();
    let (editor, mut door) = window(&world).await;
    let found = found_where(&world, |found| {
        !found.contains(&left[0]) && found.len() == 2
    })
    .await;
    assert!(found.contains(&theirs));
    editor.finish().await;
    assert!(door.ended().await.success());
    found_where(&world, |found| found.len() == 1).await;
    assert!(theirs.exists());
    world.expect_no_process_left().await;
}

#[tokio::test]
async fn a_host_that_is_told_to_end_leaves_no_file() {
    let world = World::new();
    let (editor, door) = window(&world).await;
    address(&world).await;
    rustix::process::kill_process(world.host(), rustix::process::Signal::TERM).unwrap();
    found_where(&world, <[_]>::is_empty).await;
    drop(door);
    editor.abandon();
    world.expect_no_process_left().await;
}

#[tokio::test]
async fn all_of_it_works_without_a_shared_host() {
    let world = World::new();
    let path = write(&world, "x.txt", "a\nb\n");
    let (editor, door) = world.door(&["lsp", "--no-share"]);
    enter(&editor, rich(&world)).await;
    let mut agent = Agent::connect(address(&world).await).await;
    agent.open_diff(&path, "a\nB\n").await;
    let shown = hunks(&editor, 1).await;
    decide(&editor, "pollux.hunk.keep", &shown, 0).await;
    assert_eq!(agent.outcome().await.0, "ide/diffAccepted");
    finish(&world, editor, door).await;
}

//! Several doors, one room; and what happens when any of them dies.

use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read, Write};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::process::Stdio;

use pollux_testkit::fake_editor::{InitializeOptions, workspace_folder};
use pollux_testkit::mirror_buffer::{Position, PositionEncoding, TextChange};
use serde_json::{Value, json};
use tokio::io::AsyncWriteExt;
use tokio::process::{Child, Command};

use crate::support::world::{World, expect_end_of, kill};
use crate::support::{in_root, never, snapshot, snapshot_where, text};

fn in_work(world: &World) -> InitializeOptions {
    in_root(world.work().to_str().unwrap())
}

#[tokio::test(flavor = "multi_thread")]
async fn two_doors_see_the_same_document() {
    let world = World::new();
    let uri = world.uri("a.txt");
    let (one, mut first) = world.door(&["lsp"]);
    let (two, mut second) = world.door(&["lsp"]);
    one.initialize(in_work(&world)).await;
    let in_bytes = InitializeOptions {
        position_encodings: vec![PositionEncoding::Utf8],
        ..in_work(&world)
    };
    two.initialize(in_bytes).await;
    one.open(&uri, "plaintext", "häuser\n").await;
    one.change(&uri, 2, &[TextChange::insert(Position::new(0, 6), "!")])
        .await;
    snapshot_where(&two, |now| now["documents"][0]["version"] == 2).await;
    assert_eq!(text(&two, &uri).await, "häuser!\n");
    // Once it has opened the file itself, each editor's own unsaved text is its truth.
    two.open(&uri, "plaintext", "häuser\n").await;
    two.change(&uri, 2, &[TextChange::insert(Position::new(0, 7), "?")])
        .await;
    assert_eq!(text(&two, &uri).await, "häuser?\n");
    assert_eq!(text(&one, &uri).await, "häuser!\n");

    let doctor = doctor(&world).await;
    assert_eq!(
        doctor["host"]["rooms"],
        json!([{ "roots": [world.work()], "doors": 2 }])
    );
    for (editor, door) in [(one, &mut first), (two, &mut second)] {
        editor.finish().await;
        assert!(door.ended().await.success());
    }
    world.expect_no_process_left().await;
}

async fn doctor(world: &World) -> Value {
    let output = world.pollux(&["doctor", "--json"]).output().await.unwrap();
    assert!(output.status.success(), "{output:?}");
    serde_json::from_slice(&output.stdout).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn many_doors_started_at_once_share_one_host() {
    let world = World::new();
    let doors: Vec<_> = (0..8).map(|_| world.door(&["lsp"])).collect();
    for (editor, _) in &doors {
        editor.initialize(in_work(&world)).await;
    }
    world.host();
    let (first, _) = &doors[0];
    assert_eq!(snapshot(first).await["room"]["doors"], 8);
    for (editor, mut door) in doors {
        editor.finish().await;
        assert!(door.ended().await.success());
    }
    world.expect_no_process_left().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_door_that_is_killed_takes_nothing_with_it() {
    let world = World::new();
    let (survivor, mut surviving) = world.door(&["lsp"]);
    let (victim, mut dying) = world.door(&["lsp"]);
    survivor.initialize(in_work(&world)).await;
    victim.initialize(in_work(&world)).await;
    survivor.open(&world.uri("mine"), "plaintext", "mine").await;
    victim.open(&world.uri("its"), "plaintext", "its").await;
    let host = world.host();
    snapshot_where(&survivor, |now| {
        now["documents"].as_array().unwrap().len() == 2
    })
    .await;

    kill(dying.pid());
    dying.ended().await;
    victim.abandon();
    let now = snapshot_where(&survivor, |now| now["room"]["doors"] == 1).await;
    assert_eq!(now["documents"].as_array().unwrap().len(), 1);
    assert_eq!(text(&survivor, &world.uri("mine")).await, "mine");
    assert_eq!(world.host(), host);
    survivor.finish().await;
    surviving.ended().await;
    world.expect_no_process_left().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_host_that_is_killed_loses_nothing() {
    let world = World::new();
    let (one, mut first) = world.door(&["lsp"]);
    let (two, mut second) = world.door(&["lsp"]);
    for editor in [&one, &two] {
        editor.initialize(in_work(&world)).await;
    }
    let (mine, its) = (world.uri("mine"), world.uri("its"));
    one.open(&mine, "plaintext", "emoji 😀\r\n").await;
    one.change(
        &mine,
        7,
        &[TextChange::insert(Position::new(0, 8), " unsaved")],
    )
    .await;
    two.open(&its, "plaintext", "its").await;
    one.notify("pollux/editorState", json!({ "trusted": true }))
        .await;

    for _ in 0..2 {
        let old = world.host();
        let waiting = one.start_request("pollux/snapshot", never()).await;
        // Read behind it, so that the host has it.
        snapshot(&one).await;
        kill(old);
        // Nothing hangs: what the dead host owed is answered.
        let lost = waiting.result().await.unwrap_err();
        assert_eq!(lost.code, -32802, "{lost}");
        let now = snapshot_where(&one, |now| now["room"]["doors"] == 2).await;
        assert_eq!(now["trusted"], true);
        assert_eq!(text(&one, &mine).await, "emoji 😀 unsaved\r\n");
        assert_eq!(text(&two, &its).await, "its");
        assert_ne!(world.host(), old);
    }
    // What is typed afterwards goes on from there.
    one.change(
        &mine,
        8,
        &[TextChange::insert(Position::new(0, 0), "more ")],
    )
    .await;
    assert_eq!(text(&one, &mine).await, "more emoji 😀 unsaved\r\n");
    for (editor, door) in [(one, &mut first), (two, &mut second)] {
        editor.finish().await;
        assert!(door.ended().await.success());
    }
    world.expect_no_process_left().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_editor_that_is_killed_leaves_no_process_behind() {
    let world = World::new();
    // A process that stands for the editor. The pipes are this test's, and stay open.
    let mut process = world
        .command("cat")
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let (editor, mut door) = world.door(&["lsp"]);
    let options = InitializeOptions {
        process_id: process.id(),
        ..in_work(&world)
    };
    editor.initialize(options).await;
    let host = world.host();
    process.kill().await.unwrap();
    door.ended().await;
    expect_end_of(host).await;
    editor.abandon();
    world.expect_no_process_left().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_editor_that_closes_its_pipes_leaves_no_process_behind() {
    let world = World::new();
    let (editor, mut door) = world.door(&["lsp"]);
    editor.initialize(in_work(&world)).await;
    let stuck = editor.start_request("pollux/snapshot", never()).await;
    editor.close_input().await;
    assert_eq!(door.ended().await.code(), Some(1));
    stuck.abandon();
    world.expect_no_process_left().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn folders_added_to_a_window_make_two_rooms_one() {
    let world = World::new();
    let (one, mut first) = world.door(&["lsp"]);
    let (two, mut second) = world.door(&["lsp"]);
    let other = world.home();
    one.initialize(in_work(&world)).await;
    two.initialize(in_root(other.to_str().unwrap())).await;
    two.open("file:///elsewhere", "plaintext", "kept").await;
    // Two doors have no order between them: the file is there before the rooms meet.
    assert_eq!(text(&two, "file:///elsewhere").await, "kept");
    assert_eq!(snapshot(&one).await["room"]["doors"], 1);
    let added = workspace_folder(&format!("file://{}", other.display()));
    let event = |added: Vec<Value>, removed: Vec<Value>| json!({ "event": { "added": added, "removed": removed } });
    one.notify(
        "workspace/didChangeWorkspaceFolders",
        event(vec![added.clone()], vec![]),
    )
    .await;
    let now = snapshot_where(&one, |now| now["room"]["doors"] == 2).await;
    assert_eq!(now["room"]["roots"].as_array().unwrap().len(), 2);
    assert_eq!(text(&one, "file:///elsewhere").await, "kept");
    one.notify(
        "workspace/didChangeWorkspaceFolders",
        event(vec![], vec![added]),
    )
    .await;
    two.finish().await;
    second.ended().await;
    snapshot_where(&one, |now| {
        now["room"]["roots"].as_array().unwrap().len() == 1
    })
    .await;
    one.finish().await;
    first.ended().await;
    world.expect_no_process_left().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_link_to_a_folder_is_the_same_room() {
    let world = World::new();
    let link = world.home().join("link");
    std::os::unix::fs::symlink(world.work(), &link).unwrap();
    let (one, mut first) = world.door(&["lsp"]);
    let (two, mut second) = world.door(&["lsp"]);
    one.initialize(in_work(&world)).await;
    two.initialize(in_root(link.to_str().unwrap())).await;
    assert_eq!(snapshot(&one).await["room"]["doors"], 2);
    for (editor, door) in [(one, &mut first), (two, &mut second)] {
        editor.finish().await;
        door.ended().await;
    }
    world.expect_no_process_left().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_upgrade_under_a_running_editor_costs_it_nothing() {
    let world = World::new();
    let program = world.home().join("pollux");
    std::fs::copy(env!("CARGO_BIN_EXE_pollux"), &program).unwrap();
    let mut command = world.command(&program);
    command.arg("lsp");
    let (editor, mut door) = World::start(command);
    editor.initialize(in_work(&world)).await;
    let uri = world.uri("a.txt");
    editor.open(&uri, "plaintext", "unsaved").await;
    snapshot(&editor).await;
    // The package manager puts another program in its place, and the host dies.
    std::fs::remove_file(&program).unwrap();
    std::fs::write(&program, "#!/bin/sh\nexit 1\n").unwrap();
    let waiting = editor.start_request("pollux/snapshot", never()).await;
    // Read behind it, so that the host has it.
    snapshot(&editor).await;
    kill(world.host());
    waiting.result().await.unwrap_err();
    assert_eq!(text(&editor, &uri).await, "unsaved");
    editor.finish().await;
    assert!(door.ended().await.success());
    world.expect_no_process_left().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_host_that_keeps_dying_is_not_restarted_for_ever() {
    let world = World::new();
    let (editor, mut door) = world.door(&["lsp"]);
    editor.initialize(in_work(&world)).await;
    for _ in 0..5 {
        let waiting = editor.start_request("pollux/snapshot", never()).await;
        snapshot(&editor).await;
        kill(world.host());
        waiting.result().await.unwrap_err();
        // The next host has been told everything once it answers.
        snapshot(&editor).await;
    }
    kill(world.host());
    assert_eq!(door.ended().await.code(), Some(1));
    editor.abandon();
    world.expect_no_process_left().await;
}

/// Editors use pipes, Node uses sockets, and people use files.
#[tokio::test(flavor = "multi_thread")]
async fn a_door_answers_over_whatever_its_client_gives_it() {
    let world = World::new();
    let hello = json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": { "protocolVersion": 1 } });
    let hello = format!("{hello}\n");
    let door = |input: Stdio, output: Stdio| {
        let mut door = world.pollux(&["acp"]);
        door.stdin(input).stdout(output);
        door
    };

    let (mut client, input) = UnixStream::pair().unwrap();
    let (answers, output) = UnixStream::pair().unwrap();
    let over_sockets = spawned(door(
        OwnedFd::from(input).into(),
        OwnedFd::from(output).into(),
    ));
    client.write_all(hello.as_bytes()).unwrap();
    let answers = answered(answers).await;
    assert_eq!(answers["result"]["protocolVersion"], 1);
    drop(client);
    assert!(
        over_sockets
            .wait_with_output()
            .await
            .unwrap()
            .status
            .success()
    );

    // Whoever reads both from one pipe is not told to come back later.
    let (answers, output) = std::io::pipe().unwrap();
    let mut mixed = door(Stdio::piped(), output.try_clone().unwrap().into());
    let mut mixed = spawned({
        mixed.stderr(output);
        mixed
    });
    mixed
        .stdin
        .as_mut()
        .unwrap()
        .write_all(hello.as_bytes())
        .await
        .unwrap();
    let answers = answered(answers).await;
    assert_eq!(answers["result"]["protocolVersion"], 1);
    assert!(mixed.wait_with_output().await.unwrap().status.success());

    let (asked, told) = (world.work().join("asked"), world.work().join("told"));
    fs::write(&asked, &hello).unwrap();
    let file = door(
        File::open(&asked).unwrap().into(),
        File::create(&told).unwrap().into(),
    );
    assert!(
        spawned(file)
            .wait_with_output()
            .await
            .unwrap()
            .status
            .success()
    );
    let told: Value = serde_json::from_slice(&fs::read(&told).unwrap()).unwrap();
    assert_eq!(told["result"]["protocolVersion"], 1);
    world.expect_no_process_left().await;
}

/// The command goes with its copies of the ends.
fn spawned(mut command: Command) -> Child {
    command.spawn().unwrap()
}

async fn answered(answers: impl Read + Send + 'static) -> Value {
    let line = tokio::task::spawn_blocking(move || {
        let mut line = String::new();
        BufReader::new(answers).read_line(&mut line).unwrap();
        line
    });
    serde_json::from_str(&line.await.unwrap()).unwrap()
}

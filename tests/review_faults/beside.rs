//! A second process beside a host that has the record.

use std::fs;

use pollux_testkit::scripted_model::{Call, Reply};
use pollux_testkit::{Position, Range, TextChange};
use serde_json::json;

use super::{editor, end, left_over, rounds, run_command, run_writes, writes};
use crate::support::plain::{OpenFile, pending_in, plain_in};
use crate::support::talk::{Talk, calls, model, runs, says, told, with_model};
use crate::support::world::World;

#[tokio::test(flavor = "multi_thread")]
async fn an_edit_of_a_run_beside_an_editor_is_in_its_review_and_can_be_undone() {
    let world = World::new();
    let (editor, door) = editor(&world).await;
    for round in 0..rounds(8, 100) {
        let name = format!("f{round}.txt");
        let file = world.work().join(&name);
        let old = format!("old {round}\n");
        fs::write(&file, &old).unwrap();
        let new = format!("new {round}\n");
        let output = run_writes(&world, &name, &new).await;
        assert_eq!(output.status.code(), Some(0), "{output:?}");
        assert_eq!(fs::read_to_string(&file).unwrap(), new);
        pending_in(&editor, &name, 1).await;
        if round % 2 == 0 {
            let undone = world.pollux(&["undo", "--turn"]).output().await.unwrap();
            assert_eq!(undone.status.code(), Some(0), "{undone:?}");
            assert_eq!(fs::read_to_string(&file).unwrap(), old);
            pending_in(&editor, &name, 0).await;
        }
    }
    assert_eq!(left_over(&world), Vec::<String>::new());
    end(&world, editor, door).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_edits_an_open_file_through_its_editor_and_reads_what_was_typed() {
    let world = World::new();
    fs::write(world.work().join("a.txt"), "one\ntwo\n").unwrap();
    let (editor, door) = editor(&world).await;
    let mut file = OpenFile::open(&editor, &world.uri("a.txt"), "one\ntwo\n").await;
    let typed = TextChange {
        range: Some(Range {
            start: Position::new(0, 0),
            end: Position::new(0, 3),
        }),
        text: "typed".to_owned(),
    };
    file.edit(&editor, typed).await;
    let server = model([
        calls(
            "replace",
            json!({
                "file_path": "a.txt", "instruction": "x",
                "old_string": "typed\ntwo", "new_string": "typed\nTWO",
            }),
        ),
        says("done"),
    ])
    .await;
    let run = tokio::spawn(run_command(&world, &server).output());
    file.obey(&editor).await;
    let output = run.await.unwrap().unwrap();
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert_eq!(file.buffer.text(), "typed\nTWO\n");
    pending_in(&editor, "a.txt", 1).await;
    // What the person has not saved is still theirs to save.
    let on_disk = fs::read_to_string(world.work().join("a.txt")).unwrap();
    assert_eq!(on_disk, "one\ntwo\n");
    end(&world, editor, door).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_command_of_a_run_changed_is_in_the_review_of_the_editor() {
    let world = World::new();
    fs::write(world.work().join("a.txt"), "old\n").unwrap();
    let (editor, door) = editor(&world).await;
    let server = model([runs("echo new > a.txt"), says("done")]).await;
    let mut command = world.pollux(&["run", "--skip-trust", "--yolo", "-p", "change it"]);
    with_model(&mut command, &server);
    let output = command.output().await.unwrap();
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    pending_in(&editor, "a.txt", 1).await;
    end(&world, editor, door).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_editor_that_comes_while_a_run_works_sees_all_of_it() {
    let world = World::new();
    for name in ["a.txt", "b.txt"] {
        fs::write(world.work().join(name), "old\n").unwrap();
    }
    let second = Call::new(
        "write_file",
        json!({ "file_path": "b.txt", "content": "new\n" }),
    );
    let server = model([
        writes("a.txt", "new\n"),
        Reply::new().gate("editor").call(second).finish("STOP"),
        says("done"),
    ])
    .await;
    let run = tokio::spawn(run_command(&world, &server).output());
    server.gate_reached("editor").await;
    let (editor, door) = editor(&world).await;
    pending_in(&editor, "a.txt", 1).await;
    server.open_gate("editor");
    let output = run.await.unwrap().unwrap();
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    pending_in(&editor, "b.txt", 1).await;
    let undone = world.pollux(&["undo", "--turn"]).output().await.unwrap();
    assert_eq!(undone.status.code(), Some(0), "{undone:?}");
    for name in ["a.txt", "b.txt"] {
        let text = fs::read_to_string(world.work().join(name)).unwrap();
        assert_eq!(text, "old\n", "{name}");
    }
    end(&world, editor, door).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_second_host_makes_no_edit_that_it_cannot_record_and_takes_over_when_the_first_ends() {
    let world = World::new();
    for name in ["a.txt", "b.txt"] {
        fs::write(world.work().join(name), "old\n").unwrap();
    }
    let (editor, mut door) = editor(&world).await;
    let output = run_writes(&world, "a.txt", "new\n").await;
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    pending_in(&editor, "a.txt", 1).await;

    let server = model([
        writes("b.txt", "first\n"),
        says("it was refused"),
        writes("b.txt", "second\n"),
        says("done"),
    ])
    .await;
    let mut alone = world.pollux(&["lsp", "--no-share"]);
    with_model(&mut alone, &server);
    let options = plain_in(world.work().to_str().unwrap());
    let mut talk = Talk::start_with(options, World::start_trusting(alone)).await;
    talk.ask("pollux/modeSet", json!({ "mode": "autoEdit" }))
        .await;
    talk.say("change it").await;
    talk.rest_unasked().await;
    let told = told(&server, 2);
    assert!(told.contains("cannot be recorded"), "{told}");
    assert!(told.contains("has the review record open"), "{told}");
    assert_eq!(
        fs::read_to_string(world.work().join("b.txt")).unwrap(),
        "old\n"
    );
    let message = talk.editor.expect_notification("window/showMessage").await;
    let message = message["message"].as_str().unwrap();
    assert!(message.contains("cannot edit files"), "{message}");

    editor.abandon();
    door.ended().await;
    pending_in(&talk.editor, "a.txt", 1).await;
    talk.say("once more").await;
    talk.rest_unasked().await;
    assert_eq!(
        fs::read_to_string(world.work().join("b.txt")).unwrap(),
        "second\n"
    );
    pending_in(&talk.editor, "b.txt", 1).await;
    talk.close().await;
    world.expect_no_process_left().await;
}

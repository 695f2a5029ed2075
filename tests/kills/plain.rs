//! An editor that knows nothing of Pollux: diagnostics, code actions and messages.

use std::fs;

use pollux_testkit::fake_editor::InitializeOptions;
use pollux_testkit::scripted_model::Reply;
use serde_json::json;

use super::{is_end, is_interruption, transcript, until};
use crate::support::plain::{Marks, choose, pending_in, plain_in};
use crate::support::scripted_editor::{changed, rewrites};
use crate::support::talk::{Talk, door, model, runs, says};
use crate::support::world::{World, kill_host};
use crate::support::{in_root, text};

fn without_a_view(world: &World) -> InitializeOptions {
    in_root(world.work().to_str().unwrap())
}

#[tokio::test(flavor = "multi_thread")]
async fn its_documents_are_known_after_two_kills() {
    let world = World::new();
    let server = model([says("one")]).await;
    let talk = Talk::start_with(without_a_view(&world), door(&world, &server)).await;
    let uri = world.uri("a.txt");
    talk.editor.open(&uri, "plaintext", "as it is typed").await;
    for _ in 0..2 {
        assert_eq!(text(&talk.editor, &uri).await, "as it is typed");
        kill_host(&world).await;
    }
    assert_eq!(text(&talk.editor, &uri).await, "as it is typed");
    talk.say("first").await;
    let mut talk = talk;
    until(&mut talk, Vec::new(), is_end).await;
    talk.close().await;
    world.expect_no_process_left().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_question_is_taken_away_with_its_host_and_a_late_answer_allows_nothing() {
    let world = World::new();
    let server = model([runs("touch made"), runs("touch made2"), says("Then not.")]).await;
    let mut talk = Talk::start_with(without_a_view(&world), door(&world, &server)).await;
    talk.say("make it").await;
    let asked = "window/showMessageRequest";
    let (late, _) = talk.editor.expect_request(asked).await;
    kill_host(&world).await;
    let cancelled = talk.editor.expect_notification("$/cancelRequest").await;
    assert_eq!(cancelled, json!({ "id": late }));
    let told = talk.editor.expect_notification("window/showMessage").await;
    assert_eq!(
        told["message"],
        "Pollux was restarted, and its question is closed: nothing was run or changed."
    );
    until(&mut talk, Vec::new(), is_interruption).await;
    // The next question is another one: the answer to the first is none to it.
    talk.say("again").await;
    let (id, _) = talk.editor.expect_request(asked).await;
    assert_ne!(id, late);
    talk.editor
        .respond(&late, json!({ "title": "Allow" }))
        .await;
    talk.editor.respond(&id, json!({ "title": "Deny" })).await;
    until(&mut talk, Vec::new(), |event| {
        is_end(event) && event["outcome"] == "completed"
    })
    .await;
    assert!(!world.work().join("made").exists());
    assert!(!world.work().join("made2").exists());
    talk.close().await;
    world.expect_no_process_left().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_that_is_cut_off_is_told_and_the_session_goes_on() {
    let world = World::new();
    let half = Reply::text("half").gate("never").finish("STOP");
    let server = model([half, says("whole")]).await;
    let mut talk = Talk::start_with(without_a_view(&world), door(&world, &server)).await;
    talk.say("first").await;
    let shown = until(&mut talk, Vec::new(), |event| event["kind"] == "text").await;
    kill_host(&world).await;
    let shown = until(&mut talk, shown, is_interruption).await;
    talk.say("second").await;
    let shown = until(&mut talk, shown, is_end).await;
    let expected = [
        "> first",
        "half",
        "= interrupted",
        "> second",
        "whole",
        "= completed",
    ];
    assert_eq!(transcript(&shown), expected);
    talk.close().await;
    world.expect_no_process_left().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn marks_of_hunks_that_wait_come_back_and_are_decided() {
    let world = World::new();
    fs::write(world.work().join("a.txt"), changed("a.txt", &[])).unwrap();
    let server = model([rewrites("a.txt"), says("Done.")]).await;
    let options = plain_in(world.work().to_str().unwrap());
    let mut talk = Talk::start_with(options, door(&world, &server)).await;
    talk.ask("pollux/modeSet", json!({ "mode": "autoEdit" }))
        .await;
    talk.say("edit it").await;
    talk.rest_unasked().await;
    let uri = world.uri("a.txt");
    let mut marks = Marks::default();
    for _ in 0..2 {
        marks
            .until(&talk.editor, |marks| marks.of(&uri).len() == 3)
            .await;
        kill_host(&world).await;
        marks
            .until(&talk.editor, |marks| marks.of(&uri).is_empty())
            .await;
    }
    marks
        .until(&talk.editor, |marks| marks.of(&uri).len() == 3)
        .await;
    choose(&talk.editor, &uri, 2, "Pollux: Keep this hunk").await;
    pending_in(&talk.editor, "a.txt", 2).await;
    choose(&talk.editor, &uri, 10, "Pollux: Reject all in this file").await;
    pending_in(&talk.editor, "a.txt", 0).await;
    let on_disk = fs::read_to_string(world.work().join("a.txt")).unwrap();
    assert_eq!(on_disk, changed("a.txt", &[2]));
    talk.close().await;
    world.expect_no_process_left().await;
}

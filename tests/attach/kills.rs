//! The host of a window is killed: whatever the session is at, the window goes on and shows what is recorded.

use std::fs;

use pollux_testkit::scripted_model::Reply;
use serde_json::json;

use super::{CTRL_C, CTRL_D, IDLE, attach};
use crate::support::World;
use crate::support::plain::{pending_in, run};
use crate::support::scripted_editor::{changed, rewrites};
use crate::support::talk::{Talk, model, runs, says};
use crate::support::world::kill_host;

#[tokio::test(flavor = "multi_thread")]
async fn a_window_in_which_nothing_runs_goes_on_after_two_kills() {
    let world = World::new();
    let server = model([says("one"), says("two")]).await;
    let mut talk = Talk::start(&world, &server).await;
    talk.say("first").await;
    talk.rest_unasked().await;
    let mut window = attach(&world, &server, &["1"]);
    window.shows(IDLE).await;
    talk.close().await;
    kill_host(&world).await;
    window.shows("The host was restarted").await;
    // The second host may die before the window has heard anything of it.
    world.host_is_there().await;
    kill_host(&world).await;
    window.shows(IDLE).await;
    window.type_keys("second\r");
    let screen = window.shows("two").await;
    // What was known is not told again.
    assert_eq!(screen.matches("▌ first").count(), 1, "{screen}");
    window.shows(IDLE).await;
    window.type_keys(CTRL_D);
    window.ended().await;
    world.expect_no_process_left().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_turn_that_was_interrupted_is_continued_by_a_letter() {
    let world = World::new();
    let server = model([
        says("one"),
        Reply::text("half \n").gate("never").finish("STOP"),
        says("the other half"),
        says("a letter"),
    ])
    .await;
    let mut talk = Talk::start(&world, &server).await;
    talk.say("first").await;
    talk.rest_unasked().await;
    let mut window = attach(&world, &server, &["1"]);
    window.shows(IDLE).await;
    talk.close().await;
    window.type_keys("second\r");
    window.shows("half").await;
    kill_host(&world).await;
    window.shows("Interrupted: Pollux exited").await;
    window.shows("c continues").await;
    window.type_keys("c\r");
    window.shows("▌ Continue where you were interrupted.").await;
    window.shows("the other half").await;
    window.hides("c continues").await;
    // Without an interrupted turn it is a prompt like any other.
    window.type_keys("c\r");
    window.shows("▌ c\n").await;
    window.shows("a letter").await;
    window.type_keys(CTRL_C);
    window.ended().await;
    world.expect_no_process_left().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_open_question_goes_with_its_host_and_nothing_runs_or_changes() {
    let world = World::new();
    fs::write(world.work().join("a.txt"), changed("a.txt", &[])).unwrap();
    let server = model([says("one"), runs("touch made"), rewrites("a.txt")]).await;
    let mut talk = Talk::start(&world, &server).await;
    talk.say("first").await;
    talk.rest_unasked().await;
    let mut window = attach(&world, &server, &["1"]);
    window.shows(IDLE).await;
    talk.close().await;
    for (prompt, question) in [("make it", "y once"), ("edit it", "y keep")] {
        window.type_keys(&format!("{prompt}\r"));
        window.shows(question).await;
        kill_host(&world).await;
        window.hides(question).await;
        window.shows("c continues").await;
    }
    assert!(!world.work().join("made").exists());
    let text = fs::read_to_string(world.work().join("a.txt")).unwrap();
    assert_eq!(text, changed("a.txt", &[]));
    window.type_keys(CTRL_D);
    window.ended().await;
    world.expect_no_process_left().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn hunks_that_wait_outlive_the_host_beside_a_window() {
    let world = World::new();
    fs::write(world.work().join("a.txt"), changed("a.txt", &[])).unwrap();
    let server = model([rewrites("a.txt"), says("Done so far."), says("two")]).await;
    let mut talk = Talk::start(&world, &server).await;
    talk.ask("pollux/modeSet", json!({ "mode": "autoEdit" }))
        .await;
    talk.say("edit it").await;
    talk.rest_unasked().await;
    let mut window = attach(&world, &server, &["1"]);
    window.shows("Done so far.").await;
    kill_host(&world).await;
    window.shows("The host was restarted").await;
    window.shows(IDLE).await;
    pending_in(&talk.editor, "a.txt", 3).await;
    let file = json!({ "uri": world.uri("a.txt") });
    let reject = json!({ "command": "pollux.file.reject", "arguments": [file] });
    run(&talk.editor, &reject).await;
    pending_in(&talk.editor, "a.txt", 0).await;
    let text = fs::read_to_string(world.work().join("a.txt")).unwrap();
    assert_eq!(text, changed("a.txt", &[]));
    window.type_keys("second\r");
    window.shows("two").await;
    window.shows(IDLE).await;
    window.type_keys(CTRL_D);
    window.ended().await;
    talk.close().await;
    world.expect_no_process_left().await;
}

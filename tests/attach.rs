//! `pollux attach`: a session that another window started, in a terminal and through a pipe.

mod kills;
mod paper;
mod questions;
mod typing;

use std::num::NonZeroU16;
use std::path::Path;

use pollux_testkit::scripted_model::{Reply, ScriptedModel};
use serde_json::json;
use tokio::process::Command;

use crate::support::World;
use crate::support::talk::{Talk, model, says, with_model};
use crate::support::terminal::Terminal;
use crate::support::world::kill;

/// What the foot of the window says while nothing runs.
const IDLE: &str = "Enter sends";

const CTRL_C: &str = "\u{3}";
const CTRL_D: &str = "\u{4}";

/// The command of somebody who trusts the folder.
fn prepare(command: &mut Command, server: &ScriptedModel, arguments: &[&str]) {
    with_model(command, server);
    command
        .env("GEMINI_CLI_TRUST_WORKSPACE", "true")
        .arg("attach")
        .args(arguments);
}

fn attach(world: &World, server: &ScriptedModel, arguments: &[&str]) -> Terminal {
    let program = Path::new(env!("CARGO_BIN_EXE_pollux"));
    Terminal::start(world, program, |command| {
        prepare(command, server, arguments)
    })
}

/// A window of so many rows and columns.
fn attach_sized(world: &World, server: &ScriptedModel, size: (u16, u16)) -> Terminal {
    let program = Path::new(env!("CARGO_BIN_EXE_pollux"));
    let size = (
        NonZeroU16::new(size.0).unwrap(),
        NonZeroU16::new(size.1).unwrap(),
    );
    Terminal::start_sized(world, program, size, |command| {
        prepare(command, server, &[])
    })
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_of_an_editor_is_followed_live_and_talked_to() {
    let world = World::new();
    let server = model([
        Reply::text("Hello \n")
            .gate("more")
            .chunk("world")
            .finish("STOP"),
        says("and more"),
    ])
    .await;
    let mut talk = Talk::start(&world, &server).await;
    talk.say("greet").await;
    server.gate_reached("more").await;
    let mut window = attach(&world, &server, &[]);
    window.shows("▌ greet").await;
    window.shows("Hello").await;
    window.shows("Enter queues · > steers · Ctrl+C stops").await;
    server.open_gate("more");
    window.shows("world").await;
    window.shows("Done.").await;
    window.shows(IDLE).await;
    talk.rest_unasked().await;

    window.type_keys("say more\r");
    assert_eq!(talk.event("turnStarted").await["prompt"], "say more");
    talk.rest_unasked().await;
    let screen = window.shows("and more").await;
    assert!(screen.contains("▌ say more"), "{screen}");
    window.type_keys(CTRL_D);
    window.ended().await;
    talk.close().await;
    world.expect_no_process_left().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_first_ctrl_c_stops_the_turn_and_the_second_leaves() {
    let world = World::new();
    let server = model([Reply::text("working \n").gate("never").finish("STOP")]).await;
    let mut talk = Talk::start(&world, &server).await;
    talk.say("work").await;
    let mut window = attach(&world, &server, &["latest"]);
    window.shows("working").await;
    window.type_keys(CTRL_C);
    assert_eq!(talk.coming("turnEnded").await["outcome"], "cancelled");
    window.shows("Stopped.").await;
    window.shows(IDLE).await;
    window.type_keys(CTRL_C);
    window.ended().await;
    talk.close().await;
    world.expect_no_process_left().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn whoever_leaves_takes_nothing_along() {
    let world = World::new();
    let server = model([Reply::text("working \n")
        .gate("on")
        .chunk("done")
        .finish("STOP")])
    .await;
    let mut talk = Talk::start(&world, &server).await;
    talk.say("work").await;
    let mut window = attach(&world, &server, &[&talk.session]);
    window.shows("working").await;
    window.type_keys(CTRL_D);
    window.shows("Left. The turn goes on").await;
    window.ended().await;
    server.open_gate("on");
    assert_eq!(talk.coming("turnEnded").await["outcome"], "completed");
    talk.close().await;
    world.expect_no_process_left().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_host_that_is_killed_in_a_turn_is_replaced_and_the_conversation_goes_on() {
    let world = World::new();
    let server = model([
        says("the first answer"),
        Reply::text("half of it \n").gate("never").finish("STOP"),
        says("the rest"),
    ])
    .await;
    let mut talk = Talk::start(&world, &server).await;
    talk.say("first").await;
    talk.rest_unasked().await;
    talk.say("second").await;
    let mut window = attach(&world, &server, &["1"]);
    window.shows("half of it").await;
    talk.close().await;

    kill(world.host());
    let screen = window.shows("Interrupted:").await;
    let (before, after) = screen.split_once("The host was restarted").unwrap();
    assert!(before.contains("the first answer"), "{screen}");
    // What had arrived of the answer is in the record; what was known is not told again.
    assert!(after.contains("half of it"), "{screen}");
    assert!(!after.contains("the first answer"), "{screen}");
    window.shows(IDLE).await;
    window.type_keys("go on\r");
    window.shows("the rest").await;
    window.shows("Done.").await;
    window.type_keys(CTRL_D);
    window.ended().await;
    world.expect_no_process_left().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_steered_reaches_the_running_turn() {
    let world = World::new();
    let server = model([
        Reply::text("looking \n")
            .gate("go")
            .call(pollux_testkit::scripted_model::Call::new(
                "list_directory",
                json!({ "dir_path": "." }),
            ))
            .finish("STOP"),
        says("heard"),
        says("then this"),
    ])
    .await;
    let mut talk = Talk::start(&world, &server).await;
    talk.say("look").await;
    let mut window = attach(&world, &server, &[]);
    window.shows("looking").await;
    window.type_keys("> only the top\r");
    window.hides("❯ > only the top").await;
    // The prompt has arrived when a second request of the same window has its effect.
    window.type_keys("and then this\r");
    talk.event("promptQueued").await;
    server.open_gate("go");
    assert_eq!(talk.event("promptSteered").await["text"], "only the top");
    let screen = window.shows("▌> only the top").await;
    assert!(screen.contains("› "), "{screen}");
    window.shows("then this\n").await;
    window.shows(IDLE).await;
    window.type_keys(CTRL_D);
    window.ended().await;
    talk.close().await;
    world.expect_no_process_left().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_that_is_deleted_elsewhere_says_so_in_every_window_and_ends_this_one() {
    let world = World::new();
    let server = model([says("the answer")]).await;
    let mut talk = Talk::start(&world, &server).await;
    talk.say("first").await;
    talk.rest_unasked().await;
    let mut window = attach(&world, &server, &[&talk.session]);
    window.shows("the answer").await;
    window.shows(IDLE).await;
    let other = talk.join(&world, &server).await;
    other.ask("pollux/sessionDelete", json!({})).await;
    window.shows("This session was deleted.").await;
    window.ended().await;
    talk.coming("deleted").await;
    talk.close().await;
    other.close().await;
    world.expect_no_process_left().await;
}

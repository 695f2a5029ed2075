//! The plugin for Neovim, in a real Neovim, against the real binary.

use std::fs;
use std::process::Stdio;

use expect_test::{Expect, expect};
use pollux_testkit::scripted_model::{Call, Reply, ScriptedModel};
use serde_json::json;

use crate::support::talk::{model, runs, says, with_model};
use crate::support::world::World;

const TESTS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/neovim");
const PLUGIN: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../editors/neovim");

/// Runs a script in a Neovim that has the plugin and nothing else, and compares what it reports.
async fn check(world: &World, server: &ScriptedModel, script: &str, wanted: Expect) {
    let mut nvim = world.command("nvim");
    with_model(&mut nvim, server);
    let output = nvim
        .args(["--headless", "-u", "NONE", "-i", "NONE", "-n"])
        .args(["--cmd", &format!("set runtimepath^={PLUGIN}"), "-c"])
        .arg(format!("luafile {TESTS}/{script}.lua"))
        .env("POLLUX_BINARY", env!("CARGO_BIN_EXE_pollux"))
        .env("POLLUX_WORK", world.work())
        .env("POLLUX_TESTS", TESTS)
        .env("GEMINI_CLI_TRUST_WORKSPACE", "true")
        .env("LANG", "C.UTF-8")
        .stdin(Stdio::null())
        .output()
        .await
        .expect("nvim is installed by `cargo xtask test`");
    let printed = String::from_utf8_lossy(&output.stdout);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{printed}\n{said}");
    wanted.assert_eq(&printed);
    // Whatever Neovim complains about is a mistake of the plugin.
    assert!(!said.contains("Error"), "{said}");
    world.expect_no_process_left().await;
}

fn world_with_notes(text: &str) -> World {
    let world = World::new();
    fs::write(world.work().join("notes.txt"), text).unwrap();
    world
}

#[tokio::test(flavor = "multi_thread")]
async fn a_talk_is_shown_as_it_comes_and_built_anew_from_its_events() {
    let world = world_with_notes("buy milk\n");
    let steps = json!({ "todos": [
        { "description": "read", "status": "completed" },
        { "description": "answer", "status": "in_progress" },
    ] });
    let read = Reply::new()
        .thought("**Reading**\nThe notes come first.")
        .chunk("I look ")
        .chunk("at them.\n")
        .call(Call::new("read_file", json!({ "file_path": "notes.txt" })))
        .call(Call::new("write_todos", steps))
        .finish("STOP");
    let answer = Reply::new()
        .chunk("You want to\n\n- buy **milk**\n\n")
        .chunk("```sh\nbuy milk\n```\n")
        .finish("STOP");
    let broken = Reply::error(400, "INVALID_ARGUMENT", "the model has no idea");
    let server = model([read, answer, says("You are welcome."), broken]).await;
    check(&world, &server, "chat", expect![[""]]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn questions_are_answered_prompts_wait_and_turns_are_stopped() {
    let world = world_with_notes("one\n");
    let server = model([
        runs("touch made"),
        says("Made it."),
        says("That was later."),
        runs("touch made2"),
        says("I leave it."),
        Reply::new().chunk("Once upon a time").stall(),
    ])
    .await;
    check(&world, &server, "answers", expect![[""]]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn sessions_are_kept_and_the_server_knows_what_is_looked_at() {
    let world = world_with_notes("one\n😀two\nthree\nfour\n");
    let server = model([says("Numbers."), says("Something."), says("I am.")]).await;
    check(&world, &server, "sessions", expect![[""]]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn hunks_are_drawn_and_named_as_they_are() {
    let world = world_with_notes("one\nlet total = 2;\nthree\nfour\nfive\nsix\nseven\n");
    let server = model([]).await;
    check(&world, &server, "drawing", expect![[""]]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn buffers_are_edited_saved_and_sent_whole() {
    let world = world_with_notes("one\ntwo\nthree\nfour\n");
    let server = model([]).await;
    check(&world, &server, "edits", expect![[""]]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_long_talk_is_only_ever_appended_to() {
    let world = World::new();
    let server = model([]).await;
    check(&world, &server, "long", expect![[""]]).await;
}

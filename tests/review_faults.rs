//! Reviews when something goes wrong around them: another process has the record, the disk is full, files vanish, records
//! are damaged, processes are killed.
//!
//! `POLLUX_FAULTS=full` plays the numbers of rounds that a release is judged by.

mod beside;
mod full_disk;
mod gone;
mod kills;
mod records;

use std::process::Output;

use pollux_testkit::fake_editor::FakeEditor;
use pollux_testkit::scripted_model::{Reply, ScriptedModel};
use serde_json::json;
use tokio::process::Command;

use crate::support::plain::plain_in;
use crate::support::talk::{calls, model, says, with_model};
use crate::support::world::{Door, World};

/// How often something is tried: seldom in every run of the tests, or as often as a release is judged by.
fn rounds(usual: usize, full: usize) -> usize {
    #[expect(
        clippy::disallowed_methods,
        reason = "a switch of the tests themselves"
    )]
    match std::env::var("POLLUX_FAULTS").as_deref() {
        Ok("full") => full,
        _ => usual,
    }
}

fn writes(name: &str, text: &str) -> Reply {
    calls("write_file", json!({ "file_path": name, "content": text }))
}

/// A `pollux run` that may edit files without asking.
fn run_command(world: &World, server: &ScriptedModel) -> Command {
    let mut command = world.pollux(&[
        "run",
        "--skip-trust",
        "--approval-mode",
        "auto_edit",
        "-p",
        "change it",
    ]);
    with_model(&mut command, server);
    command
}

/// Has `pollux run` write one file.
async fn run_writes(world: &World, name: &str, text: &str) -> Output {
    let server = model([writes(name, text), says("done")]).await;
    run_command(world, &server).output().await.unwrap()
}

/// The names in the workspace that nobody but Pollux gives.
fn left_over(world: &World) -> Vec<String> {
    let names = std::fs::read_dir(world.work()).unwrap();
    let names = names.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    names.filter(|name| name.starts_with(".pollux-")).collect()
}

/// An editor with the workspace open, and no model.
async fn editor(world: &World) -> (FakeEditor, Door) {
    let (editor, door) = world.door(&["lsp"]);
    editor
        .initialize(plain_in(world.work().to_str().unwrap()))
        .await;
    (editor, door)
}

async fn end(world: &World, editor: FakeEditor, mut door: Door) {
    editor.abandon();
    door.ended().await;
    world.expect_no_process_left().await;
}

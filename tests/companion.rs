//! The companion: what an agent outside gets to know, and what becomes of its edits. The agent is ours here, and the real
//! one in [`gemini_cli`].

mod agent;
mod attacks;
mod context;
mod diffs;
mod gemini_cli;
mod life;

use std::fs;
use std::path::PathBuf;

use pollux_testkit::fake_editor::{FakeEditor, InitializeOptions};
use serde_json::{Value, json};

use crate::support::{Door, World, in_root};
use agent::{Agent, address};

/// An editor that shows hunks and questions itself, as VS Code does.
pub(crate) fn rich(world: &World) -> InitializeOptions {
    InitializeOptions {
        capabilities: json!({
            "window": { "showDocument": { "support": true } },
            "workspace": { "applyEdit": true, "workspaceEdit": { "documentChanges": true } },
            "experimental": { "pollux": { "approvals": true, "hunks": true, "companion": true, "asides": true } },
        }),
        client_name: "Fake Editor".to_owned(),
        ..in_root(world.work().to_str().unwrap())
    }
}

/// A window on the workspace.
pub(crate) async fn window(world: &World) -> (FakeEditor, Door) {
    let (editor, door) = world.door(&["lsp"]);
    enter(&editor, rich(world)).await;
    (editor, door)
}

/// The person closes every message, and decides in the file.
pub(crate) async fn enter(editor: &FakeEditor, options: InitializeOptions) {
    editor.answer("window/showMessageRequest", Value::Null);
    editor.ignore("pollux/companion");
    editor.ignore("$/cancelRequest");
    editor.initialize(options).await;
}

/// A window and an agent that has heard what it shows.
async fn window_and_agent(world: &World) -> (FakeEditor, Door, Agent) {
    let (editor, door) = window(world).await;
    let mut agent = Agent::connect(address(world).await).await;
    agent.context(|_| true).await;
    (editor, door, agent)
}

pub(crate) fn write(world: &World, name: &str, text: &str) -> PathBuf {
    let path = world.work().join(name);
    fs::write(&path, text).unwrap();
    path
}

/// The hunks that the editor is shown of a file, once there are so many.
pub(crate) async fn hunks(editor: &FakeEditor, count: usize) -> Value {
    loop {
        let shown = editor.expect_notification("pollux/hunks").await;
        if shown["hunks"].as_array().unwrap().len() == count {
            return shown;
        }
    }
}

/// Decides about a hunk, by its index among those that are shown.
pub(crate) async fn decide(editor: &FakeEditor, command: &str, shown: &Value, index: usize) {
    let argument = json!({ "uri": shown["uri"], "revision": shown["revision"], "index": index });
    let params = json!({ "command": command, "arguments": [argument] });
    editor
        .request("workspace/executeCommand", params)
        .await
        .unwrap();
}

pub(crate) async fn finish(world: &World, editor: FakeEditor, mut door: Door) {
    editor.ignore("pollux/hunks");
    editor.finish().await;
    assert!(door.ended().await.success());
    world.expect_no_process_left().await;
    assert_eq!(agent::found(world), Vec::<PathBuf>::new());
}

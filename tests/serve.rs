//! `pollux mcp`: what clients of the Model Context Protocol get to know of the editor, and what becomes of their edits.

mod client;
mod code;
mod edits;
mod facts;
mod following;
mod inspector;
mod life;
mod newer;
mod port;

use pollux_testkit::fake_editor::FakeEditor;
use serde_json::{Value, json};

use crate::companion::window;
use crate::support::{Door, World};
use client::Client;

/// A window on the workspace, and a client of it.
async fn window_and_client(world: &World) -> (FakeEditor, Door, Client) {
    let (editor, door) = window(world).await;
    let client = Client::start(world, &["mcp"]).await;
    (editor, door, client)
}

async fn finish(world: &World, editor: FakeEditor, mut door: Door, client: Client) {
    client.finish().await;
    editor.ignore("pollux/hunks");
    editor.finish().await;
    assert!(door.ended().await.success());
    world.expect_no_process_left().await;
}

/// The file has the focus, with this selection.
fn looks_at(uri: &str, line: u64, start: u64, end: u64) -> Value {
    let place = |character: u64| json!({ "line": line, "character": character });
    json!({ "activeFile": {
        "uri": uri,
        "cursor": place(end),
        "selections": [{ "start": place(start), "end": place(end) }],
    } })
}

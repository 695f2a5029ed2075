//! A private world for each test: its own home, its own runtime folder, its own processes.

pub(crate) mod kill_script;
mod memory;
pub(crate) mod plain;
pub(crate) mod scripted_editor;
pub(crate) mod talk;
pub(crate) mod terminal;
pub(crate) mod wire;
pub(crate) mod world;

pub(crate) use memory::Memory;
pub(crate) use world::{Door, World};

use pollux_testkit::fake_editor::{FakeEditor, InitializeOptions};
use serde_json::{Value, json};

/// The ways to reach a server. Order and life must hold in all of them.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Way {
    /// Door and host in the test's own process.
    Memory,
    /// The binary, with a host of its own.
    Shared,
    /// The binary, all in one process.
    Alone,
}

/// An editor and whatever keeps its server alive.
pub(crate) enum Server {
    Memory,
    Binary { world: World, door: Box<Door> },
}

impl Server {
    pub(crate) fn start(way: Way) -> (FakeEditor, Self) {
        match way {
            Way::Memory => {
                let memory = Memory::default();
                (memory.door(), Self::Memory)
            }
            Way::Shared | Way::Alone => {
                let world = World::new();
                let arguments: &[&str] = match way {
                    Way::Alone => &["lsp", "--no-share"],
                    Way::Shared | Way::Memory => &["lsp"],
                };
                let (editor, door) = world.door(arguments);
                let door = Box::new(door);
                (editor, Self::Binary { world, door })
            }
        }
    }

    /// Says goodbye, and checks that nothing is left behind.
    pub(crate) async fn finish(self, editor: FakeEditor) {
        editor.finish().await;
        if let Self::Binary { world, mut door } = self {
            assert!(door.ended().await.success());
            world.expect_no_process_left().await;
        }
    }
}

pub(crate) fn in_root(root: &str) -> InitializeOptions {
    InitializeOptions {
        roots: vec![format!("file://{root}")],
        ..InitializeOptions::default()
    }
}

/// An editor that shows the agent's questions in a view of its own.
pub(crate) fn asked_in(root: &str) -> InitializeOptions {
    InitializeOptions {
        capabilities: json!({ "experimental": { "pollux": { "approvals": true } } }),
        ..in_root(root)
    }
}

/// The text the room holds, after everything this editor has sent.
pub(crate) async fn text(editor: &FakeEditor, uri: &str) -> String {
    let document = editor
        .request("pollux/document", json!({ "uri": uri }))
        .await
        .unwrap();
    document["text"].as_str().unwrap().to_owned()
}

pub(crate) async fn snapshot(editor: &FakeEditor) -> Value {
    editor.request("pollux/snapshot", json!({})).await.unwrap()
}

/// Waits until the room is as wanted.
pub(crate) async fn snapshot_where(editor: &FakeEditor, wanted: impl Fn(&Value) -> bool) -> Value {
    let mut now = snapshot(editor).await;
    while !wanted(&now) {
        let after = json!({ "afterRevision": now["revision"] });
        now = editor.request("pollux/snapshot", after).await.unwrap();
    }
    now
}

/// A request that will not be answered for as long as the test lasts.
pub(crate) fn never() -> Value {
    json!({ "afterRevision": u64::MAX })
}

/// A number of repetitions, which a variable makes larger for whoever wants to wait.
#[expect(
    clippy::disallowed_methods,
    reason = "the person who starts the tests says how long they may take"
)]
pub(crate) fn count(variable: &str, usual: usize) -> usize {
    let wanted = std::env::var(variable).ok();
    wanted.map_or(usual, |wanted| wanted.parse().unwrap())
}

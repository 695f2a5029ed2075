//! The review through the language server protocol alone: what the agent changed is decided hunk by hunk.

mod crashes;
mod decisions;
mod hunks;
mod plain;

use std::fmt::Write as _;
use std::fs;

use pollux_testkit::scripted_model::{Reply, ScriptedModel};
use serde_json::json;

use crate::support::talk::{Talk, calls, door, model, says};
use crate::support::world::World;
use pollux_testkit::fake_editor::InitializeOptions;

/// The files of the scenario, the odd one out with Windows line ends.
const FILES: [&str; 3] = ["a.txt", "b.txt", "c.txt"];

/// Lines in which the agent changes something.
const CHANGED: [usize; 3] = [2, 10, 20];

fn line_end(name: &str) -> &'static str {
    match name {
        "c.txt" => "\r\n",
        _ => "\n",
    }
}

/// A file of 30 lines in which these lines are the agent's. Its change of line 10 brings one line more.
fn text(name: &str, changed: &[usize]) -> String {
    let end = line_end(name);
    let mut text = String::new();
    for line in 0..30 {
        match (changed.contains(&line), line) {
            (true, 10) => write!(text, "{name} new {line}{end}{name} more{end}").unwrap(),
            (true, _) => write!(text, "{name} new {line}{end}").unwrap(),
            (false, _) => write!(text, "{name} old {line}{end}").unwrap(),
        }
    }
    text
}

fn write_files(world: &World) {
    for name in FILES {
        fs::write(world.work().join(name), text(name, &[])).unwrap();
    }
}

fn on_disk(world: &World, name: &str) -> String {
    fs::read_to_string(world.work().join(name)).unwrap()
}

/// A reply that changes three places of a file.
fn edits(name: &str) -> Reply {
    calls(
        "write_file",
        json!({ "file_path": name, "content": text(name, &CHANGED).replace("\r\n", "\n") }),
    )
}

/// A turn that changes three files in three places each, and everything around it.
struct Scene {
    world: World,
    server: ScriptedModel,
    talk: Talk,
}

impl Scene {
    /// Plays the turn without asking anybody.
    async fn play(options: fn(&str) -> InitializeOptions) -> Self {
        let scene = Self::prepare(options).await;
        scene.turn().await
    }

    async fn prepare(options: fn(&str) -> InitializeOptions) -> Self {
        Self::prepare_with(options, []).await
    }

    /// With replies for prompts after the turn.
    async fn prepare_with(
        options: fn(&str) -> InitializeOptions,
        next: impl IntoIterator<Item = Reply>,
    ) -> Self {
        let world = World::new();
        write_files(&world);
        let replies = FILES
            .iter()
            .map(|name| edits(name))
            .chain([says("done")])
            .chain(next);
        let server = model(replies).await;
        let folder = world.work();
        let options = options(folder.to_str().unwrap());
        let talk = Talk::start_with(options, door(&world, &server)).await;
        talk.ask("pollux/modeSet", json!({ "mode": "autoEdit" }))
            .await;
        Self {
            world,
            server,
            talk,
        }
    }

    async fn turn(mut self) -> Self {
        self.talk.say("change them").await;
        self.talk.rest_unasked().await;
        self
    }

    async fn end(self) {
        self.talk.editor.ignore("textDocument/publishDiagnostics");
        self.talk.editor.ignore("pollux/hunks");
        self.talk.close().await;
        self.world.expect_no_process_left().await;
    }
}
